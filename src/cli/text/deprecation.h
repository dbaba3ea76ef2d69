// What a later version of the program no longer has. Its help says so, and its
// use is answered with a warning (docs/stability.md).

#ifndef HEADRACE_SRC_CLI_TEXT_DEPRECATION_H_
#define HEADRACE_SRC_CLI_TEXT_DEPRECATION_H_

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// options.h says why CLI11 is not included.
namespace CLI {
class App;
}  // namespace CLI

namespace headrace::cli {

struct Deprecation {
  std::string_view verb;
  std::string_view option;      // --name; empty: the verb itself
  std::string_view removed_in;  // the version that no longer has it
  std::string_view instead;     // the option or verb to use
};

// A row is {.verb = "head", .option = "--old", .removed_in = "0.3.0",
// .instead = "--new"}. tests/lint/check_deprecations.py fails when the program
// reaches the version of a row.
inline constexpr std::array<Deprecation, 0> kDeprecations = {};

// Says in the help, the manual and the completions what is deprecated. Throws
// an exception of CLI11 if the program lacks the verb or the option of a row.
void DescribeDeprecations(std::span<const Deprecation> rows, CLI::App* program);

// Returns a warning for each row that the parsed command line uses.
std::vector<std::string> DeprecationWarnings(std::span<const Deprecation> rows,
                                             const CLI::App& program);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_DEPRECATION_H_
