// A PythonFilter is a process of Python that makes one stream of bytes of
// another: what libraries of Python can do, and the program cannot.

#ifndef HEADRACE_SRC_CLI_PYTHON_FILTER_H_
#define HEADRACE_SRC_CLI_PYTHON_FILTER_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "headrace/output_file.h"
#include "headrace/output_sink.h"
#include "headrace/status.h"

namespace headrace::cli {

// One end of a pipe; -1: none.
class PipeEnd {
 public:
  PipeEnd() = default;
  explicit PipeEnd(int fd) : fd_(fd) {}
  PipeEnd(PipeEnd&& other) noexcept : fd_(other.Release()) {}
  PipeEnd& operator=(PipeEnd&& other) noexcept;
  ~PipeEnd() { Close(); }

  int fd() const { return fd_; }
  int Release();
  void Close();

 private:
  int fd_ = -1;
};

// Of the package headrace, `python -P -m headrace.filters NAME JSON` runs, in
// the interpreter that the variable HEADRACE_PYTHON names, else in python3.
class PythonFilter {
 public:
  // `purpose` is what it is for, such as "Parquet is written by pyarrow".
  // Without `has_input` its standard input is empty.
  static Result<PythonFilter> Start(const std::string& purpose,
                                    const std::vector<std::string>& arguments,
                                    bool has_input);
  PythonFilter(PythonFilter&& other) noexcept;
  PythonFilter& operator=(PythonFilter&&) = delete;
  ~PythonFilter() { Stop(); }

  PipeEnd& input() { return input_; }
  PipeEnd& output() { return output_; }

  // Ends the process; what it made is not wanted any more.
  void Stop();
  // Waits for the end of the process, which has to be near: its input is at an
  // end, and its output was read. Its own error, if it failed.
  Status Wait();

 private:
  PythonFilter() = default;
  std::string ReadError();

  std::string purpose_;
  std::string interpreter_;
  pid_t process_ = -1;
  PipeEnd input_;
  PipeEnd output_;
  PipeEnd error_;
};

// A filter makes the file of the bytes that the sink is given.
class FilteredFile {
 public:
  static Result<std::unique_ptr<FilteredFile>> Open(
      const std::string& path, const std::string& purpose,
      const std::vector<std::string>& arguments);
  virtual ~FilteredFile() = default;

  // The sink must not outlive this. Its Close gives the file its name.
  virtual std::unique_ptr<OutputSink> MakeSink() = 0;
  // Bytes of the file so far; may be called once the sink is closed.
  virtual uint64_t num_bytes() const = 0;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PYTHON_FILTER_H_
