#include "src/cli/text/verb_help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "src/cli/text/words.h"

namespace headrace::cli {
namespace {

// Returns the words of a value such as N|auto that are typed literally.
std::vector<std::string> WordsOf(std::string_view value) {
  std::vector<std::string> words;
  if (value.find('|') == std::string_view::npos) return words;
  for (std::string& part : Split(value, '|')) {
    const bool is_word = std::none_of(part.begin(), part.end(), [](char c) {
      return std::isupper(static_cast<unsigned char>(c)) != 0;
    });
    if (is_word) words.push_back(std::move(part));
  }
  return words;
}

OptionHelp DescribeOption(const CLI::Option& option) {
  OptionHelp help;
  const bool is_argument = option.get_positional();
  help.names = Split(option.get_name(is_argument, !is_argument), ',');
  if (option.get_expected_max() > 0) help.value = option.get_type_name();
  help.words = WordsOf(help.value);
  help.text = option.get_description();
  return help;
}

}  // namespace

VerbHelp Describe(const CLI::App& verb) {
  VerbHelp help;
  const bool is_program = verb.get_parent() == nullptr;
  if (!is_program) help.name = verb.get_name();
  help.purpose = verb.get_description();
  help.notes = verb.get_footer();
  help.synopsis = is_program ? "headrace VERB [options] ..."
                             : "headrace " + help.name + " [options]";
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional()) {
      help.options.push_back(DescribeOption(*option));
      continue;
    }
    help.arguments.push_back(DescribeOption(*option));
    help.synopsis += " " + help.arguments.back().names.front();
    if (option->get_expected_max() > 1) help.synopsis += "...";
  }
  return help;
}

std::vector<VerbHelp> DescribeAll(const CLI::App& program) {
  std::vector<VerbHelp> all = {Describe(program)};
  for (const CLI::App* verb : program.get_subcommands({})) {
    all.push_back(Describe(*verb));
  }
  return all;
}

}  // namespace headrace::cli
