#include "src/base/system_error.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace headrace {

Status SystemError(std::string_view what, int error, std::string file) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  // strerror is not thread-safe; the standard library's message is.
  std::string message = std::generic_category().message(error);
  return Status(
      ErrorInfo{.code = missing ? ErrorCode::kNotFound : ErrorCode::kIo,
                .message = std::string(what) + ": " + std::move(message),
                .file = std::move(file),
                .system_error = error});
}

}  // namespace headrace
