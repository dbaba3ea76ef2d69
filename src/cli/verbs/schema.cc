// headrace schema: shows which features the records have.

#include <algorithm>
#include <optional>
#include <span>

#include "headrace/stats.h"
#include "headrace/stats_report.h"
#include "src/base/leaves.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/progress.h"
#include "src/cli/record_input.h"
#include "src/cli/text/display_text.h"
#include "src/cli/verbs/schema_text.h"
#include "src/decode/census/block_census.h"
#include "src/plan/infer/census.h"
#include "src/plan/infer/grouping.h"
#include "src/plan/infer/infer.h"

namespace headrace::cli {
namespace {

constexpr char kSchemaNotes[] =
    R"(A feature with two kinds is a finding: exit 1, with the two records.

Example:
  headrace schema --sample 10000 --format spec 'train-*.tfrecord'
  headrace schema --format spec --matrix 'I*' --jagged 'C*' train.tfrecord)";

constexpr size_t kListedConflicts = 20;

enum class SchemaFormat : uint8_t { kTable, kSpec, kPbtxt, kArrow, kTf };

struct SchemaOptions {
  InputOptions input;
  uint64_t sample = 0;
  SchemaFormat format = SchemaFormat::kTable;
  infer::GroupGlobs groups;
  bool domains = false;
  bool json = false;
};

// Specs and schemas made from the data must give every feature a type.
bool LeavesOutUntyped(SchemaFormat format) {
  return format == SchemaFormat::kSpec || format == SchemaFormat::kPbtxt ||
         format == SchemaFormat::kTf;
}

bool IsUnfitForPbtxt(MessageType message, SchemaFormat format) {
  return message == MessageType::kElwc && format == SchemaFormat::kPbtxt;
}

constexpr char kNoListsInPbtxt[] =
    "a Schema of TensorFlow Metadata has no lists of Examples";

// Maps numbers over the records of all files to files and numbers in them.
class RecordNumbers {
 public:
  uint64_t Add(size_t file, uint64_t record) {
    if (starts_.empty() || starts_.back().file != file) {
      starts_.push_back({next_, file});
    }
    const uint64_t number = starts_.back().first + record;
    next_ = number + 1;
    return number;
  }
  RecordPlace Find(uint64_t number,
                   const std::vector<std::string>& files) const {
    const auto after = std::upper_bound(
        starts_.begin(), starts_.end(), number,
        [](uint64_t n, const Start& start) { return n < start.first; });
    const Start& start = *(after - 1);
    return {files[start.file], number - start.first};
  }

 private:
  struct Start {
    uint64_t first;
    size_t file;
  };
  std::vector<Start> starts_;
  uint64_t next_ = 0;
};

class SchemaVerb {
 public:
  SchemaVerb(const SchemaOptions& options, RecordInput input)
      : options_(options),
        console_(options.input.console()),
        input_(std::move(input)),
        counter_(input_.DecideMessage(console_), /*padded_input=*/true) {
    if constexpr (kHasStats) {
      const bool is_list = input_.message() == MessageType::kElwc;
      if (options_.domains || (!options_.groups.jagged.empty() && !is_list)) {
        CountValues();
      }
    }
  }

  ExitCode Run();

 private:
  void CountValues();
  Status CountRecords();
  Status CountBlock(const InputBlock& block);
  void NoteUntyped() const;
  void NoteTensors() const;
  const FeatureCensus& census() const { return counter_.census(); }
  bool is_table() const {
    return options_.format == SchemaFormat::kTable && !options_.json;
  }
  Result<FeatureSpec> Spec() const;
  Result<std::string> Text() const;
  std::string Place(Kind kind, uint64_t number) const;
  void ListConflicts() const;

