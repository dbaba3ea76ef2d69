// A PythonFilter is a process of Python that makes one stream of bytes of
// another: what libraries of Python can do, and the program cannot.

#ifndef HEADRACE_SRC_CLI_PROCESS_PYTHON_FILTER_H_
#define HEADRACE_SRC_CLI_PROCESS_PYTHON_FILTER_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
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

// Of the package headrace, `python -P -m headrace.filters NAME ...` runs, in
// the interpreter that the variable HEADRACE_PYTHON names, else in python3.
class PythonFilter {
 public:
  // `purpose` is what it is for, such as "Parquet is written by pyarrow".
  // Standard input of the process is what `input` says, or is this file.
  static constexpr int kPipe = -1;  // input()
  static constexpr int kEmpty = -2;
  static Result<PythonFilter> Start(const std::string& purpose,
                                    const std::vector<std::string>& arguments,
                                    int input);
  PythonFilter(PythonFilter&& other) noexcept;
  PythonFilter& operator=(PythonFilter&&) = delete;
  ~PythonFilter() { Stop(); }

  PipeEnd& input() { return input_; }
  PipeEnd& output() { return output_; }

  // Ends the process; what it made is not wanted any more.
  void Stop();
  // Waits for the end of the process, which has to be near: its input is at an
  // end, and its output was read. Its own error, if it failed; also an error if
  // it does not say that it has done all, with this count: an interpreter that
  // ends at once, or that is stopped, leaves what looks complete. kUnknown
  // takes any count.
  Status Wait(uint64_t expected);

 private:
  PythonFilter() = default;
  std::string ReadReport();
  Status Judge(const std::string& report, uint64_t expected) const;

  std::string purpose_;
  std::string interpreter_;
  pid_t process_ = -1;
  PipeEnd input_;
  PipeEnd output_;
  PipeEnd error_;
};

// A filter makes a file of the bytes that are written. Close gives the file its
// name.
class FilteredSink : public OutputSink {
 public:
  static Result<std::unique_ptr<FilteredSink>> Open(
      const std::string& path, const std::string& purpose,
      const std::vector<std::string>& arguments);
  ~FilteredSink() override;

  Status Write(std::span<const uint8_t> bytes) override;
  Status Close() override;
  // Close fails if the filter has taken another number of rows or records. Call
  // it before Close.
  void ExpectRows(uint64_t rows) { rows_ = rows; }
  // Bytes of the file so far; may be called once the sink is closed.
  uint64_t num_bytes() const { return file_.size(); }

 private:
  FilteredSink(OutputFile file, PythonFilter filter);
  void Copy();
  Status End();

  OutputFile file_;
  PythonFilter filter_;
  uint64_t rows_ = kUnknown;
  Status copied_;  // the thread's alone while it runs
  std::thread copier_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PROCESS_PYTHON_FILTER_H_
