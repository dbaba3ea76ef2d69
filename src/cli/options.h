// The functions with which verbs join the program, and the options that several
// verbs share.

#ifndef HEADRACE_SRC_CLI_OPTIONS_H_
#define HEADRACE_SRC_CLI_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/input_options.h"
#include "src/cli/output/record_output.h"
#include "src/cli/plan_file.h"
#include "src/cli/process/console.h"

// Declared here because including CLI11 adds seconds to the time that a file
// takes to compile.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headrace::cli {

// Errors of several verbs.
inline constexpr char kBothWantOutput[] =
    "--json and -o - both want standard output";
inline constexpr char kNotForTerminal[] =
    "binary data is not for a terminal; give -o a file";

// What the chosen verb does; parsing the command line sets it.
using Action = std::function<ExitCode()>;

// Each adds a verb as a subcommand whose callback sets `action`.
void AddHead(CLI::App* app, Action* action);
void AddCat(CLI::App* app, Action* action);
void AddCount(CLI::App* app, Action* action);
void AddSplit(CLI::App* app, Action* action);
void AddIndex(CLI::App* app, Action* action);
void AddGet(CLI::App* app, Action* action);
void AddSchema(CLI::App* app, Action* action);
void AddValidate(CLI::App* app, Action* action);
void AddConvert(CLI::App* app, Action* action);
void AddPlan(CLI::App* app, Action* action);
void AddBench(CLI::App* app, Action* action);
void AddGen(CLI::App* app, Action* action);
void AddShuffle(CLI::App* app, Action* action);
void AddStats(CLI::App* app, Action* action);
void AddVocabulary(CLI::App* app, Action* action);

// Adds a verb; `notes` are the last part of its help. `chosen` is called if the
// command line has the verb, after its options have been read.
CLI::App* AddVerb(CLI::App* app, const std::string& name,
                  const std::string& purpose, const std::string& notes,
                  std::function<void()> chosen);

// Does the same, and returns the verb with its options, which live as long as
// the verb. The action calls `run` with the options.
template <class Options, class Run>
std::pair<CLI::App*, Options*> AddVerb(CLI::App* app, Action* action,
                                       const std::string& name,
                                       const std::string& purpose,
                                       const std::string& notes, Run run) {
  const auto options = std::make_shared<Options>();
  CLI::App* const verb = AddVerb(app, name, purpose, notes, [=] {
    *action = [=] { return run(*options); };
  });
  return {verb, options.get()};
}

// Reports an error in the command line, and which help to read.
ExitCode ComplainUsage(const std::string& verb, std::string_view text);

// Adds FILE... and --quiet.
void AddFiles(CLI::App* verb, InputOptions* options,
              const std::string& text =
                  "A path, a glob, a shard set (name@16), a folder, also of "
                  "TFDS (folder:train[:10]), or - for standard input");
// Adds the reading options of these names, as the table of options describes
// them.
void AddReading(CLI::App* verb, InputOptions* options,
                std::initializer_list<std::string_view> names);
// Adds the options of all verbs that read records and, if `has_rows`, the
// options of verbs that look into the records.
void AddPolicies(CLI::App* verb, InputOptions* options, bool has_rows);

// Adds --spec and --schema, of which at most one may be given; `what` begins
// the help of both.
void AddPlanFile(CLI::App* verb, PlanFile* file, const std::string& what);
// Adds --tensors, which goes with --schema.
void AddTensors(CLI::App* verb, PlanFile* file);
void AddQuiet(CLI::App* verb, bool* quiet);
void AddJson(CLI::App* verb, bool* json);
// Adds an option that may be repeated, with one value each time.
void AddTexts(CLI::App* verb, const std::string& name,
              std::vector<std::string>* values, const std::string& type,
              const std::string& text);
void AddFlag(CLI::App* verb, const std::string& name, bool* value,
             const std::string& text);
CLI::Option* AddText(CLI::App* verb, const std::string& name,
                     std::string* value, const std::string& type,
                     const std::string& text);
// `parse` stores a value that it accepts; for other values the error says that
// the option accepts `what`.
void AddParsed(CLI::App* verb, const std::string& name, const std::string& type,
               const std::string& what,
               const std::function<bool(const std::string&)>& parse,
               const std::string& text);
void Require(CLI::Option* option);
// The value is a whole number in decimal digits or, unless `word` is empty,
// `word`, which means `meaning`.
void AddNumber(CLI::App* verb, const std::string& name,
               std::function<void(uint64_t)> store, const std::string& text,
               const std::string& word, uint64_t meaning);
// Does the same for a whole number of any type.
template <class T>
void AddCountOption(CLI::App* verb, const std::string& name, T* value,
                    const std::string& text, const std::string& word = "",
                    uint64_t meaning = 0) {
  AddNumber(
      verb, name, [value](uint64_t number) { *value = static_cast<T>(number); },
      text, word, meaning);
}
// The value is a size in bytes, like 64K or 1M, in this range, both ends
// included; for other values the error says that the option accepts `what`.
struct SizeRange {
  uint64_t least = 0;
  uint64_t most = ~uint64_t{0};
};
void AddByteSize(CLI::App* verb, const std::string& name, uint64_t* value,
                 const SizeRange& range, const std::string& what,
                 const std::string& text);
// Adds --compression, with this help, --level and --block-size.
void AddRecordOutput(CLI::App* verb, RecordOutput* output,
                     const std::string& text);
// Adds --threads, for verbs where it has no other meaning.
void AddCompressingThreads(CLI::App* verb, RecordOutput* output);
// The value is a list of names, "a,b,c".
void AddNames(CLI::App* verb, const std::string& name,
              std::vector<std::string>* names, const std::string& text);

// The value is one of `texts`; if the option is given twice, the last counts.
// `choose` gets its index.
CLI::Option* AddChoice(CLI::App* verb, const std::string& name,
                       std::vector<std::string_view> texts,
                       std::function<void(size_t)> choose,
                       const std::string& text);

// Like AddChoice, for values that have these names.
template <class T>
CLI::Option* AddEnum(CLI::App* verb, const std::string& name, T* value,
                     const std::vector<std::pair<std::string_view, T>>& names,
                     const std::string& text) {
  std::vector<std::string_view> texts;
  std::vector<T> meanings;
  for (const auto& [key, meaning] : names) {
    texts.push_back(key);
    meanings.push_back(meaning);
  }
  return AddChoice(
      verb, name, std::move(texts),
      [value, meanings](size_t chosen) { *value = meanings[chosen]; }, text);
}

// Like AddEnum, with the library's names of the enum's values. T is Enum, or an
// optional of it.
template <class Enum, class T>
CLI::Option* AddNamed(CLI::App* verb, const std::string& name, T* value,
                      const std::string& text) {
  std::vector<std::pair<std::string_view, T>> names;
  for (const EnumName<Enum>& known : EnumNames<Enum>()) {
    names.emplace_back(known.name, known.value);
  }
  return AddEnum<T>(verb, name, value, names, text);
}

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OPTIONS_H_
