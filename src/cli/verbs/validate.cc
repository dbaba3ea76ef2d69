// headrace validate checks every checksum and every byte of every message, and
// lists all findings.

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/census.h"
#include "headrace/decoder.h"
#include "headrace/output_file.h"
#include "headrace/plan.h"
#include "headrace/record_reader.h"
#include "headrace/record_writer.h"
#include "src/cli/console.h"
#include "src/cli/finding.h"
#include "src/cli/folders.h"
#include "src/cli/late.h"
#include "src/cli/options.h"
#include "src/cli/plan_file.h"
#include "src/cli/progress.h"
#include "src/cli/record_input.h"
#include "src/cli/signals.h"
#include "src/cli/text/display_text.h"
#include "src/cli/verbs/same_file.h"

namespace headrace::cli {
namespace {

// Only so many records of another kind are mentioned one by one.
constexpr uint64_t kMostNotes = 20;

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
        console_(options.input.quiet),
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
    decode.limits.max_batch_bytes = options.input.max_batch_bytes;
    if (plan) decoder_.emplace(*plan, decode);
  }

  ExitCode Run();

 private:
  // These fail only for writing, or for want of memory.
  Status CheckAll();
  Status CheckBlock(const InputBlock& block);
  Status CheckMessages(const InputBlock& block);
  Status CheckAgainstPlan(const InputBlock& block);
  Status ReportRecord(const InputBlock& block, size_t i, const Status& refused);
  // Damage that ended a file is a finding; another error is complained about.
  Status EndFile(const Status& error);
  // Reports files that say of themselves what is not so: where gzip members or
  // zstd frames lie, how many records there are.
  Status CheckClaims();
  // Reports that the records hold another message, if they do.
  Status ReportOtherMessage();
  // Says which features of the plan no record has, and what was not looked at.
  void TellOfFeatures() const;
  // Reports the damaged regions up to this number.
  Status ReportRegions(uint64_t count);
  Status Report(const ErrorInfo& finding, uint64_t end = kUnknown);
  void NoteKind(const Status& status);
  std::string Summary() const;
  Status Finish();

  ValidateOptions options_;
  Console console_;
  RecordInput input_;
  OutputFile out_;
  std::optional<RecordWriter> rejects_;
  BlockCensus census_;              // used without a plan
  std::optional<Decoder> decoder_;  // used with one
  std::vector<NumberedRecord> numbered_;
  std::vector<std::string_view> payloads_;
  std::vector<uint64_t> records_of_;  // each file
  std::set<std::string> damaged_;     // files that have other records, too
  Progress progress_;
  uint64_t regions_ = 0;  // reported so far
  uint64_t findings_ = 0;
  uint64_t notes_ = 0;
  bool unreadable_ = false;
};

Status Validator::Report(const ErrorInfo& finding, uint64_t end) {
  ++findings_;
  progress_.Clear();
  std::string line =
      options_.json ? FindingJson(finding, end) : FindingText(finding, end);
  Status status = out_.Write(ForStandardOutput(line) + "\n");
  // People read along.
  if (status.ok() && StandardOutputIsTerminal()) status = out_.Flush();
  return status;
}

Status Validator::ReportRegions(uint64_t count) {
  for (; regions_ < count; ++regions_) {
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
  if (++notes_ > kMostNotes) return;
  console_.Note("note: " + status.ToString());
  if (notes_ == kMostNotes) {
    console_.Note("note: more records of another kind are only counted");
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

// What single records of a block have is found for all at once. Columns and
// tensors of a whole block may be too large where those of a record are not.
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
  const Status status = WithPlace(refused, input_.files()[block.file], record);
  if (status.code() == ErrorCode::kWrongKind && !decoder_) {
    NoteKind(status);
    return Status();
  }
  Status written = Report(*status.info());
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
  // Of folders the reader compares, and files may be read in part.
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
    Status status = ReportRegions(is_end ? input_.report().num_regions
                                         : block->regions_before);
    if (!status.ok()) return status;
    if (!block.ok()) {
      status = EndFile(block.status());
      input_.NextFile();
    } else if (is_end) {
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
  for (const AbsentFeature& absent : report.absent) {
    const bool is_said = std::ranges::any_of(
        report.notices,
        [&](const Notice& notice) { return notice.feature == absent.name; });
    if (is_said) continue;
    report.notices.push_back({.kind = NoticeKind::kAbsent,
                              .message = input_.message(),
                              .feature = absent.name,
                              .in_sequence = absent.in_sequence,
                              .has_default = absent.has_default});
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
  return "{\"files\":" + std::to_string(files) + ",\"message\":\"" +
         std::string(MessageTypeName(input_.message())) +
         "\",\"records\":" + std::to_string(input_.num_records()) +
         ",\"bytes\":" + std::to_string(input_.num_bytes()) +
         ",\"findings\":" + std::to_string(findings_) +
         ",\"notes\":" + std::to_string(notes_) + "}\n";
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
  options.input.max_reported = std::numeric_limits<size_t>::max();
  if (const Status found = FindFolders(&options.input); !found.ok()) {
    return Complain(found);
  }
  std::optional<Plan> plan;
  if (options.input.dataset && !options.plan_file.is_given()) {
    Result<Plan> made = PlanOfFolder(options.input, {});
    if (!made) return Complain(made.status());
    plan = *std::move(made);
  }
  if (options.plan_file.is_given()) {
    // Tensors need more of a record than columns do.
    options.plan_file.tensors = true;
    Result<Plan> read = ReadPlan(options.plan_file, {},
                                 Console(options.input.quiet), &options.input);
    if (!read) return Complain(read.status());
    plan = *std::move(read);
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
      Complain("--rejects " + options.rejects +
               " is an input, or standard output, which the "
               "findings need");
      return kExitUsage;
    }
    RecordWriterOptions writer_options;
    writer_options.temporaries = Temporaries();
    Result<RecordWriter> writer =
        RecordWriter::Open(options.rejects, writer_options);
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
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* const verb =
      AddVerb(app, "validate", "Check every checksum and every message");
  AddFiles(verb, &options->input);
  AddPlanFile(verb, &options->plan_file, "What records must also fit");
  AddText(verb, "--rejects", &options->rejects, "PATH",
          "Write the payloads of bad records to this TFRecord file");
  AddJson(verb, &options->json);
  AddMessage(verb, &options->input);
  AddMaxBatchBytes(verb, &options->input);
  AddCompression(verb, &options->input.compression,
                 "Of the input (default auto: found from the bytes)");
  Finish(verb,
         "Reads on after damage, and lists all findings: damaged regions,\n"
         "malformed records, and records that do not fit the spec, or the\n"
         "tensors of the schema. Without either, features of two kinds are\n"
         "notes, not findings. With --json each finding is a line, and so is\n"
         "the summary that ends them.\n"
         "\n"
         "Example:\n"
         "  headrace validate --rejects bad.tfrecord 'train-*.tfrecord'",
         action, [options] { return RunValidate(*options); });
}

}  // namespace headrace::cli
