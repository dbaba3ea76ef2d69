// Errors of files.

#ifndef HEADRACE_SRC_BASE_SYSTEM_ERROR_H_
#define HEADRACE_SRC_BASE_SYSTEM_ERROR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/status.h"

namespace headrace {

// Returns a Status with `error`, an errno, and the message "`what`: the
// system's text". Its code is kNotFound if a path does not exist, or if a
// folder in it is a file; otherwise kIo.
Status SystemError(std::string_view what, int error, std::string file = {});

// Returns the error for a file that has fewer bytes than when it was opened.
// The file may now end where a record ends, so nothing else would notice.
Status Shrank(uint64_t expected, uint64_t found);

// Adds the file's name to a failure that was returned by code that does not
// know the name.
Status NameFile(const Status& failure, const std::string& file);
template <class T>
Result<T> NameFile(Result<T> result, const std::string& file) {
  if (!result.ok()) return NameFile(result.status(), file);
  return result;
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_SYSTEM_ERROR_H_
