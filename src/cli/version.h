#ifndef HEADRACE_SRC_CLI_VERSION_H_
#define HEADRACE_SRC_CLI_VERSION_H_

#include "src/cli/process/console.h"

namespace headrace::cli {

// Prints one fact per line, for bug reports.
ExitCode PrintVersion();

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERSION_H_
