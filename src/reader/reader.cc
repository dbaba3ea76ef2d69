#include "headrace/reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "headrace/census.h"
#include "headrace/message.h"
#include "headrace/paths.h"
#include "src/base/quote.h"
#include "src/decode/decode_block.h"
#include "src/reader/batch_storage.h"
#include "src/reader/record_stream.h"
#include "src/tensor/explain.h"

namespace headrace {
namespace {

using reader::FileBlock;

// Records framed at a time: enough to make a dispatch cheap.
constexpr size_t kBlockRecords = 256;
// Records that kAuto looks at to tell the two messages apart.
constexpr uint64_t kRecordsForMessage = 100;

std::string_view TextOf(const record::RecordSpan& span) {
  return {reinterpret_cast<const char*>(span.payload), span.size};
}

// A missing file is better found before the first row than after hours.
Status CheckExists(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    struct stat info;
    if (file == "-" || stat(file.c_str(), &info) == 0) continue;
    return Status(ErrorInfo{
        .code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
        .message = std::strerror(errno),
        .file = file});
  }
  return Status();
}

}  // namespace

class Reader::Impl {
 public:
  Impl(std::vector<std::string> files, const ReadOptions& options)
      : files_(std::move(files)),
        options_(options),
        stream_(files_, options_, &report_),
        pool_(std::make_shared<reader::BatchPool>(options.limits)) {}

  // Finds the columns, or takes them from the plan.
  Status FindColumns();
  Status UsePlan(Plan plan);

  Result<std::optional<Batch>> Next();

  const Status& status() const { return status_; }
  const Plan& plan() const { return *plan_; }
  MessageType message() const { return message_; }
  const std::vector<std::string>& files() const { return files_; }
  const ReadReport& report() const { return report_; }
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }
  uint64_t stored_position() const { return stream_.stored_position(); }
  uint64_t stored_size() const { return stream_.stored_size(); }

 private:
  Result<FeatureCensus> Sample();
  Status Select(std::vector<ColumnField>* columns) const;
  bool NextBlock();
  Status Fill(reader::BatchStorage* storage);
  size_t CountThatFit(size_t rows) const;
  void Consume(const decode::BlockEnd& end, reader::BatchStorage* storage);
  bool HandleFailure(ErrorCode code, bool batch_is_empty);
  void SkipRow(Status error);
  void CheckBad();
  void Advance();
  void CollectLate();
  bool Fail(Status status) {
    status_ = std::move(status);
    return false;
  }

  const std::vector<std::string> files_;
  const ReadOptions options_;
  ReadReport report_;
  reader::RecordStream stream_;
  std::shared_ptr<reader::BatchPool> pool_;
  std::optional<Plan> plan_;
  MessageType message_ = MessageType::kExample;
  decode::LateFeatures late_;
  decode::EntryOrder order_;
  Status status_;
  bool ended_ = false;

  // The block being decoded, from record next_ on.
  std::optional<FileBlock> block_;
  size_t next_ = 0;
  uint64_t num_records_ = 0;
  uint64_t num_bytes_ = 0;
  uint64_t batch_bytes_ = 0;  // of payload in the batch being filled
};

// ------------------------------------------------------------------ Columns

// Damaged and malformed records add nothing: they come up again, with their
// place, when they are read in earnest.
Result<FeatureCensus> Reader::Impl::Sample() {
  if (options_.sample == 0 && !stream_.can_reopen()) {
    return Status(ErrorCode::kInvalidArgument,
                  "a sample of all records reads the input twice, which "
                  "standard input and pipes cannot be");
  }
  const uint64_t wanted = options_.sample == 0 ? ~uint64_t{0} : options_.sample;
  // While it is not known what the records are, they are counted as both.
  const bool is_auto = options_.message == MessageType::kAuto;
  bool is_sequence = options_.message == MessageType::kSequence;
  FeatureCensus examples(MessageType::kExample);
  FeatureCensus sequences(MessageType::kSequence);
  uint64_t seen = 0;
  while (seen < wanted) {
    const auto most = std::min<uint64_t>(kBlockRecords, wanted - seen);
    auto block = stream_.Peek(static_cast<size_t>(most));
    // What cannot even be opened has no rows to deliver before the error.
    if (!block.ok() && seen == 0 && !IsDamage(block.status().code())) {
      return block.status();
    }
    if (!block) break;
    for (const record::RecordSpan& span : block->block.records) {
      const bool undecided = is_auto && seen < kRecordsForMessage;
      if (undecided) is_sequence |= HasFeatureLists(TextOf(span));
      if (undecided || !is_sequence) {
        static_cast<void>(examples.Add(TextOf(span), seen).ok());
      }
      if (undecided || is_sequence) {
        static_cast<void>(sequences.Add(TextOf(span), seen).ok());
      }
      ++seen;
    }
  }
  stream_.Rewind();
  message_ = is_sequence ? MessageType::kSequence : MessageType::kExample;
  return is_sequence ? std::move(sequences) : std::move(examples);
}

