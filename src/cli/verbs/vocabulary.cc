// headrace vocabulary: writes the most frequent values of a feature as lines.

#include "src/base/json/json_writer.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/output/output_name.h"
#include "src/cli/process/reading_report.h"
#include "src/cli/process/signals.h"
#include "src/cli/progress.h"
#include "src/cli/text/display_text.h"
#include "src/exchange/vocabulary/value_counter.h"

namespace headrace::cli {
namespace {

constexpr uint64_t kLeastMemory = uint64_t{1} << 20;

constexpr char kVocabularyNotes[] =
    R"(The lines are the distinct values of a feature of bytes or int64, most
frequent first, those of equal counts in ascending order. Values that
cannot be lines are left out, and listed: empty ones, those that have a
line feed, and those that end with a carriage return. The output gets its
name when it is complete; after a failure there is none.

Example:
  headrace vocabulary 'train-*.tfrecord.gz' --feature C1 --min-count 10 \
      -o c1.txt)";

struct VocabularyRequest {
  InputOptions input;
  std::string feature;
  uint64_t min_count = 1;
  uint64_t size = ~uint64_t{0};
  uint64_t memory = kVocabularyMemory;
  std::string output = "-";
  bool json = false;
};

ExitCode Refuse(std::string_view text) {
  return ComplainUsage("vocabulary", text);
}

struct VocabularyTotals {
  uint64_t records = 0;
  uint64_t bytes = 0;
  uint64_t values = 0;
  uint64_t distinct = 0;
  uint64_t output_bytes = 0;
  double seconds = 0;
  VocabularyKeys keys;
  ReadReport report;
};

class VocabularyVerb {
 public:
  explicit VocabularyVerb(const VocabularyRequest& request)
      : request_(request), console_(request.input.console()) {}

  ExitCode Run();

 private:
  Status Count();
  Status CountBatches(size_t column, Reader* reader);
  Status Write();
  std::string_view HintOf(const Status& status) const;
  std::string Summary() const;
  std::string SummaryOfJson() const;

