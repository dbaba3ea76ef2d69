#ifndef HEADRACE_SRC_CLI_VERSION_H_
#define HEADRACE_SRC_CLI_VERSION_H_

#include "src/cli/console.h"

namespace headrace::cli {

// What --version prints: one fact a line, for bug reports.
ExitCode PrintVersion();

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERSION_H_
