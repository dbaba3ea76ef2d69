// SystemError makes a Status of what the operating system says.

#ifndef HEADRACE_SRC_BASE_SYSTEM_ERROR_H_
#define HEADRACE_SRC_BASE_SYSTEM_ERROR_H_

#include <string>
#include <string_view>

#include "headrace/status.h"

namespace headrace {

// The Status keeps `error`, an errno, and says "`what`: the system's text".
// kNotFound where a path names nothing, or a component of it is a file;
// otherwise kIo.
Status SystemError(std::string_view what, int error, std::string file = {});

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_SYSTEM_ERROR_H_
