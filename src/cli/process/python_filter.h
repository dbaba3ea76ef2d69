// A PythonFilter is a Python process that turns one stream of bytes into
// another. It does what Python libraries can do and the program cannot.

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
#include "src/cli/process/descriptor.h"

namespace headrace::cli {

// Runs `python -P -m headrace.filters NAME ...` of the package headrace, in the
// interpreter that the variable HEADRACE_PYTHON names, else in python3.
class PythonFilter {
 public:
  // `purpose` says what the filter is for, such as "Parquet is written by
  // pyarrow". Standard input of the process is kPipe, kEmpty, or the file
  // `input`.
  static constexpr int kPipe = -1;  // input()
  static constexpr int kEmpty = -2;
  static Result<PythonFilter> Start(const std::string& purpose,
                                    const std::vector<std::string>& arguments,
                                    int input);
  PythonFilter(PythonFilter&& other) noexcept;
  PythonFilter& operator=(PythonFilter&&) = delete;
  ~PythonFilter() { Stop(); }

  Descriptor& input() { return input_; }
  Descriptor& output() { return output_; }

  // Ends the process, whose output is not wanted any more.
  void Stop();
  // Waits for the end of the process, which must be near: its input has ended,
  // and its output was read. Returns the error of the process if it failed.
  // Returns an error, too, if the process does not report that it has read or
  // written `expected` rows (kUnknown: any number), since the output of an
  // interpreter that ends early looks complete.
  Status Wait(uint64_t expected);

 private:
  PythonFilter() = default;
  std::string ReadReport();
  Status Failed(const std::string& how) const;

  std::string purpose_;
  std::string interpreter_;
  pid_t process_ = -1;
  Descriptor input_;
  Descriptor output_;
  Descriptor error_;
};

// Makes a file of the bytes that are written, through a filter. Close gives the
// file its name.
class FilteredSink : public OutputSink {
 public:
  static Result<std::unique_ptr<FilteredSink>> Open(
      const std::string& path, const std::string& purpose,
      const std::vector<std::string>& arguments);
  ~FilteredSink() override;

  Status Write(std::span<const uint8_t> bytes) override;
  Status Close() override;
  // Makes Close fail if the filter counts another number of rows or records.
  // Call it before Close.
  void ExpectRows(uint64_t rows) { rows_ = rows; }
  // Bytes of the file so far; may be called after the sink is closed.
  uint64_t num_bytes() const { return file_.size(); }

 private:
  FilteredSink(OutputFile file, PythonFilter filter);
  void Copy();
  Status End();

  OutputFile file_;
  PythonFilter filter_;
  uint64_t rows_ = kUnknown;
  Status copied_;  // only the thread's while it runs
  std::thread copier_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PROCESS_PYTHON_FILTER_H_
