// Putting the file's name into a Status that was made below the point where
// the name is known.

#ifndef HEADRACE_SRC_SOURCE_SOURCE_ERROR_H_
#define HEADRACE_SRC_SOURCE_SOURCE_ERROR_H_

#include <cstdint>
#include <string>
#include <utility>

#include "headrace/status.h"

namespace headrace::source {

// `status`, which is not a success, with `file` as its file.
inline Status NameFile(const Status& status, const std::string& file) {
  ErrorInfo info = *status.info();
  info.file = file;
  return Status(std::move(info));
}

// A file that holds fewer bytes than it did when it was opened. Where it now
// ends a record may end, too, so nothing else would tell.
inline Status Shrank(uint64_t expected, uint64_t found) {
  return Status(ErrorCode::kIo, "shrank while it was read, expected " +
                                    std::to_string(expected) +
                                    " bytes, found " + std::to_string(found));
}

}  // namespace headrace::source

#endif  // HEADRACE_SRC_SOURCE_SOURCE_ERROR_H_
