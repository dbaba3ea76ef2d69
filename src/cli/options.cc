#include "src/cli/options.h"

#include <algorithm>
#include <charconv>

namespace headrace::cli {
namespace {

std::string Joined(const std::vector<std::string>& texts,
                   std::string_view separator) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += separator;
    joined += text;
  }
  return joined;
}

// CLI11's own numbers take "010" for 8 and "0x10" for 16.
bool ParseNumber(const std::string& text, uint64_t* value) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, *value);
  return error == std::errc() && end == last;
}

// The name of a file, which is not standard input.
CLI::Option* AddFile(CLI::App* verb, const std::string& name, std::string* path,
                     const std::string& text) {
  CLI::Option* const option = verb->add_option(name, *path, text);
  option->check(
      [name](const std::string& given) {
        return given.empty() || given == "-"
                   ? "\"" + given + "\" names no file, which " + name + " needs"
                   : std::string();
      },
      "");
  option->take_last();
  return option;
}

}  // namespace

CLI::Option* LimitTo(CLI::Option* option, std::vector<std::string> texts) {
  option->type_name(Joined(texts, "|"));
  option->check(
      [texts](const std::string& text) {
        if (std::find(texts.begin(), texts.end(), text) != texts.end()) {
          return std::string();
        }
        return "\"" + text + "\" is none of " + Joined(texts, ", ");
      },
      "");
  option->take_last();
  return option;
}

CLI::Option* AddCountOption(CLI::App* verb, const std::string& name,
                            uint64_t* value, const std::string& text,
                            const std::string& word, uint64_t meaning) {
  CLI::Option* const option = verb->add_option_function<std::string>(
      name,
      [value, word, meaning](const std::string& number) {
        if (number == word) {
          *value = meaning;
        } else {
          ParseNumber(number, value);
        }
      },
      text);
  option->type_name(word.empty() ? "N" : "N|" + word);
  option->check(
      [word](const std::string& number) {
        uint64_t parsed = 0;
        const bool good =
            (!word.empty() && number == word) || ParseNumber(number, &parsed);
        return good ? std::string() : "\"" + number + "\" is no whole number";
      },
      "");
  option->take_last();
  return option;
}

CLI::Option* AddNames(CLI::App* verb, const std::string& name,
                      std::vector<std::string>* names,
                      const std::string& text) {
  CLI::Option* const option = verb->add_option_function<std::string>(
      name,
      [names](const std::string& list) {
        names->clear();
        for (size_t at = 0; at <= list.size();) {
          const size_t comma = std::min(list.find(',', at), list.size());
          if (comma > at) names->push_back(list.substr(at, comma - at));
          at = comma + 1;
        }
      },
      text);
  option->type_name("A,B,...");
  option->take_last();
  return option;
}

CLI::Option* AddCompression(CLI::App* verb, Compression* compression,
                            const std::string& text) {
  return AddEnum<Compression>(verb, "--compression", compression,
                              {{"auto", Compression::kAuto},
                               {"none", Compression::kNone},
                               {"gzip", Compression::kGzip},
                               {"zlib", Compression::kZlib},
                               {"snappy", Compression::kSnappy},
                               {"zstd", Compression::kZstd}},
                              text);
}

void AddPlanFile(CLI::App* verb, PlanFile* file, const std::string& what) {
  CLI::Option* const spec = AddFile(verb, "--spec", &file->spec,
                                    what + ": a feature spec, a file of JSON");
  spec->type_name("SPEC");
  CLI::Option* const schema =
      AddFile(verb, "--schema", &file->schema,
              what + ": a TensorFlow Metadata Schema, as text or serialized");
  schema->type_name("SCHEMA");
  schema->excludes(spec);
}

void AddTensors(CLI::App* verb, PlanFile* file) {
  verb->add_flag("--tensors", file->tensors,
                 "Of the schema, its tensors instead of its columns")
      ->needs("--schema");
}

void AddQuiet(CLI::App* verb, bool* quiet) {
  verb->add_flag("--quiet", *quiet, "Only errors on standard error");
}

void AddJson(CLI::App* verb, bool* json) {
  verb->add_flag("--json", *json, "Print the result as JSON");
}

void AddFiles(CLI::App* verb, InputOptions* options) {
  verb->add_option("FILE", options->patterns,
                   "A path, a glob, a shard set (name@16), or - for standard "
                   "input")
      ->required()
      ->type_name("");
  AddQuiet(verb, &options->quiet);
}

void AddMessage(CLI::App* verb, InputOptions* options) {
  AddEnum<MessageType>(verb, "--message", &options->message,
                       {{"example", MessageType::kExample},
                        {"sequence", MessageType::kSequence},
                        {"raw", MessageType::kRaw},
                        {"auto", MessageType::kAuto}},
                       "What the records are; auto (default) looks at the "
                       "first and says what it chose");
}

void AddThreads(CLI::App* verb, InputOptions* options) {
  AddCountOption(verb, "--threads", &options->threads,
                 "Threads that decode (default 1); 0 is one a processor");
}

void AddPolicies(CLI::App* verb, InputOptions* options, bool has_rows) {
  AddEnum<OnCorrupt>(verb, "--on-corrupt", &options->on_corrupt,
                     {{"fail", OnCorrupt::kFail},
                      {"skip", OnCorrupt::kSkip},
                      {"rescan", OnCorrupt::kRescan}},
                     "What to do about damaged bytes (default fail)");
  if (has_rows) {
    AddEnum<OnRowError>(
        verb, "--on-row-error", &options->on_row_error,
        {{"fail", OnRowError::kFail}, {"skip", OnRowError::kSkip}},
        "What to do about an intact record that does not fit (default fail)");
  }
  AddCountOption(verb, "--max-bad", &options->max_bad,
                 "Skipped regions and rows allowed (default unlimited)");
  verb->add_flag("--no-payload-crc", options->no_payload_crc,
                 "Do not check payload CRCs; header CRCs always are");
}

}  // namespace headrace::cli
