// TemporaryFile: a file without a name, which is gone when the process ends,
// however it ends.

#ifndef HEADRACE_SRC_CLI_SHUFFLE_TEMPORARY_FILE_H_
#define HEADRACE_SRC_CLI_SHUFFLE_TEMPORARY_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "headrace/status.h"
#include "src/cli/process/descriptor.h"

namespace headrace::cli {

// Errors are kIo, or kNotFound where the folder is missing, and name the
// folder. Its space is free again once the file is destroyed.
class TemporaryFile {
 public:
  static Result<TemporaryFile> Create(const std::string& folder);

  Status Append(std::string_view bytes);
  // Reads `size` bytes, all of which were appended.
  Status ReadAt(uint64_t offset, size_t size, char* out) const;
  uint64_t size() const { return size_; }

  // Returns the error for a file from which other bytes were read than were
  // appended.
  Status Damaged() const;

 private:
  TemporaryFile(Descriptor file, std::string folder)
      : file_(std::move(file)), folder_(std::move(folder)) {}
  Status Failed(const char* what, int error) const;

  Descriptor file_;
  std::string folder_;
  uint64_t size_ = 0;
};

// Returns the number of bytes that may still be written to the folder's file
// system; ~0 if that is unknown.
Result<uint64_t> FreeSpace(const std::string& folder);

// Raises the limit of open files as far as this process may, and returns it.
uint64_t RaiseOpenFiles();

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_SHUFFLE_TEMPORARY_FILE_H_
