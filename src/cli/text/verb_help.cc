#include "src/cli/text/verb_help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "src/base/text/near_miss.h"

namespace headrace::cli {
namespace {

// Returns the words of a value such as N|auto that are typed literally.
std::vector<std::string> WordsOf(const std::string& value) {
  std::vector<std::string> words = absl::StrSplit(value, '|');
  if (words.size() == 1) return {};
  std::erase_if(words, [](const std::string& word) {
    return std::ranges::any_of(word, absl::ascii_isupper);
  });
  return words;
}

OptionHelp DescribeOption(const CLI::Option& option) {
  OptionHelp help;
  const bool is_argument = option.get_positional();
  help.names = absl::StrSplit(option.get_name(is_argument, !is_argument), ',');
  if (option.get_expected_max() > 0) help.value = option.get_type_name();
  help.words = WordsOf(help.value);
  help.text = option.get_description();
  return help;
}

constexpr size_t kTextColumn = 26;
constexpr size_t kLineWidth = 80;
constexpr size_t kLongestValue = 60;

// Appends a row "  name          text", with the text wrapped in its column.
void AppendRow(const std::string& name, const std::string& text,
               std::string* out) {
  std::string line = "  " + name;
  if (line.size() + 2 > kTextColumn) {
    *out += line + "\n";
    line.clear();
  }
  line.resize(kTextColumn, ' ');
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  for (const std::string& word : words) {
    const bool is_first = line.size() == kTextColumn;
    if (!is_first && line.size() + 1 + word.size() > kLineWidth) {
      *out += line + "\n";
      line.assign(kTextColumn, ' ');
    }
    if (line.size() > kTextColumn) line += ' ';
    line += word;
  }
  *out += line + "\n";
}

std::string OptionName(const OptionHelp& option) {
  const std::string name = absl::StrJoin(option.names, ", ");
  if (option.value.empty()) return name;
  const bool fits = option.value.size() <= kLongestValue;
  return name + " " + (fits ? option.value : "NAME");
}

class Formatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string,
                        CLI::AppFormatMode) const override {
    const VerbHelp help = Describe(*app);
    std::string out = help.purpose + "\n\nUsage: " + help.synopsis + "\n";
    const std::vector<const CLI::App*> verbs = app->get_subcommands({});
    if (!verbs.empty()) out += "\nVerbs:\n";
    for (const CLI::App* verb : verbs) {
      AppendRow(verb->get_name(), verb->get_description(), &out);
    }
    if (!help.arguments.empty()) out += "\n";
    for (const OptionHelp& argument : help.arguments) {
      AppendRow(argument.names.front(), argument.text, &out);
    }
    out += "\nOptions:\n";
    for (const OptionHelp& option : help.options) {
      AppendRow(OptionName(option), option.text, &out);
    }
    return out + "\n" + help.notes + "\n";
  }
};

// "--name=value" and "--name" are the same name.
std::string UnknownArgument(const CLI::App& verb, const std::string& given) {
  if (!given.starts_with('-') || given == "-") {
    return "unexpected argument \"" + given + "\"";
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  const std::string name = given.substr(0, given.find('='));
  return "unknown option " + name + DidYouMean(name, names);
}

std::string MissingValue(const CLI::App& verb, const std::string& name) {
  const CLI::Option* const option = verb.get_option_no_throw(name);
  const std::string type = option == nullptr ? "" : option->get_type_name();
  if (type == "N") return name + " needs a number";
  return name + " needs a value" + (type.empty() ? "" : ": " + type);
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

void SetHelpFormat(CLI::App* program) {
  program->formatter(std::make_shared<Formatter>());
}

std::string UsageError(const CLI::App& verb, const CLI::ParseError& error) {
  const std::string text = error.what();
  const size_t colon = text.find(": ");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> unknown = verb.remaining(true);
    if (!unknown.empty()) return UnknownArgument(verb, unknown.front());
  } else if (colon == std::string::npos) {
    return text;
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return MissingValue(verb, text.substr(0, colon));
  } else if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    // Our checks continue after the name: "--max-bad must be ...".
    return text.substr(0, colon) + text.substr(colon + 1);
  }
  return text;
}

}  // namespace headrace::cli
