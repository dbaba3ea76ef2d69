// SystemError: what the operating system says, as a Status.

#ifndef HEADRACE_SRC_BASE_SYSTEM_ERROR_H_
#define HEADRACE_SRC_BASE_SYSTEM_ERROR_H_

#include <string>
#include <string_view>

#include "headrace/status.h"

namespace headrace {

// "`what`: the system's text for `error`", an errno, which the Status keeps.
// kNotFound where a path names nothing, a component of it being a file
// included; otherwise kIo.
Status SystemError(std::string_view what, int error, std::string file = {});

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_SYSTEM_ERROR_H_
