// What is wrong with a command line, in the program's words.

#ifndef HEADRACE_SRC_CLI_TEXT_USAGE_H_
#define HEADRACE_SRC_CLI_TEXT_USAGE_H_

#include <string>

// As in options.h: CLI11 is slow to compile.
namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace headrace::cli {

// What CLI11 found wrong with the arguments of `verb`.
std::string UsageError(const CLI::App& verb, const CLI::ParseError& error);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_USAGE_H_
