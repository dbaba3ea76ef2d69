#include "src/cli/text/deprecation.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <utility>

namespace headrace::cli {

void DescribeDeprecations(std::span<const Deprecation> rows,
                          CLI::App* program) {
  for (const Deprecation& row : rows) {
    CLI::App* const verb = program->get_subcommand(std::string(row.verb));
    const std::string note =
        " (deprecated: use " + std::string(row.instead) + ")";
    if (row.option.empty()) {
      verb->description(verb->get_description() + note);
    } else {
      CLI::Option* const option = verb->get_option(std::string(row.option));
      option->description(option->get_description() + note);
    }
  }
}

std::vector<std::string> DeprecationWarnings(std::span<const Deprecation> rows,
                                             const CLI::App& program) {
  std::vector<std::string> warnings;
  for (const Deprecation& row : rows) {
    const CLI::App* const verb = program.get_subcommand(std::string(row.verb));
    const bool is_verb = row.option.empty();
    const size_t uses =
        is_verb ? verb->count() : verb->count(std::string(row.option));
    if (uses == 0) continue;
    std::string text = "warning: ";
    text += is_verb ? row.verb : row.option;
    text += " is deprecated and will be removed in headrace ";
    text += row.removed_in;
    text += "; use ";
    text += row.instead;
    warnings.push_back(std::move(text));
  }
  return warnings;
}

}  // namespace headrace::cli
