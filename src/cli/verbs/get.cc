// headrace get: prints records by number.

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>

#include "headrace/dataset.h"
#include "headrace/decoder.h"
#include "headrace/message.h"
#include "headrace/notice.h"
#include "headrace/output_file.h"
#include "src/base/framing.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/output/projection.h"
#include "src/cli/process/reading_report.h"
#include "src/cli/progress.h"
#include "src/cli/record_input.h"
#include "src/cli/text/argument.h"
#include "src/exchange/json/json_lines.h"
#include "src/plan/infer/message_judge.h"

namespace headrace::cli {
namespace {

// Records in memory at a time.
constexpr uint64_t kRowsAtOnce = 16;

constexpr char kGetNotes[] =
    R"(Rows are printed in the order asked for. An index beside a file
(headrace index) says where its records are. Without an index, the headers
of the file are read first, which inflates a compressed file. A file
whose name looks like a row is given as ./17.

Example:
  headrace get 'train-*.tfrecord' 17 1000:1010 --features age)";

struct GetOptions {
  InputOptions input;
  PlanFile plan_file;
  bool raw = false;       // whole records or payloads, not JSON
  bool payloads = false;  // without their framing
};

// The rows [begin, end) of the dataset; if `end` is not set, up to the end of
// the dataset.
struct RowRange {
  uint64_t begin = 0;
  std::optional<uint64_t> end;
  bool is_row = false;  // one row was asked for
};

// Returns empty for text that is neither N nor N:M, N: or :M.
std::optional<RowRange> ParseRows(std::string_view text) {
  const size_t colon = text.find(':');
  RowRange range;
  if (colon == std::string_view::npos) {
    if (!ParseNumber(text, &range.begin)) return std::nullopt;
    // No row has the highest number.
    if (range.begin < ~uint64_t{0}) range.end = range.begin + 1;
    range.is_row = true;
    return range;
  }
  const std::string_view begin = text.substr(0, colon);
  const std::string_view end = text.substr(colon + 1);
  if (!begin.empty() && !ParseNumber(begin, &range.begin)) return std::nullopt;
  if (end.empty()) return range;
  range.end.emplace();
  if (!ParseNumber(end, &*range.end)) return std::nullopt;
  return range;
}

Status NoSuchRows(const RowRange& range, uint64_t end, uint64_t size) {
  const std::string begin = std::to_string(range.begin);
  return Status(
      ErrorCode::kInvalidArgument,
      (range.is_row
           ? "there is no row " + begin
           : "there are no rows " + begin + " to " + std::to_string(end)) +
          ": there are " + std::to_string(size) + " rows, counted from 0");
}

class Getter {
 public:
  Getter(const GetOptions& options, std::vector<RowRange> ranges,
         std::optional<Plan> plan, Dataset dataset, OutputFile out)
      : options_(options),
        console_(options.input.console()),
        ranges_(std::move(ranges)),
        dataset_(std::move(dataset)),
        projection_(plan ? KeysOf(*plan) : options.input.features),
        out_(std::move(out)) {
    if (plan) decoder_.emplace(*plan);
  }

  ExitCode Run();

 private:
  Status DecideMessage();
  Status WriteAll();
  Status WriteRows(uint64_t begin, uint64_t end);
  Status WriteRow(std::string_view payload, const RowOrigin& origin);