  VocabularyRequest request_;
  Console console_;
  std::optional<ValueCounter> counter_;
  VocabularyTotals totals_;
};

Status VocabularyVerb::CountBatches(size_t column, Reader* reader) {
  Progress progress("vocabulary", console_);
  auto batch = reader->Next();
  for (; batch; batch = reader->Next()) {
    progress.Update(reader->stored_position(), reader->stored_size());
    HEADRACE_RETURN_IF_ERROR(counter_->Add(batch->columns()[column]));
  }
  return batch.status();
}

Status VocabularyVerb::Count() {
  InputOptions& input = request_.input;
  HEADRACE_ASSIGN_OR_RETURN(const auto files, FindInputs(input));
  HEADRACE_ASSIGN_OR_RETURN(Reader reader,
                            OpenReader(files, std::nullopt, input, console_));
  HEADRACE_ASSIGN_OR_RETURN(const size_t column,
                            VocabularyColumn(reader.plan(), request_.feature));
  counter_.emplace(reader.columns()[column].kind, request_.memory);
  const Status counted = CountBatches(column, &reader);
  totals_.records = reader.num_records();
  totals_.bytes = reader.num_bytes();
  totals_.report = reader.report();
  if (!counted.ok()) return counted;
  totals_.values = counter_->num_values();
  totals_.distinct = counter_->num_distinct();
  HEADRACE_ASSIGN_OR_RETURN(totals_.keys,
                            counter_->Keys(request_.min_count, request_.size));
  return Status();
}

Status VocabularyVerb::Write() {
  const bool to_terminal = IsTerminal(request_.output);
  HEADRACE_ASSIGN_OR_RETURN(OutputFile out, OpenOutput(request_.output));
  for (const VocabularyKey& key : totals_.keys.keys) {
    std::string line = VocabularyLine(totals_.keys.kind, key);
    if (to_terminal) line = Printable(line);
    line += '\n';
    HEADRACE_RETURN_IF_ERROR(out.Write(line));
  }
  totals_.output_bytes = out.size();
  return out.Close();
}

std::string_view VocabularyVerb::HintOf(const Status& status) const {
  if (status.code() == ErrorCode::kLimit && counter_) {
    return "--memory allows more";
  }
  if (IsDamage(status.code())) {
    return "to count the records around damage: --on-corrupt rescan";
  }
  // The feature, or its kind, may be in later records.
  const ErrorInfo& info = *status.info();
  const bool is_of_sample = !counter_ && !info.feature.empty() &&
                            info.found != KindName(Kind::kFloat) &&
                            request_.input.sample != 0;
  return is_of_sample ? "--sample N looks for it in more records, 0 in all"
                      : "";
}

std::string VocabularyVerb::Summary() const {
  const VocabularyTotals& totals = totals_;
  return Counted(totals.records, "record") + " read, " +
         Counted(totals.values, "value") + ", " + Grouped(totals.distinct) +
         " distinct, " + Counted(totals.keys.keys.size(), "line") +
         " written for " + ShareText(totals.keys.num_values(), totals.values) +
         " of the values" + SpeedText(totals.bytes, totals.seconds);
}

std::string VocabularyVerb::SummaryOfJson() const {
  const VocabularyTotals& totals = totals_;
  return JsonObject([&](JsonWriter& json) {
           json.Add("path", request_.output);
           json.Add("feature", request_.feature);
           json.Add("kind", KindName(totals.keys.kind));
           json.Add("records", totals.records);
           json.Add("bytes", totals.bytes);
           json.Add("values", totals.values);
           json.Add("distinct", totals.distinct);
           json.Add("lines", totals.keys.keys.size());
           json.Add("line_values", totals.keys.num_values());
           json.AddList("left_out", totals.keys.left_out,
                        [&](const LeftOutKeys& left_out) {
                          json.Object([&] {
                            json.Add("reason", left_out.reason);
                            json.Add("distinct", left_out.keys);
                            json.Add("values", left_out.values);
                          });
                        });
           json.Add("output_bytes", totals.output_bytes);
           json.AddRaw("seconds", Decimal(totals.seconds, 6));
           json.AddRaw(
               "mb_per_s",
               Decimal(MegabytesPerSecond(totals.bytes, totals.seconds), 1));
           json.Add("skipped_regions", totals.report.num_regions);
           json.Add("skipped_rows", totals.report.num_rows);
           json.Add("left_out_lists", totals.report.num_lists_left_out);
           json.AddRaw("notices", NoticesJson(totals.report));
         }) +
         "\n";
}

ExitCode VocabularyVerb::Run() {
  const Stopwatch watch;
  Status status = Count();
  ListLosses(totals_.report, console_);
  if (!status.ok()) return Complain(status, HintOf(status));
  status = Write();
  if (!status.ok() && request_.output == "-" && StandardOutputIsGone()) {
    return kExitOk;
  }
  if (!status.ok()) return Complain(status);
  totals_.seconds = watch.Seconds();
  const std::string left_out = LeftOutText(totals_.keys);
  if (!left_out.empty()) console_.Warn("warning: " + left_out);
  console_.Note(Summary());
  return request_.json ? PrintLines(SummaryOfJson()) : kExitOk;
}

// Replaces a path within a folder of TFDS by the key that holds it.
Status FindFeature(VocabularyRequest* request) {
  InputOptions& input = request->input;
  input.features = {request->feature};
  HEADRACE_RETURN_IF_ERROR(CheckHasFiles(input));
  HEADRACE_RETURN_IF_ERROR(ReplaceByKeys(&input));
  if (input.features.size() != 1) {
    return Status(ErrorCode::kInvalidArgument,
                  "--feature " + request->feature + " matches " +
                      Counted(input.features.size(), "feature") +
                      " of the folder; a vocabulary is of one");
  }
  request->feature = input.features[0];
  input.features = {NameOfVocabularyFeature(request->feature)};
  // A value of a kind that the sample did not show is never left out silently.
  input.strict_columns = true;
  return Status();
}

ExitCode RunVocabulary(VocabularyRequest request) {
  if (request.input.message == MessageType::kRaw) {
    return Refuse(kNoFeaturesInRaw);
  }
  if (request.json && request.output == "-") return Refuse(kBothWantOutput);
  if (request.size == 0) return Refuse("--size is at least 1");
  const auto inputs = FindFoldersAndFiles(&request.input);
  if (!inputs) return Complain(inputs.status());
  if (IsOneOf(request.output, *inputs)) {
    return Refuse(request.output + " is one of the inputs");
  }
  const Status found = FindFeature(&request);
  if (!found.ok()) return Complain(found);
  return VocabularyVerb(request).Run();
}

}  // namespace

void AddVocabulary(CLI::App* app, Action* action) {
  const auto [verb, request] = AddVerb<VocabularyRequest>(
      app, action, "vocabulary",
      "Write the most frequent values of a feature as lines of a file",
      kVocabularyNotes, RunVocabulary);
  AddFiles(verb, &request->input);
  Require(AddText(verb, "--feature", &request->feature, "NAME",
                  "The feature, of bytes or int64; ##SEQUENCE##.NAME is a "
                  "feature list, even if a feature has the name, too"));
  AddCountOption(verb, "--min-count", &request->min_count,
                 "Only values that occur at least N times (default 1)");
  AddCountOption(verb, "--size", &request->size,
                 "At most N lines, the most frequent values (default: all)");
  AddText(verb, "-o,--output", &request->output, "OUT",
          "The file to write (default: standard output)");
  AddJson(verb, &request->json);
  AddByteSize(verb, "--memory", &request->memory,
              {kLeastMemory, ~size_t{0} / 2},
              "bytes, like 256M or 2G, at least 1M",
              "Memory for the distinct values (default 1G); more is an error");
  AddCountOption(verb, "--sample", &request->input.sample,
                 "Find the feature's kind in the first N records (default "
                 "10000); 0 reads the input twice");
  AddReading(verb, &request->input, {"message", "compression", "threads"});
  AddPolicies(verb, &request->input, /*has_rows=*/true);
}

}  // namespace headrace::cli
