// VerbHelp describes a verb. Help, manual pages and shell completions are made
// of it (verb_pages.h). Errors of the command line are in the program's words.

#ifndef HEADRACE_SRC_CLI_TEXT_VERB_HELP_H_
#define HEADRACE_SRC_CLI_TEXT_VERB_HELP_H_

#include <string>
#include <vector>

// options.h says why CLI11 is not included.
namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace headrace::cli {

// Every verb ends with one of these codes.
inline constexpr char kExitCodes[] =
    "0 all good, 1 the data is bad, 2 usage, 3 files and devices.\n";

struct OptionHelp {
  std::vector<std::string> names;  // -n, --records; of an argument: FILE
  std::string value;               // what follows the name: N; empty: nothing
  std::vector<std::string> words;  // values to choose from; empty: any
  std::string text;
};

struct VerbHelp {
  std::string name;  // empty: the program
  std::string purpose;
  std::string synopsis;               // headrace head [options] FILE...
  std::vector<OptionHelp> arguments;  // options without a name
  std::vector<OptionHelp> options;
  std::string notes;  // paragraphs, the last of which is an example
};

VerbHelp Describe(const CLI::App& verb);

// Describes the program, then its verbs.
std::vector<VerbHelp> DescribeAll(const CLI::App& program);

// Makes --help of the program and its verbs show purpose, usage, options in two
// columns, then the footer with the example.
void SetHelpFormat(CLI::App* program);

// Returns the text of an error that CLI11 found in the arguments of `verb`.
std::string UsageError(const CLI::App& verb, const CLI::ParseError& error);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_VERB_HELP_H_