  SchemaOptions options_;
  Console console_;
  RecordInput input_;
  BlockCensus counter_;
  // For --domains and --jagged, else empty. Values are counted in records of
  // one file, whose payloads have padding; malformed ones are left out.
  std::function<Status(std::string_view, std::span<const NumberedRecord>)>
      count_values_;
  std::function<StatsSummary()> summarize_;
  RecordNumbers numbers_;
  std::vector<NumberedRecord> numbered_;
};

// A build without statistics does not call this.
void SchemaVerb::CountValues() {
  const auto stats = std::make_shared<FeatureStats>(
      StatsOptions{.message = input_.message()}, /*padded_input=*/true);
  count_values_ = [stats](std::string_view file,
                          std::span<const NumberedRecord> records) {
    return stats->AddRecords(file, records,
                             [](size_t, const Status&) { return Status(); });
  };
  summarize_ = [stats] { return stats->Summary(); };
}

Status SchemaVerb::CountRecords() {
  Progress progress("schema", console_);
  uint64_t left = options_.sample == 0 ? kUnknown : options_.sample;
  while (left > 0) {
    Result<InputBlock> block = input_.NextBlock();
    if (!block.ok()) return block.status();
    if (block->records.empty()) break;
    progress.Update(input_.stored_position(), input_.stored_size());
    block->records = block->records.first(
        static_cast<size_t>(std::min<uint64_t>(left, block->records.size())));
    left -= block->records.size();
    if (Status status = CountBlock(*block); !status.ok()) return status;
  }
  return Status();
}

Status SchemaVerb::CountBlock(const InputBlock& block) {
  numbered_.clear();
  for (const Record& record : block.records) {
    numbered_.push_back(
        {record.payload, numbers_.Add(block.file, record.number)});
  }
  size_t used = block.records.size();
  const Status status =
      counter_.Add(numbered_, [&](size_t i, const Status& refused) -> Status {
        // This verb looks for features of another kind, so it lists them.
        if (refused.code() == ErrorCode::kWrongKind) return Status();
        const Record& record = block.records[i];
        Status skipped = input_.SkipRow(
            WithPlace(refused, input_.files()[block.file], record));
        if (!skipped.ok()) used = i + 1;
        return skipped;
      });
  for (const Record& record : block.records.first(used)) input_.Count(record);
  if (!status.ok() || !count_values_) return status;
  // Malformed records were dealt with above.
  return count_values_(input_.files()[block.file],
                       std::span<const NumberedRecord>(numbered_).first(used));
}

Result<FeatureSpec> SchemaVerb::Spec() const {
  infer::NumDistinct num_distinct;
  if constexpr (kHasStats) {
    if (summarize_) {
      num_distinct = [summary = summarize_()](
                         std::string_view name,
                         bool in_sequence) -> std::optional<uint64_t> {
        const FeatureSummary* const feature = summary.Find(name, in_sequence);
        if (feature == nullptr || !feature->bytes) return std::nullopt;
        return feature->bytes->distinct;
      };
    }
  }
  return infer::InferSpec(census(), options_.groups, num_distinct);
}

Result<std::string> SchemaVerb::Text() const {
  switch (options_.format) {
    case SchemaFormat::kSpec: {
      HEADRACE_ASSIGN_OR_RETURN(const FeatureSpec spec, Spec());
      return spec.ToJson();
    }
    case SchemaFormat::kPbtxt:
      if constexpr (kHasStats) {
        if (options_.domains) {
          return InferSchema(summarize_(), {.domains = true}).ToText();
        }
      }
      return infer::InferSchema(census()).ToText();
    case SchemaFormat::kTf:
      return TfSource(infer::InferSpec(census()));
    case SchemaFormat::kArrow:
      return CensusArrow(census());
    case SchemaFormat::kTable:
      break;
  }
  if (options_.json) {
    return CensusJson(census(), input_.message(), [this](uint64_t number) {
      return numbers_.Find(number, input_.files());
    });
  }
  return CensusTable(census(), TerminalWidth(), UseColor());
}

std::string SchemaVerb::Place(Kind kind, uint64_t number) const {
  const RecordPlace place = numbers_.Find(number, input_.files());
  return std::string(KindName(kind)) + " in " + place.file + " record " +
         std::to_string(place.record);
}

void SchemaVerb::ListConflicts() const {
  size_t listed = 0;
  for (const KindConflict& c : census().conflicts()) {
    if (listed++ == kListedConflicts) break;
    Complain("feature \"" + c.feature +
             "\" has two kinds: " + Place(c.first, c.first_record) + ", " +
             Place(c.second, c.second_record));
  }
  if (census().num_conflicts() > kListedConflicts) {
    Complain(
        "... and " +
        Counted(census().num_conflicts() - kListedConflicts, "more record") +
        " of another kind");
  }
}

void SchemaVerb::NoteUntyped() const {
  if (!LeavesOutUntyped(options_.format) || options_.json) return;
  for (const std::string& name : UntypedFeatures(census())) {
    console_.Note(
        options_.format == SchemaFormat::kPbtxt
            ? "feature \"" + name + "\" never has a kind: BYTES is a guess"
            : "left out feature \"" + name + "\": it never has a kind");
  }
}

// A spec says what the records hold, so it reads tensors as bytes. Only the
// first value is known, and the others may have other shapes.
void SchemaVerb::NoteTensors() const {
  if (options_.format != SchemaFormat::kSpec) return;
  for (const auto& [name, count] : census().features()) {
    if (count.tensor.empty()) continue;
    console_.Note("feature \"" + name + "\" holds TensorProtos, the first of " +
                  count.tensor +
                  ": \"encoding\": \"tensor_proto\" with \"as\" reads them");
  }
}

ExitCode SchemaVerb::Run() {
  if (IsUnfitForPbtxt(input_.message(), options_.format)) {
    return ComplainUsage(kNoListsInPbtxt);
  }
  const Status status = CountRecords();
  NoteUntyped();
  NoteTensors();
  // Features found before an error are worth knowing.
  const Result<std::string> text = Text();
  const ExitCode printed = !text        ? Complain(text.status())
                           : is_table() ? Print(*text)
                                        : PrintLines(*text);
  if (StandardOutputIsGone()) return kExitOk;
  ListLosses(input_.report(), console_);
  ListConflicts();
  if (!status.ok()) return ComplainAboutInput(status, input_);
  if (printed != kExitOk) return printed;
  return census().num_conflicts() > 0 ? kExitData : kExitOk;
}

// Returns the folder's own description; empty for formats that need the
// records.
Result<std::optional<std::string>> FolderText(const SchemaOptions& options) {
  const tfds::Info& info = *options.input.dataset;
  if (options.format == SchemaFormat::kSpec) {
    const Result<tfds::Columns> columns = tfds::Choose(info);
    if (!columns) return columns.status();
    return std::optional(columns->spec.ToJson());
  }
  if (options.format != SchemaFormat::kTable) {
    return std::optional<std::string>();
  }
  if (options.json) return std::optional(ToJson(info));
  std::string text = Printable(info.name);
  for (const std::string& part : {info.config, info.version}) {
    if (!part.empty()) text += " " + Printable(part);
  }
  text += "\n\n";
  Table table({"split", ">records", ">files", ">bytes"});
  for (const tfds::Split& split : info.splits) {
    table.AddRow({Printable(split.name), Grouped(split.num_examples),
                  Grouped(split.files.size()), ByteSize(split.num_bytes)});
  }
  if (!info.splits.empty()) {
    text += table.ToString(TerminalWidth(), UseColor()) + "\n";
  }
  return std::optional(text + ToTree(info.features));
}

ExitCode RunSchema(SchemaOptions options) {
  if (options.input.message == MessageType::kRaw) {
    return ComplainUsage(kNoFeaturesInRaw);
  }
  if (IsUnfitForPbtxt(options.input.message, options.format)) {
    return ComplainUsage(kNoListsInPbtxt);
  }
  if (options.json && options.format != SchemaFormat::kTable &&
      options.format != SchemaFormat::kSpec) {
    return ComplainUsage("--json goes with --format table and spec only");
  }
  if (!options.groups.empty() && options.format == SchemaFormat::kTf) {
    return ComplainUsage(
        "tf.io has no groups of features; --matrix and --jagged go with "
        "--format spec only");
  }
  if (!options.groups.empty() && options.format != SchemaFormat::kSpec) {
    return ComplainUsage("--matrix and --jagged go with --format spec only");
  }
  if (options.domains && !kHasStats) return ComplainUsage(kStatsLeftOut);
  if (options.domains && options.format != SchemaFormat::kPbtxt) {
    return ComplainUsage("--domains goes with --format pbtxt only");
  }
  if (const Status status = FindFolders(&options.input); !status.ok()) {
    return Complain(status);
  }
  if constexpr (kHasTfds) {
    if (options.input.dataset && options.sample == 0 &&
        options.groups.empty()) {
      const auto text = FolderText(options);
      if (!text.ok()) return Complain(text.status());
      if (text) return PrintLines(*text);
    }
  }
  Result<RecordInput> input = RecordInput::Open(options.input);
  if (!input) return Complain(input.status());
  return SchemaVerb(options, *std::move(input)).Run();
}

}  // namespace

