#include "src/cli/record_input.h"

#include "headrace/notice.h"
#include "src/plan/infer/message_judge.h"

namespace headrace::cli {
namespace {

// Records per block: framing runs in its tight loop, and the records stay in
// cache.
constexpr size_t kBlockRecords = 256;

// Whether Examples hold lists is known only to a spec.
MessageType MessageOnWire(MessageType message) {
  return message == MessageType::kExampleInExample ? MessageType::kExample
                                                   : message;
}

}  // namespace

RecordInput::RecordInput(InputOptions options, std::vector<std::string> files)
    : stored_size_(StoredSize(files)),
      message_(MessageOnWire(options.message)) {
  options.threads = 1;
  source_.reset(new Source{std::move(files), std::move(options)});
}

Result<RecordInput> RecordInput::Open(const InputOptions& options) {
  Result<std::vector<std::string>> files = FindInputs(options);
  if (!files) return files.status();
  return RecordInput(options, *std::move(files));
}

MessageType RecordInput::DecideMessage(const Console& console) {
  MessageJudge judge(message_);
  const bool is_auto = message_ == MessageType::kAuto;
  while (judge.WantsMore()) {
    const auto ahead = source_->stream.LookAhead(kBlockRecords);
    if (!ahead) break;
    for (const record::RecordSpan& span : ahead->block.records) {
      if (judge.WantsMore()) judge.Look(span.view());
    }
  }
  message_ = judge.message();
  if (is_auto) NoteMessage(message_, console);
  if (judge.HoldOther()) {
    report_.notices.push_back(OtherMessageNotice(judge));
  }
  return message_;
}

void RecordInput::Count(const Record& record) {
  if (num_records_++ == 0) first_is_list_ = LooksLikeElwc(record.payload);
  if (message_ == MessageType::kExample && HasFeatureLists(record.payload)) {
    ++report_.num_lists_left_out;
  }
}

Status RecordInput::Read() {
  records_.clear();
  next_ = 0;
  if (!status_.ok()) return status_;
  reader::Skipped left_out;
  const auto block = source_->stream.Next(kBlockRecords, &left_out);
  report_.num_regions += left_out.count;
  for (FileRegion& region : left_out.regions) {
    region.file = FileName(region.file);
  }
  region_records_.insert(region_records_.end(), left_out.records.begin(),
                         left_out.records.end());
  reader::AppendRegions(std::move(left_out.regions),
                        source_->options.limits.max_reported, &report_.regions);
  region_records_.resize(report_.regions.size());
  status_ =
      block.ok() ? CheckBad(report_, source_->options.max_bad) : block.status();
  if (!status_.ok() || !block) return status_;
  file_ = block->file;
  const record::Block& read = block->block;
  for (const record::RecordSpan& span : read.records) {
    records_.push_back(
        {.payload = span.view(),
         .number = record::NumberAfter(read.first_record, records_.size()),
         .offset = span.offset,
         .recovered = span.recovered});
  }
  return Status();
}

Result<std::optional<InputRecord>> RecordInput::Next() {
  if (next_ == records_.size()) {
    if (Status status = Read(); !status.ok()) return status;
    if (records_.empty()) return std::optional<InputRecord>();
  }
  const Record& record = records_[next_++];
  Count(record);
  return std::optional<InputRecord>({record, file_});
}

Result<InputBlock> RecordInput::NextBlock() {
  if (Status status = Read(); !status.ok()) return status;
  return InputBlock{records_, file_};
}

void RecordInput::NextFile() {
  source_->stream.LeaveFile();
  status_ = Status();
}

Result<Message> RecordInput::Parse(const InputRecord& input) const {
  Result<Message> message = ParseMessage(input.record.payload, message_);
  if (message.ok()) return message;
  return WithPlace(message.status(), input);
}

Status RecordInput::WithPlace(const Status& error,
                              const InputRecord& input) const {
  if (!IsRowError(error.code())) return error;
  return cli::WithPlace(error, files()[input.file], input.record);
}

ExitCode ComplainAboutInput(const Status& status, const RecordInput& input) {
  const bool first_is_malformed =
      status.code() == ErrorCode::kMalformed && input.num_records() <= 1;
  if (!first_is_malformed) return Complain(status);
  return Complain(status, input.first_is_list()
                              ? "--message elwc reads lists of Examples"
                              : "the first record is not a tf.train message; "
                                "--message raw accepts any bytes");
}

}  // namespace headrace::cli
