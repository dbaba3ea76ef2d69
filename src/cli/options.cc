#include "src/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <concepts>
#include <type_traits>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "src/base/text/near_miss.h"
#include "src/cli/text/argument.h"
#include "src/read/reader/option_table.h"

namespace headrace::cli {
namespace {

// Adds an option that names a file other than standard input.
CLI::Option* AddFile(CLI::App* verb, const std::string& name, std::string* path,
                     const std::string& type, const std::string& text) {
  CLI::Option* const option = AddText(verb, name, path, type, text);
  option->check(
      [](const std::string& given) {
        return given.empty() || given == "-"
                   ? "needs the name of a file, got \"" + given + "\""
                   : std::string();
      },
      "");
  return option;
}

std::string FlagOf(const OptionRow& row) {
  if (!row.flag.empty()) return std::string(row.flag);
  std::string flag = "--" + std::string(row.name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

bool ParseRange(const std::string& given, ByteRange* range) {
  const size_t colon = given.find(':');
  if (colon == std::string::npos) return false;
  const std::string end = given.substr(colon + 1);
  *range = {};
  return ParseNumber(given.substr(0, colon), &range->begin) &&
         (end.empty() || ParseNumber(end, &range->end)) &&
         range->begin <= range->end;
}

void AddRow(CLI::App* verb, const OptionRow& row, bool* out) {
  const std::string flag = FlagOf(row);
  const std::string help(row.help);
  if (!flag.starts_with("--no-")) return AddFlag(verb, flag, out, help);
  verb->add_flag_callback(
      flag, [out] { *out = false; }, help);
}

template <std::unsigned_integral Number>
void AddRow(CLI::App* verb, const OptionRow& row, Number* out) {
  AddCountOption(verb, FlagOf(row), out, std::string(row.help));
}

void AddRow(CLI::App* verb, const OptionRow& row, ByteRange* out) {
  AddParsed(
      verb, FlagOf(row), "BEGIN:END",
      "byte offsets in the uncompressed file, such as 0:1000, or 1000: for all "
      "bytes from the offset on",
      [out](const std::string& given) { return ParseRange(given, out); },
      std::string(row.help));
}

template <class Enum>
requires std::is_enum_v<Enum>
void AddRow(CLI::App* verb, const OptionRow& row, Enum* out) {
  AddNamed<Enum>(verb, FlagOf(row), out, std::string(row.help));
}

void AddRow(CLI::App* verb, const OptionRow& row, IndexChoice out) {
  AddEnum<IndexUse>(verb, FlagOf(row), out.use,
                    {{"auto", IndexUse::kAuto},
                     {"required", IndexUse::kRequired},
                     {"none", IndexUse::kNone}},
                    std::string(row.help));
}

// Adds an option for each row of the table for which `is_wanted` is true.
template <class Wanted>
void AddRowsOf(CLI::App* verb, InputOptions* options, const Wanted& is_wanted) {
  VisitOptions(options, [&](const OptionRow& row, auto out) {
    if constexpr (requires { AddRow(verb, row, out); }) {
      if (!row.help.empty() && is_wanted(row)) AddRow(verb, row, out);
    }
  });
}

bool ParseLevel(const std::string& given, std::optional<int>* level) {
  uint64_t number = 0;
  constexpr uint64_t kMax = 1000;
  if (!ParseNumber(given, &number) || number > kMax) return false;
  *level = static_cast<int>(number);
  return true;
}

}  // namespace

CLI::App* AddVerb(CLI::App* app, const std::string& name,
                  const std::string& purpose, const std::string& notes,
                  std::function<void()> chosen) {
  CLI::App* const verb = app->add_subcommand(name, purpose);
  verb->footer(notes);
  verb->callback(std::move(chosen));
  return verb;
}

ExitCode ComplainUsage(const std::string& verb, std::string_view text) {
  Complain(text);
  Complain("try headrace " + (verb.empty() ? "" : verb + " ") + "--help");
  return kExitUsage;
}

void AddFlag(CLI::App* verb, const std::string& name, bool* value,
             const std::string& text) {
  verb->add_flag(name, *value, text);
}

CLI::Option* AddText(CLI::App* verb, const std::string& name,
                     std::string* value, const std::string& type,
                     const std::string& text) {
  return verb->add_option(name, *value, text)->type_name(type)->take_last();
}

void AddTexts(CLI::App* verb, const std::string& name,
              std::vector<std::string>* values, const std::string& type,
              const std::string& text) {
  verb->add_option(name, *values, text)
      ->type_name(type)
      ->allow_extra_args(false);
}

void Require(CLI::Option* option) { option->required(); }

CLI::Option* AddChoice(CLI::App* verb, const std::string& name,
                       std::vector<std::string_view> texts,
                       std::function<void(size_t)> choose,
                       const std::string& text) {
  const auto find = [texts](const std::string& chosen) {
    return static_cast<size_t>(std::ranges::find(texts, chosen) -
                               texts.begin());
  };
  CLI::Option* const option = verb->add_option_function<std::string>(
      name, [find, choose](const std::string& chosen) { choose(find(chosen)); },
      text);
  option->type_name(absl::StrJoin(
      texts, "|",
      [](std::string* out, std::string_view value) { out->append(value); }));
  option->check(
      [find, texts](const std::string& given) {
        return find(given) < texts.size()
                   ? std::string()
                   : "is \"" + given + "\"" +
                         Suggestion(given, "its values", texts);
      },
      "");
  option->take_last();
  return option;
}

void AddParsed(CLI::App* verb, const std::string& name, const std::string& type,
               const std::string& what,
               const std::function<bool(const std::string&)>& parse,
               const std::string& text) {
  CLI::Option* const option = verb->add_option_function<std::string>(
      name, [parse](const std::string& given) { parse(given); }, text);
  option->type_name(type);
  option->check(
      [parse, what](const std::string& given) {
        return parse(given) ? std::string()
                            : "is \"" + given + "\"; it takes " + what;
      },
      "");
  option->take_last();
}

void AddNumber(CLI::App* verb, const std::string& name,
               std::function<void(uint64_t)> store, const std::string& text,
               const std::string& word, uint64_t meaning) {
  const auto parse = [=](const std::string& given) {
    uint64_t number = meaning;
    const bool is_word = !word.empty() && given == word;
    if (!is_word && !ParseNumber(given, &number)) return false;
    store(number);
    return true;
  };
  AddParsed(verb, name, word.empty() ? "N" : "N|" + word,
            "a whole number from 0 to " + std::to_string(~uint64_t{0}) +
                (word.empty() ? "" : ", or \"" + word + "\""),
            parse, text);
}

void AddNames(CLI::App* verb, const std::string& name,
              std::vector<std::string>* names, const std::string& text) {
  CLI::Option* const option = verb->add_option_function<std::string>(
      name,
      [names](const std::string& list) {
        *names = absl::StrSplit(list, ',', absl::SkipEmpty());
      },
      text);
  option->type_name("A,B,...");
  option->take_last();
}

void AddByteSize(CLI::App* verb, const std::string& name, uint64_t* value,
                 const SizeRange& range, const std::string& what,
                 const std::string& text) {
  const auto parse = [=](const std::string& given) {
    const std::optional<uint64_t> size = ParseByteSize(given);
    if (!size || *size < range.least || *size > range.most) return false;
    *value = *size;
    return true;
  };
  AddParsed(verb, name, "SIZE", what, parse, text);
}

void AddRecordOutput(CLI::App* verb, RecordOutput* output,
                     const std::string& text) {
  AddNamed<Compression>(verb, "--compression", &output->compression, text);
  AddParsed(
      verb, "--level", "N", "a level: gzip and zlib have 1 to 9, zstd 1 to 22",
      [output](const std::string& given) {
        return ParseLevel(given, &output->level);
      },
      "How hard to compress: gzip and zlib 1 to 9 (default 6), zstd 1 to 22 "
      "(default 3)");
  AddParsed(
      verb, "--block-size", "SIZE", "bytes, like 64K or 1M, from 4K to 1G",
      [output](const std::string& given) {
        output->block_bytes = ParseByteSize(given);
        return output->block_bytes.has_value();
      },
      "For gzip and zstd: uncompressed bytes per block; each block is "
      "compressed by itself, so that readers can begin at it (default 1M)");
}

void AddCompressingThreads(CLI::App* verb, RecordOutput* output) {
  AddCountOption(
      verb, "--threads", &output->threads,
      "Threads that compress gzip and zstd (default 1); 0 is one per "
      "processor");
}

void AddPlanFile(CLI::App* verb, PlanFile* file, const std::string& what) {
  CLI::Option* const spec = AddFile(verb, "--spec", &file->spec, "SPEC",
                                    what + ": a feature spec, a file of JSON");
  CLI::Option* const schema =
      AddFile(verb, "--schema", &file->schema, "SCHEMA",
              what + ": a TensorFlow Metadata Schema, as text or serialized");
  schema->excludes(spec);
  verb->add_flag_callback(
          "--no-vocabulary-files", [file] { file->vocabulary_files = false; },
          "Refuse a spec that names vocabulary files")
      ->needs(spec);
}

void AddTensors(CLI::App* verb, PlanFile* file) {
  verb->add_flag("--tensors", file->tensors,
                 "Use the schema's tensors instead of its columns")
      ->needs("--schema");
}

void AddQuiet(CLI::App* verb, bool* quiet) {
  AddFlag(verb, "--quiet", quiet, "Only errors on standard error");
}

void AddJson(CLI::App* verb, bool* json) {
  AddFlag(verb, "--json", json, "Print the result as JSON");
}

void AddFiles(CLI::App* verb, InputOptions* options, const std::string& text) {
  verb->add_option("FILE", options->patterns, text)->required()->type_name("");
  AddFlag(verb, "--outside-files", &options->outside_files,
          "For TFDS folders: also open files outside the folder, to which "
          "names and links in it lead");
  AddQuiet(verb, &options->quiet);
}

void AddReading(CLI::App* verb, InputOptions* options,
                std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    AddRowsOf(verb, options,
              [name](const OptionRow& row) { return row.name == name; });
  }
}

void AddPolicies(CLI::App* verb, InputOptions* options, bool has_rows) {
  AddRowsOf(verb, options, [has_rows](const OptionRow& row) {
    return row.verbs == OptionVerbs::kReading ||
           (has_rows && row.verbs == OptionVerbs::kRows);
  });
  AddReading(verb, options, {"verify"});
}

}  // namespace headrace::cli
