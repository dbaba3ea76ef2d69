// SystemError makes a Status from an error of the operating system.

#ifndef HEADRACE_SRC_BASE_SYSTEM_ERROR_H_
#define HEADRACE_SRC_BASE_SYSTEM_ERROR_H_

#include <string>
#include <string_view>

#include "headrace/status.h"

namespace headrace {

// Returns a Status with `error`, an errno, and the message "`what`: the
// system's text". Its code is kNotFound if a path names nothing, or if a
// component of it is a file; otherwise kIo.
Status SystemError(std::string_view what, int error, std::string file = {});

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_SYSTEM_ERROR_H_
