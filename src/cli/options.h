// The options that verbs share, and how a verb joins the program.

#ifndef HEADRACE_SRC_CLI_OPTIONS_H_
#define HEADRACE_SRC_CLI_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/cli/console.h"
#include "src/cli/plan_file.h"
#include "src/cli/record_input.h"

namespace headrace::cli {

// What the chosen verb does; set while the command line is parsed.
using Action = std::function<ExitCode()>;

// One verb each: adds a subcommand whose callback sets `action`.
void AddHead(CLI::App* app, Action* action);
void AddCat(CLI::App* app, Action* action);
void AddCount(CLI::App* app, Action* action);
void AddSchema(CLI::App* app, Action* action);
void AddValidate(CLI::App* app, Action* action);
void AddConvert(CLI::App* app, Action* action);
void AddPlan(CLI::App* app, Action* action);
void AddBench(CLI::App* app, Action* action);
void AddGen(CLI::App* app, Action* action);

// FILE..., --compression and --quiet.
void AddFiles(CLI::App* verb, InputOptions* options);
void AddMessage(CLI::App* verb, InputOptions* options);
void AddThreads(CLI::App* verb, InputOptions* options);
// --on-corrupt, --max-bad, --no-payload-crc, and --on-row-error where the verb
// looks into records.
void AddPolicies(CLI::App* verb, InputOptions* options, bool has_rows);

// --spec and --schema, of which at most one may be given; `what` begins the
// help of both.
void AddPlanFile(CLI::App* verb, PlanFile* file, const std::string& what);
// --tensors, which goes with --schema.
void AddTensors(CLI::App* verb, PlanFile* file);
void AddQuiet(CLI::App* verb, bool* quiet);
void AddJson(CLI::App* verb, bool* json);
// A whole number in decimal digits, or `word`, where it is not empty, which
// stands for `meaning`.
CLI::Option* AddCountOption(CLI::App* verb, const std::string& name,
                            uint64_t* value, const std::string& text,
                            const std::string& word = "", uint64_t meaning = 0);
// Accepts only these texts, the last where the option is given twice.
CLI::Option* LimitTo(CLI::Option* option, std::vector<std::string> texts);
CLI::Option* AddCompression(CLI::App* verb, Compression* compression,
                            const std::string& text);
// "a,b,c".
CLI::Option* AddNames(CLI::App* verb, const std::string& name,
                      std::vector<std::string>* names, const std::string& text);

// A choice whose names stand for values.
template <class T>
CLI::Option* AddEnum(CLI::App* verb, const std::string& name, T* value,
                     std::vector<std::pair<std::string, T>> names,
                     const std::string& text) {
  std::vector<std::string> texts;
  for (const auto& [key, unused] : names) texts.push_back(key);
  CLI::Option* const option = verb->add_option_function<std::string>(
      name,
      [value, names](const std::string& chosen) {
        for (const auto& [key, meaning] : names) {
          if (key == chosen) *value = meaning;
        }
      },
      text);
  return LimitTo(option, std::move(texts));
}

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OPTIONS_H_
