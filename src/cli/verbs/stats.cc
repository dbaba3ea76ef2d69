// headrace stats: shows what the features of a dataset hold.

#include "headrace/stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "headrace/notice.h"
#include "headrace/output_file.h"
#include "headrace/reader.h"
#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "src/base/regular_file.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/process/signals.h"
#include "src/cli/progress.h"
#include "src/cli/text/argument.h"
#include "src/cli/verbs/stats_text.h"
#include "src/read/reader/byte_reader.h"

namespace headrace::cli {
namespace {

// Records per batch for one thread. Their windows stay in cache.
constexpr size_t kBatchRecords = 256;

constexpr char kStatsNotes[] =
    R"(Findings (--schema, --max-distance) make it exit 1.

Example:
  headrace stats --html report.html 'train-*.tfrecord'
  headrace stats --compare 'eval-*.tfrecord' --max-distance 0.1 \
      'train-*.tfrecord')";

enum class StatsFormat : uint8_t { kTable, kJson, kTfdv, kTfdvText, kState };

struct StatsRequest {
  InputOptions input;
  StatsFormat format = StatsFormat::kTable;
  bool json = false;
  std::string output = "-";
  std::string html;
  std::vector<std::string> compare;
  double max_distance = std::numeric_limits<double>::infinity();
  std::string by;
  std::string schema;
  std::string environment;
  uint64_t sample = 0;
  uint64_t max_distinct = 0;  // 0: the default of the format
};

class StatsVerb {
 public:
  StatsVerb(const StatsRequest& request, std::optional<Schema> schema)
      : request_(request),
        console_(request.input.console()),
        schema_(std::move(schema)) {}

  ExitCode Run();

 private:
  // Returns the statistics of files, or those that headrace saved in one file.
  Result<FeatureStats> Find(const std::vector<std::string>& patterns);
  Result<FeatureStats> Count(const std::vector<std::string>& patterns);
  StatsOptions Options() const;
  std::string Text(const FeatureStats& stats) const;
  ExitCode Write(const std::string& path, const std::string& text) const;
  ExitCode WritePage() const;
  void ListFeaturesNotFound() const;
  bool ListAnomalies() const;
  bool ListDifferences() const;
  bool PrintsTable() const { return request_.format == StatsFormat::kTable; }

