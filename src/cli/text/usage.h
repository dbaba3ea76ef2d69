// Errors of the command line, in the program's words.

#ifndef HEADRACE_SRC_CLI_TEXT_USAGE_H_
#define HEADRACE_SRC_CLI_TEXT_USAGE_H_

#include <string>

// options.h says why CLI11 is not included.
namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace headrace::cli {

// Returns the text of an error that CLI11 found in the arguments of `verb`.
std::string UsageError(const CLI::App& verb, const CLI::ParseError& error);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_USAGE_H_
