// Scripts that let a shell complete verbs, options and their values.

#ifndef HEADRACE_SRC_CLI_TEXT_COMPLETION_H_
#define HEADRACE_SRC_CLI_TEXT_COMPLETION_H_

#include <cstdint>
#include <span>
#include <string>

#include "src/cli/text/verb_help.h"

namespace headrace::cli {

enum class Shell : uint8_t { kBash, kZsh, kFish };

// `all` is the program, then its verbs.
std::string CompletionScript(Shell shell, std::span<const VerbHelp> all);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_COMPLETION_H_