  StatsRequest request_;
  Console console_;
  std::optional<Schema> schema_;
  ReadReport report_;
  std::shared_ptr<const tfds::Info> dataset_;  // the first of the folders
  StatsSummary summary_;
  std::optional<StatsSummary> other_;
};

StatsOptions StatsVerb::Options() const {
  StatsOptions options = {.message = request_.input.message,
                          .features = request_.input.features,
                          .by = request_.by};
  if (request_.max_distinct > 0) {
    options.max_distinct = static_cast<size_t>(request_.max_distinct);
  } else if (request_.format == StatsFormat::kTfdv ||
             request_.format == StatsFormat::kTfdvText) {
    // TensorFlow Data Validation counts all distinct values.
    options.max_distinct = kMaxDistinct;
  }
  options.pictures = !request_.html.empty();
  if (schema_) options.categorical = CategoricalFeatures(*schema_);
  return options;
}

Result<FeatureStats> StatsVerb::Find(const std::vector<std::string>& patterns) {
  if (patterns.size() != 1 || !IsRegularFile(patterns[0])) {
    return Count(patterns);
  }
  Result<ByteReader> file =
      ByteReader::Open(patterns[0], {.compression = Compression::kNone});
  if (!file) return file.status();
  std::string state;
  auto part = file->Next();
  for (; part; part = file->Next()) {
    if (state.empty() && !FeatureStats::IsSerialized(*part)) {
      return Count(patterns);
    }
    state += *part;
  }
  if (!part.ok()) return part.status();
  if (state.empty()) return Count(patterns);
  Result<FeatureStats> stats = FeatureStats::Parse(state);
  if (!stats) return WithFile(stats.status(), patterns[0]);
  report_.notices = stats->notices();
  return stats;
}

Result<FeatureStats> StatsVerb::Count(
    const std::vector<std::string>& patterns) {
  InputOptions input = request_.input;
  input.patterns = patterns;
  Status found = FindFolders(&input);
  if (found.ok()) found = CheckHasFiles(input);
  if (found.ok()) found = ReplaceByKeys(&input);
  if (!found.ok()) return found;
  StatsOptions stats_options = Options();
  stats_options.features = input.features;
  if (!dataset_) dataset_ = input.dataset;
  const Result<std::vector<std::string>> files = FindInputs(input);
  if (!files) return files.status();
  ReadOptions read = input;
  read.features.clear();
  read.message = MessageType::kRaw;
  read.batch_size = kBatchRecords;
  // The counting uses the threads, so one thread reads.
  read.threads = 1;
  Progress progress("stats", console_);
  Result<Reader> reader = Status(ErrorCode::kInvalidArgument, "not opened yet");
  read.interrupted = [&] {
    if (reader) {
      progress.Update(reader->stored_position(), reader->stored_size());
    }
    return false;
  };
  reader = Reader::Open(*files, read);
  if (!reader) return reader.status();
  CountOptions options = {.stats = stats_options,
                          .threads = static_cast<size_t>(input.threads),
                          .on_row_error = input.on_row_error};
  if (request_.sample > 0) options.sample = request_.sample;
  std::vector<Notice> notices;
  options.notices = &notices;
  ReadReport rows;
  options.skipped = [&](const Status& error) {
    return SkipRow(input, error, &rows);
  };
  Result<FeatureStats> stats = CountRecords(&*reader, options);
  progress.Clear();
  report_ = reader->report();
  AddRows(rows, &report_);
  report_.notices = std::move(notices);
  return stats;
}

std::string StatsVerb::Text(const FeatureStats& stats) const {
  switch (request_.format) {
    case StatsFormat::kJson:
      return StatsJson(summary_);
    case StatsFormat::kTfdv:
      return StatsTfdv(summary_);
    case StatsFormat::kTfdvText:
      return StatsTfdvText(summary_);
    case StatsFormat::kState:
      return stats.Serialize();
    case StatsFormat::kTable:
      break;
  }
  const size_t width = TerminalWidth();
  const bool color = UseColor() && IsTerminal(request_.output);
  std::string text = StatsTable(summary_, dataset_.get(), width, color);
  if (!summary_.by.empty()) text += ClassTable(summary_, width, color);
  return text;
}

ExitCode StatsVerb::Write(const std::string& path,
                          const std::string& text) const {
  Result<OutputFile> out = OpenOutput(path);
  if (!out) return Complain(out.status());
  Status status = out->Write(text);
  if (status.ok()) status = out->Close();
  if (!status.ok() && path == "-") return ExitCodeOfOutput(status);
  return status.ok() ? kExitOk : Complain(status);
}

ExitCode StatsVerb::WritePage() const {
  PageOptions options;
  if (other_) options.other_name = request_.compare[0];
  const ExitCode written = Write(
      request_.html, StatsPage(summary_, options, other_ ? &*other_ : nullptr));
  if (written == kExitOk) console_.Note("wrote " + request_.html);
  return written;
}

void StatsVerb::ListFeaturesNotFound() const {
  // For a folder, names were already looked up among its features.
  if (dataset_) return;
  std::vector<std::string> names = request_.input.features;
  if (!request_.by.empty()) names.push_back(request_.by);
  for (const std::string& name : names) {
    if (summary_.Find(name) != nullptr ||
        summary_.Find(name, true) != nullptr) {
      continue;
    }
    if (name == request_.by && !request_.input.features.empty()) continue;
    console_.Warn(NoticeText({.kind = NoticeKind::kAbsent, .feature = name}));
  }
}

// Anomalies go to standard error unless the table goes to standard output.
bool StatsVerb::ListAnomalies() const {
  if (!schema_) return false;
  const std::vector<Anomaly> anomalies =
      FindAnomalies(summary_, *schema_, request_.environment,
                    /*previous=*/other_ ? &*other_ : nullptr);
  if (PrintsTable() && request_.output == "-") {
    Print(AnomalyTable(anomalies, TerminalWidth(), UseColor()));
  } else {
    for (const Anomaly& anomaly : anomalies) {
      Complain("feature \"" + anomaly.feature + "\": " + anomaly.type + ": " +
               anomaly.text);
    }
  }
  if (anomalies.empty()) return false;
  Complain("the statistics and the schema disagree: " +
           std::to_string(anomalies.size()) +
           (anomalies.size() == 1 ? " anomaly" : " anomalies"));
  return true;
}

bool StatsVerb::ListDifferences() const {
  if (!other_) return false;
  const std::vector<FeatureDifference> differences =
      CompareStats(summary_, *other_);
  if (PrintsTable() && request_.output == "-") {
    Print(DifferenceTable(differences, TerminalWidth(), UseColor()));
  }
  bool is_beyond = false;
  for (const FeatureDifference& difference : differences) {
    if (difference.distance() <= request_.max_distance) continue;
    is_beyond = true;
    Complain("feature \"" + difference.name + "\" differs by " +
             std::to_string(difference.distance()) + ", which is more than " +
             std::to_string(request_.max_distance));
  }
  return is_beyond;
}

std::string_view DamageHint(const Status& status) {
  return IsDamage(status.code())
             ? "to count the records around damage: --on-corrupt rescan"
             : "";
}

ExitCode StatsVerb::Run() {
  Result<FeatureStats> stats = Find(request_.input.patterns);
  if (!stats) {
    ListLosses(report_, console_);
    return Complain(stats.status(), DamageHint(stats.status()));
  }
  summary_ = stats->Summary();
  ListLosses(std::exchange(report_, ReadReport()), console_);
  ListFeaturesNotFound();
  if (!request_.compare.empty()) {
    Result<FeatureStats> other = Find(request_.compare);
    ListLosses(report_, console_);
    if (!other) return Complain(other.status(), DamageHint(other.status()));
    other_ = other->Summary();
  }
  ExitCode written = Write(request_.output, Text(*stats));
  if (written == kExitOk && !request_.html.empty()) written = WritePage();
  if (written != kExitOk || StandardOutputIsGone()) return written;
  const bool has_anomalies = ListAnomalies();
  const bool differs = ListDifferences();
  return has_anomalies || differs ? kExitData : kExitOk;
}

ExitCode RunStats(StatsRequest request) {
  if (IsListOfExamples(request.input.message)) {
    return ComplainUsage("there are no statistics of lists of Examples");
  }
  if (request.input.message == MessageType::kRaw) {
    return ComplainUsage(kNoFeaturesInRaw);
  }
  if (request.json) {
    if (request.format != StatsFormat::kTable) {
      return ComplainUsage(
          "--json is --format json, and another format was given");
    }
    request.format = StatsFormat::kJson;
  }
  const bool is_binary = request.format == StatsFormat::kTfdv ||
                         request.format == StatsFormat::kState;
  if (is_binary && request.output == "-" && StandardOutputIsTerminal()) {
    return ComplainUsage(
        "this format is not for a terminal: give a file with -o");
  }
  if (std::isfinite(request.max_distance) && request.compare.empty()) {
    return ComplainUsage("--max-distance goes with --compare");
  }
  std::optional<Schema> schema;
  if (!request.schema.empty()) {
    const Result<std::string> text = ReadText(request.schema);
    if (!text) return Complain(text.status());
    Result<Schema> parsed = Schema::Parse(*text);
    if (!parsed) return Complain(WithFile(parsed.status(), request.schema));
    schema = *std::move(parsed);
  }
  if (!request.environment.empty()) {
    const std::vector<std::string> known =
        schema ? schema->default_environments : std::vector<std::string>();
    if (std::ranges::find(known, request.environment) == known.end()) {
      return ComplainUsage("--environment \"" + request.environment +
                           "\" is not a default_environment of the schema");
    }
  }
  return StatsVerb(request, std::move(schema)).Run();
}

}  // namespace

