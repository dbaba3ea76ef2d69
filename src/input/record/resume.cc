// Scanner continues after a record that was read before.

#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/record/scanner.h"

namespace headrace::record {

Status NoSuchRecord(const RowOrigin& last, const std::string& file) {
  return Status(ErrorInfo{
      .code = ErrorCode::kInvalidArgument,
      .message = "the record to resume after is not there: the file has "
                 "changed since it was read, or is another one",
      .file = file,
      .record = last.record,
      .offset = last.offset});
}

Status Scanner::ResumeAfter(const RowOrigin& last) {
  return final_ = PassOver(last);
}

// Makes windows continue at `offset`. Returns false and changes nothing if only
// reading leads there.
bool Scanner::StartAt(uint64_t offset) {
  if (!source_->StartAt(offset)) return false;
  window_ = source::Window();
  window_.offset = offset;
  return true;
}

// Like MoveTo, but skips the bytes before `offset` if the source can.
Result<bool> Scanner::GoTo(uint64_t offset) {
  if (offset > window_.end() && window_.tail == source::Tail::kMore) {
    static_cast<void>(StartAt(offset));
  }
  return MoveTo(offset);
}

// Moves pos_ to `offset`, which is not before it. Returns false if the stream
// ends or fails before `offset`.
Result<bool> Scanner::MoveTo(uint64_t offset) {
  while (window_.end() < offset) {
    if (window_.tail != source::Tail::kMore) return false;
    pos_ = window_.end();
    Result<source::Window> next = source_->Next(pos_, 1);
    if (!next.ok()) return next.status();
    window_ = *std::move(next);
  }
  pos_ = offset;
  return true;
}

Status Scanner::PassOver(const RowOrigin& last) {
  // In a part of a file whose record numbers are unknown, last.record is
  // unknown or counts from the beginning of the part.
  const bool is_possible =
      !knows_numbers_ || last.record <= last.offset / kRecordOverhead;
  if (!is_possible || last.offset < pos_) {
    return NoSuchRecord(last, source_->name());
  }
  if (knows_numbers_) next_record_ = last.record;
  recovered_ = last.recovered;
  Result<bool> whole = GoTo(last.offset);
  if (whole && *whole) whole = Fetch(kRecordHeaderBytes);
  if (whole && *whole) {
    const uint64_t length = LoadLittle64(At(pos_));
    if (!IsRecordHeader(At(pos_)) || length > max_payload_) {
      return NoSuchRecord(last, source_->name());
    }
    whole = MoveTo(pos_ + kRecordOverhead + length);
  }
  if (!whole.ok()) return whole.status();
  if (!*whole) {
    return window_.tail == source::Tail::kFailed
               ? StreamFailure()
               : NoSuchRecord(last, source_->name());
  }
  ++next_record_;
  return Status();
}

}  // namespace headrace::record