// A name selects a feature, a feature list, or both.
Status Reader::Impl::Select(std::vector<ColumnField>* columns) const {
  std::vector<ColumnField> selected;
  for (const std::string& name : options_.features) {
    const size_t before = selected.size();
    std::copy_if(columns->begin(), columns->end(), std::back_inserter(selected),
                 [&](const ColumnField& c) { return c.name == name; });
    if (selected.size() == before) {
      return Status(ErrorInfo{
          .code = ErrorCode::kInvalidArgument,
          .message = "no record of the sample has a feature " + Quote(name),
          .feature = name});
    }
  }
  std::stable_partition(selected.begin(), selected.end(),
                        [](const ColumnField& c) { return !c.in_sequence; });
  *columns = std::move(selected);
  return Status();
}

Status Reader::Impl::FindColumns() {
  if (options_.message == MessageType::kRaw) {
    return Status(ErrorCode::kInvalidArgument,
                  "raw records have no columns; use RecordReader");
  }
  auto census = Sample();
  if (!census.ok()) return census.status();
  std::vector<ColumnField> columns = census->columns();
  const bool project = !options_.features.empty();
  if (project) {
    if (Status status = Select(&columns); !status.ok()) return status;
  }
  // What is not selected is not missed; everything else that the sample did
  // not show is.
  auto program = plan::Program::ForColumns(
      std::move(columns), message_, census->has_feature_lists() && !project,
      /*collect_late=*/!project);
  if (!program.ok()) return program.status();
  plan_ = Plan(*std::move(program));
  return Status();
}

Status Reader::Impl::UsePlan(Plan plan) {
  if (options_.message != MessageType::kAuto &&
      options_.message != plan.message()) {
    return Status(ErrorCode::kInvalidArgument,
                  "the plan is for another message than was asked for");
  }
  plan_ = std::move(plan);
  message_ = plan_->message();
  return Status();
}

// ------------------------------------------------------------------ Batches

bool Reader::Impl::NextBlock() {
  auto block = stream_.Next(std::min(kBlockRecords, options_.batch_size));
  CheckBad();
  if (!block.ok()) return status_.ok() ? Fail(block.status()) : false;
  block_ = *std::move(block);
  next_ = 0;
  if (!status_.ok()) return false;
  ended_ = !block_.has_value();
  return !ended_;
}

void Reader::Impl::CheckBad() {
  if (status_.ok() &&
      report_.num_regions + report_.num_rows > options_.max_bad) {
    status_ =
        Status(ErrorCode::kTooManyBad,
               std::to_string(report_.num_regions) + " skipped regions and " +
                   std::to_string(report_.num_rows) +
                   " skipped rows are more than the " +
                   std::to_string(options_.max_bad) + " allowed");
  }
}

// How many records of the block the batch takes: up to its size, and up to the
// bytes that a batch may pin; but always one.
size_t Reader::Impl::CountThatFit(size_t rows) const {
  const auto records = block_->block.records.subspan(next_);
  const size_t most = std::min(records.size(), options_.batch_size - rows);
  uint64_t bytes = batch_bytes_;
  size_t count = 0;
  while (count < most) {
    bytes += records[count].size;
    if (bytes > options_.limits.max_batch_bytes && rows + count > 0) break;
    ++count;
  }
  return count;
}

void Reader::Impl::Advance() {
  const record::RecordSpan& span = block_->block.records[next_++];
  ++num_records_;
  num_bytes_ += kRecordOverhead + span.size;
}

void Reader::Impl::Consume(const decode::BlockEnd& end,
                           reader::BatchStorage* storage) {
  const record::Block& block = block_->block;
  storage->PinRecords(block.records.subspan(next_, end.num_decoded), block.pin);
  for (size_t i = 0; i < end.num_decoded; ++i) {
    const record::RecordSpan& span = block.records[next_];
    storage->AddOrigin({.record = block.first_record + next_,
                        .offset = span.offset,
                        .file = block_->file,
                        .recovered = span.recovered});
    batch_bytes_ += span.size;
    Advance();
  }
}

void Reader::Impl::SkipRow(Status error) {
  ++report_.num_rows;
  if (report_.rows.size() < options_.limits.max_reported) {
    report_.rows.push_back(std::move(error));
  }
  Advance();
  CheckBad();
}

