#include "src/read/reader/batch_filler.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "src/base/text/numbers.h"
#include "src/input/record/finding.h"
#include "src/plan/compile/program.h"

namespace headrace::reader {
namespace {

// Returns the bytes that a batch may fill: three quarters of the second-level
// cache, which each core has for itself. The rest is for other data.
uint64_t CacheForBatch() {
  constexpr int64_t kUsual = int64_t{1} << 20;
  int64_t size = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
  size = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  return static_cast<uint64_t>(size > 0 ? size : kUsual) / 4 * 3;
}

}  // namespace

// Chooses a batch size at which the records and columns of a batch fit the
// cache together.
void BatchFiller::ChooseBatchSize(const column::ColumnSet& columns) {
  const uint64_t rows = std::max<uint64_t>(1, columns.num_rows());
  const uint64_t row_bytes = (columns.ContentBytes() + batch_bytes_) / rows + 1;
  options_.batch_size = std::clamp(
      static_cast<size_t>(CacheForBatch() / row_bytes), kMinRows, kMaxRows);
}

Status BatchFiller::Fill(const Plan& plan, BatchStorage* storage,
                         infer::LateFeatures* late) {
  column::ColumnSet& columns = storage->columns();
  program_ = &plan::Program::Of(plan);
  bool afresh = false;
  bool has_memory = false;
  batch_bytes_ = 0;
  while (columns.num_rows() < options_.batch_size) {
    size_t rows_left = options_.batch_size - columns.num_rows();
    if (options_.batch_size == kAutoBatchSize) {
      if (columns.num_rows() >= kMinRows) {
        ChooseBatchSize(columns);
        continue;
      }
      rows_left = kMinRows - columns.num_rows();
    }
    if (!block_ || next_ == block_->block.records.size()) {
      block_.reset();
      if (!NextBlock(RecordsToAsk(rows_left))) break;
    }
    const auto records = block_->block.records.subspan(next_);
    const size_t count =
        CountThatFit(records, batch_bytes_, options_.limits.max_batch_bytes,
                     columns.num_rows() == 0);
    if (count == 0) break;
    if (!std::exchange(has_memory, true)) {
      Status status = storage->AskForMemory(most_rows_);
      if (!status.ok()) return status;
    }
    const decode::BlockEnd end = Decode(count, rows_left, storage, late);
    Consume(end, storage);
    if (end.code == ErrorCode::kLimit && columns.num_rows() == 0 && !afresh) {
      // Try again without the memory that earlier batches needed: the row is an
      // error only if it cannot fit alone.
      afresh = true;
      storage->StartAfresh();
      continue;
    }
    if (end.code != ErrorCode::kOk &&
        !HandleFailure(end.code, columns.num_rows() == 0)) {
      break;
    }
  }
  return WithFile(storage->Seal(), *storage);
}

// Returns how many records to ask the stream for. If bad rows are skipped, asks
// for more than the rows left: other records of the block take the place of
// skipped ones, and small blocks cost more per record. With max_bad, blocks
// stay small, because a larger one might count damage that comes after the
// batch.
size_t BatchFiller::RecordsToAsk(size_t rows_left) const {
  const bool takes_more = options_.on_row_error == OnRowError::kSkip &&
                          options_.max_bad == ~uint64_t{0};
  return takes_more ? kBlockRecords : std::min(kBlockRecords, rows_left);
}

decode::BlockEnd BatchFiller::Decode(size_t count, size_t most_rows,
                                     BatchStorage* storage,
                                     infer::LateFeatures* late) {
  bad_rows_.clear();
  const bool skips = options_.on_row_error == OnRowError::kSkip;
  const uint64_t found = report_->num_regions + report_->num_rows;
  return storage->Decode(
      block_->block.records.subspan(next_, count),
      {.verify_payload = block_->block.payloads_unverified,
       .verify_unselected = options_.verify_unselected,
       .strict_columns = options_.strict_columns,
       .order = &order_,
       .bad_rows = skips ? &bad_rows_ : nullptr,
       .most_bad_rows = options_.max_bad - std::min(found, options_.max_bad),
       .most_rows = most_rows},
      late);
}

// Adds the place of the row to an error of Seal that is about one row.
Status BatchFiller::WithFile(const Status& sealed,
                             const BatchStorage& storage) const {
  if (!storage.bad_row()) return sealed;
  const RowOrigin& origin = storage.origins()[*storage.bad_row()];
  ErrorInfo info = *sealed.info();
  info.file = files_[origin.file];
  info.offset = origin.offset;
  return Status(std::move(info));
}

void BatchFiller::GiveBack() {
  if (block_ && next_ < block_->block.records.size()) {
    stream_->GiveBack(block_->After(next_), {});
  }
  block_.reset();
}

bool BatchFiller::NextBlock(size_t max_records) {
  Skipped left_out;
  auto block = stream_->Next(max_records, &left_out);
  AddRegions(std::move(left_out));
  CheckBad();
  if (!block.ok()) {
    return status_.ok() ? Fail(block.status()) : false;
  }
  block_.reset();
  if (block) block_ = *std::move(block);
  next_ = 0;
  if (!status_.ok()) return false;
  at_end_ = !block_.has_value();
  return !at_end_;
}

void BatchFiller::Advance() {
  const record::RecordSpan& span = block_->block.records[next_++];
  ++num_records_;
  num_bytes_ += kRecordOverhead + span.size;
}

void BatchFiller::TakeRows(size_t count, BatchStorage* storage) {
  const record::Block& block = block_->block;
  storage->AddRecords(block.records.subspan(next_, count), NumberOfNext(),
                      block_->file, block.pin);
  for (size_t i = 0; i < count; ++i) {
    batch_bytes_ += block.records[next_].size;
    Advance();
  }
}

void BatchFiller::Consume(const decode::BlockEnd& end, BatchStorage* storage) {
  const size_t first = next_;
  for (const decode::BadRow& bad : bad_rows_) {
    TakeRows(first + bad.index - next_, storage);
    SkipRow(bad.code);
  }
  TakeRows(first + end.num_decoded - next_, storage);
}

bool BatchFiller::IsTooBad(uint64_t more_regions) const {
  return report_->num_regions + more_regions + report_->num_rows >
         options_.max_bad;
}

void BatchFiller::CheckBad() {
  if (!status_.ok() || !IsTooBad(0)) return;
  std::string text;
  if (report_->num_regions > 0) {
    text = Counted(report_->num_regions, "damaged region");
  }
  if (report_->num_rows > 0) {
    text +=
        (text.empty() ? "" : " and ") + Counted(report_->num_rows, "bad row");
  }
  text += " exceed max_bad " + std::to_string(options_.max_bad);
  ExplainSkipped();
  if (!report_->rows.empty()) {
    text += "; first bad row: " + report_->rows.front().ToString();
  }
  status_ = Status(ErrorCode::kTooManyBad, std::move(text));
}

void BatchFiller::AddRegions(Skipped&& left_out) {
  report_->num_regions += left_out.count;
  AppendRegions(std::move(left_out.regions), options_.limits.max_reported,
                &report_->regions);
}

// A bad payload ends reading under kFail; otherwise its record is skipped.
bool BatchFiller::LeaveOutPayload(const record::RecordSpan& span,
                                  uint64_t number) {
  const std::string& file = files_[block_->file];
  if (options_.on_corrupt == OnCorrupt::kFail) {
    return Fail(record::BadPayload(span, number, file));
  }
  Skipped left_out;
  left_out.count = 1;
  left_out.regions.push_back(
      {file, {span.offset, span.end(), ErrorCode::kPayloadCrc}});
  AddRegions(std::move(left_out));
  Advance();
  CheckBad();
  return status_.ok();
}

void BatchFiller::AddSkipped(const plan::Program& program,
                             const FileBlock& block, size_t i,
                             const record::RecordSpan& span, ErrorCode code) {
  program_ = &program;
  if (report_->num_rows++ >= options_.limits.max_reported) return;
  unexplained_.Add(program, span.view(),
                   {.file = &files_[block.file],
                    .record = record::NumberAfter(block.block.first_record, i),
                    .offset = span.offset},
                   code, &report_->rows);
}

RowPlace BatchFiller::PlaceOfNext() const {
  return {.file = &files_[block_->file],
          .record = NumberOfNext(),
          .offset = block_->block.records[next_].offset};
}

void BatchFiller::SkipRow(ErrorCode code) {
  AddSkipped(*program_, *block_, next_, block_->block.records[next_], code);
  Advance();
  CheckBad();
}

void BatchFiller::ExplainSkipped() {
  if (unexplained_.size() > 0) {
    unexplained_.Explain(*program_, &report_->rows);
  }
}

// Handles the failure of the record at next_. Returns true if reading goes on.
// Returns false if the batch ends here: with an error in status_, or because
// the record is left for the next batch.
bool BatchFiller::HandleFailure(ErrorCode code, bool batch_is_empty) {
  if (code == ErrorCode::kLimit && !batch_is_empty) return false;
  const record::RecordSpan& span = block_->block.records[next_];
  // Damage can cause any error, so the checksum is compared first.
  if (code == ErrorCode::kPayloadCrc ||
      (block_->block.payloads_unverified && !record::PayloadIsIntact(span))) {
    return LeaveOutPayload(span, NumberOfNext());
  }
  if (options_.on_row_error == OnRowError::kFail ||
      code == ErrorCode::kOutOfMemory) {
    return Fail(ExplainAt(*program_, span.view(), PlaceOfNext(), code));
  }
  SkipRow(code);
  return status_.ok();
}

}  // namespace headrace::reader
