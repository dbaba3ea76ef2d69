// Adds the file's name to a Status of code that does not know it.

#ifndef HEADRACE_SRC_INPUT_SOURCE_SOURCE_ERROR_H_
#define HEADRACE_SRC_INPUT_SOURCE_SOURCE_ERROR_H_

#include <string>
#include <utility>

#include "headrace/status.h"
#include "src/base/shrank.h"

namespace headrace::source {

// Returns `status`, which is an error, with `file` as its file.
inline Status NameFile(const Status& status, const std::string& file) {
  ErrorInfo info = *status.info();
  info.file = file;
  return Status(std::move(info));
}

using headrace::Shrank;

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_SOURCE_ERROR_H_
