// LineReader: a text file line by line, however long the lines are.

#ifndef HEADRACE_SRC_CLI_JSON_LINE_READER_H_
#define HEADRACE_SRC_CLI_JSON_LINE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "headrace/status.h"

namespace headrace::cli {

class LineReader {
 public:
  // A path, or "-" for standard input.
  static Result<LineReader> Open(const std::string& path);

  LineReader(LineReader&&) noexcept = default;
  LineReader& operator=(LineReader&&) noexcept = default;
  ~LineReader() = default;

  // The next line without its line feed; false at the end. The last line
  // needs no line feed.
  Result<bool> Next(std::string* line);

 private:
  struct CloseFile {
    void operator()(const int* fd) const;
  };
  LineReader(std::string name, int fd);
  Result<bool> Fill();

  std::string name_;
  std::unique_ptr<int, CloseFile> fd_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // of what is not given yet
  size_t end_ = 0;
  uint64_t expected_ = 0;  // bytes when it was opened; 0 where not known
  uint64_t found_ = 0;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_JSON_LINE_READER_H_
