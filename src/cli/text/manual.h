// Pages of the manual, in the man macros of roff.

#ifndef HEADRACE_SRC_CLI_TEXT_MANUAL_H_
#define HEADRACE_SRC_CLI_TEXT_MANUAL_H_

#include <span>
#include <string>

#include "src/cli/text/verb_help.h"

namespace headrace::cli {

// Returns the page headrace-VERB(1) of all[number], or headrace(1) of all[0],
// which is the program.
std::string ManualPage(std::span<const VerbHelp> all, size_t number);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_MANUAL_H_
