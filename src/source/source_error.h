// These name the file in a Status of code that does not know its name.

#ifndef HEADRACE_SRC_SOURCE_SOURCE_ERROR_H_
#define HEADRACE_SRC_SOURCE_SOURCE_ERROR_H_

#include <cstdint>
#include <string>
#include <utility>

#include "headrace/status.h"

namespace headrace::source {

// `status` is an error, and gets `file` as its file.
inline Status NameFile(const Status& status, const std::string& file) {
  ErrorInfo info = *status.info();
  info.file = file;
  return Status(std::move(info));
}

// The file has fewer bytes than when it was opened. It may now end where a
// record ends, so nothing else would tell.
inline Status Shrank(uint64_t expected, uint64_t found) {
  return Status(ErrorCode::kIo, "shrank while it was read, expected " +
                                    std::to_string(expected) +
                                    " bytes, found " + std::to_string(found));
}

}  // namespace headrace::source

#endif  // HEADRACE_SRC_SOURCE_SOURCE_ERROR_H_
