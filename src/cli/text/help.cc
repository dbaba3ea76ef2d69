#include "src/cli/text/help.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::cli {
namespace {

constexpr size_t kTextColumn = 26;
constexpr size_t kLineWidth = 80;

// The row is "  name          text", the text wrapped in its column.
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

std::string OptionName(const CLI::Option& option) {
  std::string name = option.get_name(false, true);
  for (size_t at = name.find(','); at != std::string::npos;
       at = name.find(',', at + 2)) {
    name.replace(at, 1, ", ");
  }
  const std::string type = option.get_type_name();
  if (option.get_expected_max() > 0 && !type.empty()) name += " " + type;
  return name;
}

void AppendOptions(const CLI::App& app, std::string* out) {
  std::string files, rows;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      AppendRow(option->get_name(true, false), option->get_description(),
                &files);
    } else {
      AppendRow(OptionName(*option), option->get_description(), &rows);
    }
  }
  if (!files.empty()) *out += "\n" + files;
  *out += "\nOptions:\n" + rows;
}

std::string Usage(const CLI::App& app) {
  std::string usage;
  if (app.get_parent() == nullptr)
    return "Usage: headrace VERB [options] ...\n";
  usage = "Usage: headrace " + app.get_name() + " [options]";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    usage += " " + option->get_name(true, false);
    if (option->get_expected_max() > 1) usage += "...";
  }
  return usage + "\n";
}

class Formatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string,
                        CLI::AppFormatMode) const override {
    std::string out = app->get_description() + "\n\n" + Usage(*app);
    const std::vector<const CLI::App*> verbs = app->get_subcommands({});
    if (!verbs.empty()) out += "\nVerbs:\n";
    for (const CLI::App* verb : verbs) {
      AppendRow(verb->get_name(), verb->get_description(), &out);
    }
    AppendOptions(*app, &out);
    return out + "\n" + app->get_footer() + "\n";
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> HelpFormatter() {
  return std::make_shared<Formatter>();
}

}  // namespace headrace::cli