// The record at next_ has failed. True when reading goes on; false when the
// batch ends here, with an error in status_ or with the record left for the
// next batch.
bool Reader::Impl::HandleFailure(ErrorCode code, bool batch_is_empty) {
  if (code == ErrorCode::kLimit && !batch_is_empty) return false;
  const record::Block& block = block_->block;
  const record::RecordSpan& span = block.records[next_];
  const uint64_t number = block.first_record + next_;
  // Checksum before belief: damage explains any finding.
  if (code == ErrorCode::kPayloadCrc ||
      (block.payloads_unverified && !record::PayloadIsIntact(span))) {
    Status status = stream_.ReportBadPayload(span, number);
    if (!status.ok()) return Fail(std::move(status));
    Advance();
    CheckBad();
    return status_.ok();
  }
  ErrorInfo info = tensor::ExplainRow(plan_->program(), TextOf(span), code);
  info.file = files_[block_->file];
  info.record = number;
  info.offset = span.offset;
  Status status(std::move(info));
  if (options_.on_row_error == OnRowError::kFail ||
      code == ErrorCode::kOutOfMemory) {
    return Fail(std::move(status));
  }
  SkipRow(std::move(status));
  return status_.ok();
}

// Adds rows until the batch is full, the input ends or an error is met. An
// error when the batch could not even be closed.
Status Reader::Impl::Fill(reader::BatchStorage* storage) {
  column::ColumnSet& columns = storage->columns();
  bool afresh = false;
  batch_bytes_ = 0;
  while (columns.num_rows() < options_.batch_size) {
    if (!block_ || next_ == block_->block.records.size()) {
      block_.reset();
      if (!NextBlock()) break;
    }
    const size_t count = CountThatFit(columns.num_rows());
    if (count == 0) break;
    const decode::BlockEnd end = decode::DecodeBlock(
        plan_->program(), block_->block.records.subspan(next_, count),
        {.verify_payload = block_->block.payloads_unverified,
         .verify_unselected = options_.verify_unselected,
         .check = storage->check(),
         .order = &order_},
        &columns, &late_);
    Consume(end, storage);
    if (end.code == ErrorCode::kLimit && columns.num_rows() == 0 && !afresh) {
      // Only a row that cannot fit alone is an error.
      afresh = true;
      storage->StartAfresh();
      continue;
    }
    if (end.code != ErrorCode::kOk &&
        !HandleFailure(end.code, columns.num_rows() == 0)) {
      break;
    }
  }
  return storage->Seal();
}

void Reader::Impl::CollectLate() {
  report_.late.clear();
  report_.num_late = late_.total();
  for (const bool in_sequence : {false, true}) {
    for (const auto& [name, count] : late_.counts(in_sequence)) {
      if (report_.late.size() == options_.limits.max_reported) return;
      report_.late.push_back(
          {name, count.kind, count.rows, count.in_columns, in_sequence});
    }
  }
}

Result<std::optional<Batch>> Reader::Impl::Next() {
  if (!status_.ok()) return status_;
  if (ended_) return std::optional<Batch>();
  reader::BatchStorage* const storage = pool_->Acquire(*plan_);
  Batch batch(storage);
  if (Status status = Fill(storage); !status.ok()) {
    Fail(status);
    return status_;
  }
  if (late_.total() != report_.num_late) CollectLate();
  if (batch.num_rows() > 0) return std::optional(std::move(batch));
  if (!status_.ok()) return status_;
  return std::optional<Batch>();
}

// ------------------------------------------------------------------- Reader

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

namespace {

// The files that the options and paths name, once both have been checked.
Result<std::vector<std::string>> CheckedFiles(
    const std::vector<std::string>& paths, const ReadOptions& options) {
  if (options.batch_size == 0) {
    return Status(ErrorCode::kInvalidArgument, "a batch has at least one row");
  }
  auto files = ExpandPaths(paths);
  if (!files.ok()) return files.status();
  if (Status status = CheckExists(*files); !status.ok()) return status;
  return files;
}

}  // namespace

Result<Reader> Reader::Open(const std::vector<std::string>& paths,
                            const ReadOptions& options) {
  auto files = CheckedFiles(paths, options);
  if (!files.ok()) return files.status();
  auto impl = std::make_unique<Impl>(*std::move(files), options);
  if (Status status = impl->FindColumns(); !status.ok()) return status;
  return Reader(std::move(impl));
}

Result<Reader> Reader::Open(const std::vector<std::string>& paths, Plan plan,
                            const ReadOptions& options) {
  auto files = CheckedFiles(paths, options);
  if (!files.ok()) return files.status();
  auto impl = std::make_unique<Impl>(*std::move(files), options);
  Status status = impl->UsePlan(std::move(plan));
  if (!status.ok()) return status;
  return Reader(std::move(impl));
}

Result<std::optional<Batch>> Reader::Next() { return impl_->Next(); }
const Status& Reader::status() const { return impl_->status(); }
const Plan& Reader::plan() const { return impl_->plan(); }
MessageType Reader::message() const { return impl_->message(); }
const std::vector<std::string>& Reader::files() const { return impl_->files(); }
const ReadReport& Reader::report() const { return impl_->report(); }
uint64_t Reader::num_records() const { return impl_->num_records(); }
uint64_t Reader::num_bytes() const { return impl_->num_bytes(); }
uint64_t Reader::stored_position() const { return impl_->stored_position(); }
uint64_t Reader::stored_size() const { return impl_->stored_size(); }

}  // namespace headrace