  const GetOptions options_;
  const Console console_;
  const std::vector<RowRange> ranges_;
  Dataset dataset_;
  Projection projection_;
  OutputFile out_;
  std::optional<Decoder> decoder_;  // checks rows by the spec
  std::optional<JsonLineWriter> writer_;
  MessageType message_ = MessageType::kExample;
  ReadReport report_;
};

Status Getter::DecideMessage() {
  MessageJudge judge(options_.input.message);
  std::vector<uint64_t> row(1);
  for (; row[0] < dataset_.size() && judge.WantsMore(); ++row[0]) {
    const Result<Batch> batch = dataset_.Take(row);
    if (!batch) return batch.status();
    judge.Look(batch->columns()[0].bytes()[0]);
  }
  message_ = judge.message();
  writer_.emplace(message_, [this](std::string_view name) {
    return projection_.Keeps(name);
  });
  if (options_.input.message == MessageType::kAuto) {
    NoteMessage(message_, console_);
  }
  if (judge.HoldOther()) {
    report_.notices.push_back(OtherMessageNotice(judge));
  }
  return Status();
}

Status Getter::WriteRow(std::string_view payload, const RowOrigin& origin) {
  if (options_.payloads) return out_.Write(payload);
  if (options_.raw) {
    const auto header = RecordHeader(payload.size());
    const auto footer = RecordFooter(payload);
    std::string record(header.begin(), header.end());
    record += payload;
    record.append(footer.begin(), footer.end());
    return out_.Write(record);
  }
  const Record record{
      .payload = payload, .number = origin.record, .offset = origin.offset};
  const std::string& file = dataset_.files()[origin.file];
  if (message_ == MessageType::kExample) {
    report_.num_lists_left_out += HasFeatureLists(payload);
  }
  if (decoder_ && message_ != MessageType::kRaw) {
    const Result<Batch> row = decoder_->Decode({&payload, 1});
    if (!row) return WithPlace(row.status(), file, record);
  }
  std::string line;
  const Status status = writer_->Append(payload, &line);
  if (!status.ok()) return WithPlace(status, file, record);
  return out_.Write(ForStandardOutput(line) + "\n");
}

Status Getter::WriteRows(uint64_t begin, uint64_t end) {
  std::vector<uint64_t> rows(static_cast<size_t>(end - begin));
  std::iota(rows.begin(), rows.end(), begin);
  const Result<Batch> batch = dataset_.Take(rows);
  if (!batch) return batch.status();
  const auto payloads = batch->columns()[0].bytes();
  for (size_t i = 0; i < payloads.size(); ++i) {
    const Status status = WriteRow(payloads[i], batch->origins()[i]);
    if (!status.ok()) return status;
  }
  return Status();
}

Status Getter::WriteAll() {
  for (const RowRange& range : ranges_) {
    const uint64_t end = range.end.value_or(dataset_.size());
    if (range.begin > end || end > dataset_.size()) {
      return NoSuchRows(range, end, dataset_.size());
    }
    for (uint64_t at = range.begin; at < end; at += kRowsAtOnce) {
      const Status status = WriteRows(at, std::min(at + kRowsAtOnce, end));
      if (!status.ok()) return status;
    }
  }
  return Status();
}

ExitCode Getter::Run() {
  Status status = options_.raw ? Status() : DecideMessage();
  if (status.ok()) status = WriteAll();
  // Rows before an error are written first, and the error is still reported.
  const Status closed = out_.Close();
  if (!closed.ok() && StandardOutputIsGone()) return kExitOk;
  if (decoder_) {
    for (const Notice& notice : decoder_->report().notices) {
      if (notice.kind == NoticeKind::kMisspelt) Tell(notice, console_);
    }
  }
  ListNotices(report_, console_);
  if (status.ok() && !options_.input.features.empty() &&
      !options_.input.dataset) {
    status = projection_.CheckSeen("record printed");
  }
  if (!status.ok()) return Complain(status);
  return ExitCodeOfOutput(closed);
}

// Opens the files, and notes if an index would have saved much time.
Result<Dataset> OpenDataset(const InputOptions& input) {
  const Console console = input.console();
  const auto inputs = FindInputs(input);
  if (!inputs) return inputs.status();
  const Stopwatch watch;
  std::atomic<bool> has_read = false;
  Progress progress("get", console, "-");
  Result<Dataset> dataset =
      Dataset::Open(*inputs, Plan::ForRaw(),
                    {.verify_payload = input.verify_payload,
                     .mmap = input.mmap,
                     .record_ranges = input.record_ranges,
                     .progress = [&](uint64_t done, uint64_t size) {
                       has_read = true;
                       progress.Update(done, size);
                       return false;
                     }});
  progress.Clear();
  const std::string note = has_read ? SlowOpeningNote(watch.Seconds()) : "";
  if (!note.empty()) console.Note(note);
  return dataset;
}

// Distinguishes rows from files by their form.
ExitCode Get(GetOptions options) {
  std::vector<RowRange> ranges;
  std::vector<std::string> files;
  for (const std::string& argument : options.input.patterns) {
    if (const auto range = ParseRows(argument)) {
      ranges.push_back(*range);
    } else {
      files.push_back(argument);
    }
  }
  if (options.payloads && options.raw) {
    return ComplainUsage("get", "--raw has framing and --payload has none");
  }
  options.raw |= options.payloads;
  if (files.empty() || ranges.empty()) {
    return ComplainUsage("get", files.empty() ? "needs a file" : "needs a row");
  }
  if (options.raw && (options.plan_file.is_given() ||
                      !options.input.features.empty() || IsTerminal("-"))) {
    return ComplainUsage(
        "get", IsTerminal("-")
                   ? "binary data is not for a terminal"
                   : "--raw and --payload write whole records, without "
                     "--spec, --schema and --features");
  }
  options.input.patterns = files;
  Status status = FindFolders(&options.input);
  if (status.ok()) status = ReplaceByKeys(&options.input);
  std::optional<Plan> plan;
  if (status.ok()) {
    status = ReadPlan(options.plan_file, options.input.features, &options.input,
                      &plan);
  }
  if (!status.ok()) return Complain(status);
  Result<Dataset> dataset = OpenDataset(options.input);
  if (!dataset) return Complain(dataset.status());
  Result<OutputFile> out = OutputFile::Open("-");
  if (!out) return Complain(out.status());
  return Getter(options, std::move(ranges), std::move(plan),
                *std::move(dataset), *std::move(out))
      .Run();
}

}  // namespace

void AddGet(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<GetOptions>(
      app, action, "get", "Print records by number", kGetNotes, Get);
  AddFiles(verb, &options->input,
           "Files, as everywhere, and then rows: N, or N:M for those from N up "
           "to but not including M; counted from 0 over all files");
  AddFlag(verb, "--raw", &options->raw,
          "Write the records as TFRecord, not as JSON");
  AddFlag(verb, "--payload", &options->payloads,
          "Write the payloads as they are, without framing, with nothing "
          "between them");
  AddNames(verb, "--features", &options->input.features, "Only these features");
  AddPlanFile(verb, &options->plan_file, "Only these features, checked");
  AddReading(verb, &options->input, {"message", "verify", "mmap"});
}

}  // namespace headrace::cli
