#include "src/cli/text/help.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/text/verb_help.h"
#include "src/cli/text/words.h"

namespace headrace::cli {
namespace {

constexpr size_t kTextColumn = 26;
constexpr size_t kLineWidth = 80;
constexpr size_t kLongestValue = 60;

// Appends a row "  name          text", with the text wrapped in its column.
void AppendRow(std::string name, std::string_view text, std::string* out) {
  std::string line = "  " + std::move(name);
  if (line.size() + 2 > kTextColumn) {
    *out += line + "\n";
    line.clear();
  }
  line.resize(kTextColumn, ' ');
  bool first_word = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (!first_word && line.size() + 1 + end > kLineWidth) {
      *out += line + "\n";
      line.assign(kTextColumn, ' ');
      first_word = true;
    }
    if (!first_word) line += ' ';
    line += text.substr(0, end);
    first_word = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  *out += line + "\n";
}

std::string OptionName(const OptionHelp& option) {
  const std::string name = Joined(option.names, ", ");
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

}  // namespace

std::shared_ptr<CLI::FormatterBase> HelpFormatter() {
  return std::make_shared<Formatter>();
}

}  // namespace headrace::cli
