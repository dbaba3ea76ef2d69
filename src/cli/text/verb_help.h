// VerbHelp describes a verb. Help, manual pages and shell completions are made
// of it.

#ifndef HEADRACE_SRC_CLI_TEXT_VERB_HELP_H_
#define HEADRACE_SRC_CLI_TEXT_VERB_HELP_H_

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace headrace::cli {

// Every verb ends with one of these codes.
inline constexpr char kExitCodes[] =
    "0 all good, 1 the data is bad, 2 usage, 3 files and devices.\n";

struct OptionHelp {
  std::vector<std::string> names;  // -n, --records; of an argument: FILE
  std::string value;               // what follows it: N; empty: nothing
  std::vector<std::string> words;  // values to choose from; empty: any
  std::string text;
};

struct VerbHelp {
  std::string name;  // empty: the program
  std::string purpose;
  std::string synopsis;               // headrace head [options] FILE...
  std::vector<OptionHelp> arguments;  // those without a name
  std::vector<OptionHelp> options;
  std::string notes;  // paragraphs, the last of which is an example
};

VerbHelp Describe(const CLI::App& verb);

// The program, then its verbs.
std::vector<VerbHelp> DescribeAll(const CLI::App& program);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_VERB_HELP_H_
