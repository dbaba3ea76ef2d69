// Pages of the manual, in the man macros of roff, and scripts that let a shell
// complete verbs, options and their values.

#ifndef HEADRACE_SRC_CLI_TEXT_VERB_PAGES_H_
#define HEADRACE_SRC_CLI_TEXT_VERB_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "src/cli/text/verb_help.h"

namespace headrace::cli {

// Returns the page headrace-VERB(1) of all[number], or headrace(1) of all[0],
// which is the program.
std::string ManualPage(std::span<const VerbHelp> all, size_t number);

enum class Shell : uint8_t { kBash, kZsh, kFish };

// `all` is the program, then its verbs.
std::string CompletionScript(Shell shell, std::span<const VerbHelp> all);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_VERB_PAGES_H_
