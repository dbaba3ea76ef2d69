#include "src/base/system_error.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace headrace {

Status SystemError(std::string_view what, int error, std::string file) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  // strerror is not thread-safe; message() of the standard library is.
  std::string message = std::generic_category().message(error);
  return Status(
      ErrorInfo{.code = missing ? ErrorCode::kNotFound : ErrorCode::kIo,
                .message = std::string(what) + ": " + std::move(message),
                .file = std::move(file),
                .system_error = error});
}

Status Shrank(uint64_t expected, uint64_t found) {
  return Status(ErrorCode::kIo, "shrank while it was read, expected " +
                                    std::to_string(expected) +
                                    " bytes, found " + std::to_string(found));
}

Status NameFile(const Status& failure, const std::string& file) {
  ErrorInfo info = *failure.info();
  info.file = file;
  return Status(std::move(info));
}

}  // namespace headrace
