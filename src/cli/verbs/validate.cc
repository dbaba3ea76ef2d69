// headrace validate: checks every checksum and every byte of every message, and
// lists all findings.

#include <compare>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "headrace/decoder.h"
#include "headrace/output_file.h"
#include "headrace/plan.h"
#include "headrace/record_reader.h"
#include "headrace/record_writer.h"
#include "src/base/json/json_writer.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/output/output_name.h"
#include "src/cli/process/reading_report.h"
#include "src/cli/process/signals.h"
#include "src/cli/progress.h"
#include "src/cli/record_input.h"
#include "src/cli/text/display_text.h"
#include "src/decode/census/block_census.h"
#include "src/plan/infer/census.h"

namespace headrace::cli {
namespace {

// The maximum number of notes about features whose kind differs from that in
// earlier records.
constexpr size_t kMaxNotes = 20;

// A fault that many records of one file may have in common: in a shard of
// another schema, a list of all such records would fill pages.
struct RecordFault {
  ErrorCode code;
  std::string feature;
  auto operator<=>(const RecordFault&) const = default;

  // How many records with this fault are listed one by one. A fault without a
  // feature, as of a malformed record, lists more, because such records have
  // less in common.
  uint64_t num_listed() const { return feature.empty() ? 3 : 1; }
};

constexpr char kValidateNotes[] =
    R"(Reads on after damage, and lists all findings: damaged regions,
malformed records, and records that do not fit the spec, or the
tensors of the schema. Without either, features of two kinds are
notes, not findings. With --json each finding is a line, and so is
the summary that ends them.

Example:
  headrace validate --rejects bad.tfrecord 'train-*.tfrecord')";

struct ValidateOptions {
  InputOptions input;
  PlanFile plan_file;
  std::string rejects;
  bool json = false;
};

class Validator {
 public:
  // With a plan, records must also fit it.
  Validator(const ValidateOptions& options, const std::optional<Plan>& plan,
            RecordInput input, OutputFile out,
            std::optional<RecordWriter> rejects)
      : options_(options),
        console_(options.input.console()),
        input_(std::move(input)),
        out_(std::move(out)),
        rejects_(std::move(rejects)),
        census_(input_.DecideMessage(console_), /*padded_input=*/true),
        records_of_(input_.files().size()),
        progress_("validate", console_) {
    DecodeOptions decode{.on_row_error = OnRowError::kSkip,
                         .verify_unselected = true,
                         .padded_input = true};
    decode.limits.max_reported = std::numeric_limits<size_t>::max();
    decode.limits.max_batch_bytes = options.input.limits.max_batch_bytes;
    if (plan) decoder_.emplace(*plan, decode);
  }

  ExitCode Run();

 private:
  // The functions below fail only if output cannot be written or memory runs
  // out.
  Status CheckAll();
  Status CheckBlock(const InputBlock& block);
  Status CheckMessages(const InputBlock& block);
  Status CheckAgainstPlan(const InputBlock& block);
  Status ReportRecord(const InputBlock& block, size_t i, const Status& refused);
  // Reports damage that ended a file; complains about another error.
  Status EndFile(const Status& error);
  // Reports files whose headers or tables state false places of gzip members or
  // zstd frames, or a false number of records.
  Status CheckClaims();
  // Reports a finding if the records seem to hold a message type other than the
  // one they were read as.
  Status ReportOtherMessage();
  // Says which features of the plan no record has, and what was left out.
  void TellOfFeatures() const;
  // Reports the damaged regions that were met since the last call.
  Status ReportRegions();
  Status Report(const ErrorInfo& finding, uint64_t end = kUnknown);
  Status Write(const std::string& line);
  void NoteKind(const Status& status);
  // Says how many records of the last file had the same fault.
  Status EndFaults();
  void NoteEmptyFiles() const;
  std::string Summary() const;
  Status Finish();