void AddSchema(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<SchemaOptions>(
      app, action, "schema", "Say which features the records have",
      kSchemaNotes, RunSchema);
  AddFiles(verb, &options->input);
  AddCountOption(verb, "--sample", &options->sample,
                 "Look at the first N records only (default 0: all)");
  AddEnum<SchemaFormat>(verb, "--format", &options->format,
                        {{"table", SchemaFormat::kTable},
                         {"spec", SchemaFormat::kSpec},
                         {"pbtxt", SchemaFormat::kPbtxt},
                         {"arrow", SchemaFormat::kArrow},
                         {"tf", SchemaFormat::kTf}},
                        "table (default), a feature spec as JSON, a Schema of "
                        "TensorFlow Metadata, the Arrow schema as text, or "
                        "Python source for tf.io");
  AddTexts(verb, "--matrix", &options->groups.matrices, "[NAME=]GLOB",
           "With spec: make one matrix, called NAME (default dense), of the "
           "features of numbers whose names match; may be repeated");
  AddTexts(verb, "--jagged", &options->groups.jagged, "[NAME=]GLOB",
           "With spec: make one jagged group, called NAME (default ids), of "
           "the features whose names match; may be repeated");
  AddFlag(verb, "--domains", &options->domains,
          "With pbtxt: also the ranges of numbers and the values of features "
          "with few of them, for headrace stats --schema");
  AddJson(verb, &options->json);
  AddReading(verb, &options->input, {"message", "compression"});
  AddPolicies(verb, &options->input, /*has_rows=*/true);
}

}  // namespace headrace::cli
