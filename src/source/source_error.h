// Putting the file's name into a Status that was made below the point where
// the name is known.

#ifndef HEADRACE_SRC_SOURCE_SOURCE_ERROR_H_
#define HEADRACE_SRC_SOURCE_SOURCE_ERROR_H_

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

}  // namespace headrace::source

#endif  // HEADRACE_SRC_SOURCE_SOURCE_ERROR_H_