  ValidateOptions options_;
  Console console_;
  RecordInput input_;
  OutputFile out_;
  std::optional<RecordWriter> rejects_;
  BlockCensus census_;              // used without a plan
  std::optional<Decoder> decoder_;  // used with a plan
  std::vector<NumberedRecord> numbered_;
  std::vector<std::string_view> payloads_;
  std::vector<uint64_t> records_of_;  // per file
  std::set<std::string> damaged_;     // files that may have more records
  Progress progress_;
  uint64_t regions_ = 0;  // reported so far
  uint64_t findings_ = 0;
  uint64_t notes_ = 0;
  size_t fault_file_ = 0;  // the file of faults_ and kinds_
  // The number of records with each fault; the first were reported.
  std::map<RecordFault, uint64_t> faults_;
  std::map<RecordFault, uint64_t> kinds_;  // noted, not findings
  bool unreadable_ = false;
};

Status Validator::Report(const ErrorInfo& finding, uint64_t end) {
  ++findings_;
  return Write(options_.json ? FindingJson(finding, end)
                             : FindingText(finding, end));
}

Status Validator::Write(const std::string& line) {
  progress_.Clear();
  Status status = out_.Write(ForStandardOutput(line) + "\n");
  // On a terminal, findings are shown as they are found.
  if (status.ok() && StandardOutputIsTerminal()) status = out_.Flush();
  return status;
}

Status Validator::ReportRegions() {
  for (; regions_ < input_.report().num_regions; ++regions_) {
    const FileRegion& found = input_.report().regions[regions_];
    damaged_.insert(found.file);
    const uint64_t size = found.region.end - found.region.begin;
    Status status = Report(
        {.code = found.region.reason,
         .message = found.region.end == kUnknown
                        ? found.region.message
                        : Counted(size, "byte") + " without an intact record",
         .file = found.file,
         .record = input_.region_records()[regions_],
         .offset = found.region.begin},
        found.region.end);
    if (!status.ok()) return status;
  }
  return Status();
}

void Validator::NoteKind(const Status& status) {
  ++notes_;
  const ErrorInfo& info = *status.info();
  if (kinds_.size() > kMaxNotes) return;
  if (++kinds_[{info.code, info.feature}] > 1) return;
  console_.Note(kinds_.size() > kMaxNotes
                    ? "note: more features of another kind are only counted"
                    : "note: " + status.ToString());
}

Status Validator::EndFaults() {
  const std::string& file = FileName(input_.files()[fault_file_]);
  const auto info_of = [&](const RecordFault& fault, uint64_t count) {
    const std::string begin =
        fault.feature.empty() ? "" : "feature \"" + fault.feature + "\": ";
    return ErrorInfo{
        .code = fault.code,
        .message = begin + Counted(count, "record") + " of this file in all",
        .file = file,
        .feature = fault.feature};
  };
  for (const auto& [kind, count] : kinds_) {
    if (count < 2) continue;
    console_.Note("note: " + Status(info_of(kind, count)).ToString());
  }
  kinds_.clear();
  Status status;
  for (const auto& [fault, count] : faults_) {
    if (count <= fault.num_listed() || !status.ok()) continue;
    const ErrorInfo info = info_of(fault, count);
    status = Write(options_.json ? FindingJson(info, kUnknown, count)
                                 : FindingText(info, kUnknown));
  }
  faults_.clear();
  return status;
}

// Empty files come from writers that divide few records among many files, and
// from writers that died; hence a note, not a finding.
void Validator::NoteEmptyFiles() const {
  if (input_.num_records() == 0) return;
  for (size_t i = 0; i < records_of_.size(); ++i) {
    const std::string& file = input_.files()[i];
    if (records_of_[i] > 0 || damaged_.contains(file)) continue;
    console_.Note("note: " + FileName(file) +
                  " has no records, and others have some");
  }
}

Status Validator::CheckBlock(const InputBlock& block) {
  if (input_.message() == MessageType::kRaw) {
    for (const Record& record : block.records) input_.Count(record);
    return Status();
  }
  return decoder_ ? CheckAgainstPlan(block) : CheckMessages(block);
}

Status Validator::CheckMessages(const InputBlock& block) {
  numbered_.clear();
  for (const Record& record : block.records) {
    numbered_.push_back({record.payload, input_.num_records()});
    input_.Count(record);
  }
  return census_.Add(numbered_, [&](size_t i, const Status& refused) {
    return ReportRecord(block, i, refused);
  });
}

// Decodes the whole block in one call. The columns and tensors of a block may
// exceed the limits even if those of each single record do not. Then the
// records are decoded one by one.
Status Validator::CheckAgainstPlan(const InputBlock& block) {
  payloads_.clear();
  for (const Record& record : block.records) {
    payloads_.push_back(record.payload);
    input_.Count(record);
  }
  if (decoder_->Decode(payloads_).ok()) {
    for (const Status& skipped : decoder_->skipped()) {
      const auto i = static_cast<size_t>(skipped.info()->record);
      Status status = ReportRecord(block, i, skipped);
      if (!status.ok()) return status;
    }
    return Status();
  }
  for (size_t i = 0; i < payloads_.size(); ++i) {
    Status status = decoder_->Decode({&payloads_[i], 1}).status();
    if (status.ok() && decoder_->num_skipped() > 0) {
      status = decoder_->skipped().front();
    }
    if (status.code() == ErrorCode::kOutOfMemory) return status;
    if (!status.ok()) status = ReportRecord(block, i, status);
    if (!status.ok()) return status;
  }
  return Status();
}

Status Validator::ReportRecord(const InputBlock& block, size_t i,
                               const Status& refused) {
  const Record& record = block.records[i];
  if (block.file != fault_file_) {
    if (Status ended = EndFaults(); !ended.ok()) return ended;
    fault_file_ = block.file;
  }
  const Status status = WithPlace(refused, input_.files()[block.file], record);
  if (status.code() == ErrorCode::kWrongKind && !decoder_) {
    NoteKind(status);
    return Status();
  }
  const ErrorInfo& info = *status.info();
  Status written;
  const RecordFault fault = {info.code, info.feature};
  if (++faults_[fault] <= fault.num_listed()) {
    written = Report(info);
  } else {
    ++findings_;
  }
  if (written.ok() && rejects_) written = rejects_->Write(record.payload);
  return written;
}

Status Validator::EndFile(const Status& error) {
  const ErrorInfo& info = *error.info();
  damaged_.insert(info.file);
  if (!IsDamage(info.code) && info.code != ErrorCode::kLimit &&
      info.code != ErrorCode::kWrongRecordCount) {
    unreadable_ = true;
    Complain(error);
    return Status();
  }
  return Report(info);
}

Status Validator::CheckClaims() {
  // For folders the reader compares the counts, and files may be read in part.
  if (options_.input.has_folders) return Status();
  for (size_t i = 0; i < records_of_.size(); ++i) {
    const std::string& file = input_.files()[i];
    if (damaged_.contains(file)) continue;
    if (const Status places = CheckClaimedPlaces(file);
        places.code() == ErrorCode::kDecompress) {
      if (Status status = Report(*places.info()); !status.ok()) return status;
      continue;
    }
    const auto claimed = ReadClaimedSize(file);
    if (!claimed || claimed->records == records_of_[i]) continue;
    Status status =
        Report({.code = ErrorCode::kDecompress,
                .message = "its gzip headers say that it has " +
                           Counted(claimed->records, "record") +
                           ", and it has " + std::to_string(records_of_[i]),
                .file = file});
    if (!status.ok()) return status;
  }
  return Status();
}

Status Validator::CheckAll() {
  while (true) {
    Result<InputBlock> block = input_.NextBlock();
    const bool is_end = !block.ok() || block->records.empty();
    Status status = ReportRegions();
    if (!status.ok()) return status;
    if (!block.ok()) {
      status = EndFile(block.status());
      input_.NextFile();
    } else if (is_end) {
      status = EndFaults();
      if (!status.ok()) return status;
      NoteEmptyFiles();
      return CheckClaims();
    } else {
      progress_.Update(input_.stored_position(), input_.stored_size());
      records_of_[block->file] += block->records.size();
      status = CheckBlock(*block);
    }
    if (!status.ok()) return status;
  }
}

Status Validator::ReportOtherMessage() {
  for (const Notice& notice : input_.report().notices) {
    Status status = Report({.code = ErrorCode::kMalformed,
                            .message = NoticeText(notice, Words::kProgram),
                            .file = FileName(input_.files().front())});
    if (!status.ok()) return status;
  }
  return Status();
}

void Validator::TellOfFeatures() const {
  ReadReport report;
  report.num_lists_left_out = input_.report().num_lists_left_out;
  if (decoder_) report = decoder_->report();
  std::erase_if(report.notices, [](const Notice& notice) {
    return notice.kind == NoticeKind::kOtherMessage;
  });
  for (Notice& notice : AbsentNotices(report, input_.message())) {
    report.notices.push_back(std::move(notice));
  }
  ListNotices(report, console_);
}

std::string Validator::Summary() const {
  const size_t files = input_.files().size();
  if (!options_.json) {
    return Counted(files, "file") + ", " +
           Counted(input_.num_records(), "record") + ", " +
           Counted(findings_, "finding") + "\n";
  }
  return JsonObject([&](JsonWriter& json) {
           json.Add("files", files);
           json.Add("message", MessageTypeName(input_.message()));
           json.Add("records", input_.num_records());
           json.Add("bytes", input_.num_bytes());
           json.Add("findings", findings_);
           json.Add("notes", notes_);
         }) +
         "\n";
}

Status Validator::Finish() {
  Status status = out_.Write(Summary());
  if (status.ok()) status = out_.Close();
  if (status.ok() && rejects_) status = rejects_->Close();
  return status;
}

ExitCode Validator::Run() {
  Status status = CheckAll();
  progress_.Clear();
  if (status.ok()) status = ReportOtherMessage();
  if (status.ok()) status = Finish();
  TellOfFeatures();
  if (!status.ok() && !StandardOutputIsGone()) return Complain(status);
  if (unreadable_) return kExitIo;
  return findings_ > 0 ? kExitData : kExitOk;
}

ExitCode RunValidate(ValidateOptions options) {
  options.input.on_corrupt = OnCorrupt::kRescan;
  options.input.limits.max_reported = std::numeric_limits<size_t>::max();
  // Tensors put stricter demands on a record than columns do, so check the
  // tensors of a schema.
  options.plan_file.tensors = true;
  std::optional<Plan> plan;
  Status status = FindFolders(&options.input);
  if (status.ok()) {
    status = ReadPlan(options.plan_file, {}, &options.input, &plan);
  }
  if (!status.ok()) return Complain(status);
  if (options.input.dataset && !plan) {
    Result<Plan> made = PlanOfFolder(options.input, {});
    if (!made) return Complain(made.status());
    plan = *std::move(made);
  }
  Result<RecordInput> input = RecordInput::Open(options.input);
  if (!input) return Complain(input.status());
  std::optional<RecordWriter> rejects;
  if (!options.rejects.empty()) {
    std::vector<std::string> inputs = input->files();
    if (options.plan_file.is_given()) {
      inputs.push_back(options.plan_file.path());
    }
    if (options.rejects == "-" || IsOneOf(options.rejects, inputs)) {
      return ComplainUsage("--rejects " + options.rejects +
                           " is an input, or standard output, which the "
                           "findings need");
    }
    Result<RecordWriter> writer =
        RecordWriter::Open(options.rejects, {.temporaries = Temporaries()});
    if (!writer) return Complain(writer.status());
    rejects = *std::move(writer);
  }
  Result<OutputFile> out = OutputFile::Open("-");
  if (!out) return Complain(out.status());
  return Validator(options, plan, *std::move(input), *std::move(out),
                   std::move(rejects))
      .Run();
}

}  // namespace

void AddValidate(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<ValidateOptions>(
      app, action, "validate", "Check every checksum and every message",
      kValidateNotes, RunValidate);
  AddFiles(verb, &options->input);
  AddPlanFile(verb, &options->plan_file, "What records must also fit");
  AddText(verb, "--rejects", &options->rejects, "PATH",
          "Write the payloads of bad records to this TFRecord file");
  AddJson(verb, &options->json);
  AddReading(verb, &options->input,
             {"message", "max_batch_bytes", "compression"});
}

}  // namespace headrace::cli
