// The text of --help, laid out from VerbHelp.

#ifndef HEADRACE_SRC_CLI_TEXT_HELP_H_
#define HEADRACE_SRC_CLI_TEXT_HELP_H_

#include <CLI/CLI.hpp>
#include <memory>

namespace headrace::cli {

// Returns a formatter that writes purpose, usage, options in two columns, then
// the footer with the example.
std::shared_ptr<CLI::FormatterBase> HelpFormatter();

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_HELP_H_