void AddStats(CLI::App* app, Action* action) {
  const auto [verb, request] = AddVerb<StatsRequest>(
      app, action, "stats",
      "Say what the features hold: ranges, frequent values, distributions",
      kStatsNotes, RunStats);
  AddFiles(verb, &request->input);
  AddText(verb, "-o,--output", &request->output, "OUT",
          "The file to write the statistics to (default: standard output)");
  AddEnum<StatsFormat>(verb, "--format", &request->format,
                       {{"table", StatsFormat::kTable},
                        {"json", StatsFormat::kJson},
                        {"tfdv", StatsFormat::kTfdv},
                        {"tfdv-text", StatsFormat::kTfdvText},
                        {"state", StatsFormat::kState}},
                       "table (default), json, the statistics of TensorFlow "
                       "Data Validation, these as text, or a state that "
                       "--compare and headrace stats read again");
  AddJson(verb, &request->json);
  AddText(verb, "--html", &request->html, "PAGE",
          "Also write a page to look at, a self-contained file");
  AddNames(verb, "--compare", &request->compare,
           "Compare with these files, or with a saved state");
  AddParsed(
      verb, "--max-distance", "D", "a number from 0 to 1",
      [request = request](const std::string& text) {
        return ParseDecimal(text, &request->max_distance, 1);
      },
      "With --compare: a feature that differs by more is a finding");
  AddText(verb, "--by", &request->by, "FEATURE",
          "Split presence and mean by the values of this feature");
  AddText(verb, "--schema", &request->schema, "SCHEMA",
          "A Schema of TensorFlow Metadata; a violation of it is a finding");
  AddText(verb, "--environment", &request->environment, "NAME",
          "The environment of the schema, such as TRAINING or SERVING");
  AddNames(verb, "--features", &request->input.features, "Only these features");
  AddCountOption(verb, "--sample", &request->sample,
                 "Look at the first N records only (default 0: all)");
  AddCountOption(verb, "--max-distinct", &request->max_distinct,
                 "Distinct values of a feature that are counted exactly, at "
                 "most 65536 (default 1024, for tfdv 65536)");
  AddCountOption(verb, "--threads", &request->input.threads,
                 "Threads that count (default 1); 0 is one per processor");
  AddReading(verb, &request->input, {"message", "compression"});
  AddPolicies(verb, &request->input, /*has_rows=*/true);
}

}  // namespace headrace::cli
