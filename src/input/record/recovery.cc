// Scanner applies the policies for damage of docs/formats/tfrecord.md.

#include <algorithm>
#include <string>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c.h"
#include "src/input/record/scanner.h"

namespace headrace::record {

// Returns the finding at pos_ as the final error, or makes it a region.
Status Scanner::Report(Finding finding) {
  finding.offset = pos_;
  finding.record = Number();
  if (pos_ == 0) {
    finding.head = At(0);
    finding.head_size = Left();
  }
  switch (options_.on_corrupt) {
    case OnCorrupt::kSkip:
      return Skip(finding);
    case OnCorrupt::kRescan:
      return Recover(finding);
    case OnCorrupt::kFail:
      break;
  }
  return ToStatus(finding, *source_);
}

// Skips damage that does not affect the framing of anything else.
Status Scanner::Skip(const Finding& finding) {
  switch (finding.code) {
    case ErrorCode::kPayloadCrc:
      LeaveOutRecord(finding.declared);
      return Status();
    case ErrorCode::kTruncatedHeader:
    case ErrorCode::kTruncatedPayload:
    case ErrorCode::kTruncatedFooter:
      numbers_are_sure_ = false;
      LeaveOut(window_.end(), finding.code);
      return Status();
    default:
      return ToStatus(finding, *source_);
  }
}

// Skips only the record if its payload is bad and a record seems to follow;
// none does after a missing byte, for example. Any other damage may have lost
// the framing, so this searches for the next intact record.
Status Scanner::Recover(const Finding& finding) {
  if (finding.code == ErrorCode::kPayloadCrc) {
    const uint64_t end = pos_ + kRecordOverhead + finding.declared;
    suspect_until_ = std::max(suspect_until_, end);
    Result<bool> followed = IsFollowedByHeader(finding.declared);
    if (!followed.ok()) return followed.status();
    if (*followed) {
      LeaveOutRecord(finding.declared);
      return Status();
    }
  }
  const uint64_t begin = pos_;
  Result<uint64_t> end = FindRecordAfter(begin);
  pos_ = begin;
  if (!end.ok()) return end.status();
  numbers_are_sure_ = false;
  LeaveOut(*end, finding.code);
  recovered_ = true;
  return Status();
}

// Requires all bytes of the record at pos_. Returns true if it ends with the
// stream, or if a header with a right CRC follows it.
Result<bool> Scanner::IsFollowedByHeader(uint64_t length) {
  const size_t record = kRecordOverhead + static_cast<size_t>(length);
  if (seam_ == pos_ + record) return true;
  Result<bool> whole = Fetch(record + kRecordHeaderBytes);
  if (!whole.ok()) return whole.status();
  if (!*whole) return Left() == record;
  return IsRecordHeader(At(pos_ + record));
}

// Returns the first offset after `begin` where a whole intact record begins, or
// the end of the stream. pos_ moves along, so that bytes before it can be
// dropped.
Result<uint64_t> Scanner::FindRecordAfter(uint64_t begin) {
  pos_ = begin + 1;
  while (true) {
    pos_ += FindHeader(StretchAt(pos_));
    if (Left() < kRecordHeaderBytes) {
      Result<bool> more = Fetch(kRecordHeaderBytes);
      if (!more.ok()) return more.status();
      if (!*more && seam_) return SplitSeam();
      if (!*more) return window_.end();
      continue;
    }
    Result<bool> record = IsRecord();
    if (!record.ok()) return record.status();
    if (*record) return pos_;
    ++pos_;
  }
}

// Whether the record at pos_, whose header is right, is whole and intact.
Result<bool> Scanner::IsRecord() {
  const uint64_t length = LoadLittle64(At(pos_));
  // FindHeader has checked this, but the bytes of a mapped file may change.
  if (length > max_payload_) return false;
  const size_t size = static_cast<size_t>(length);
  Result<bool> whole = Fetch(kRecordOverhead + size);
  if (!whole.ok() || !*whole) return whole;
  const uint8_t* const payload = At(pos_) + kRecordHeaderBytes;
  const uint32_t computed = MaskCrc32c(PayloadCrc(pos_, payload, size));
  if (LoadLittle32(payload + size) == computed) return true;
  suspect_until_ = std::max(suspect_until_, pos_ + kRecordOverhead + length);
  return false;
}

// Frames records that begin before suspect_until_, as Frame does.
size_t Scanner::FrameSuspects(std::span<RecordSpan> spans) {
  Stretch stretch = StretchAt(pos_);
  const bool verify = std::exchange(stretch.verify_payload, false);
  size_t count = 0;
  while (count < spans.size() && stretch.offset < suspect_until_) {
    if (FrameRecords(stretch, spans.subspan(count, 1)) == 0) break;
    const RecordSpan& span = spans[count];
    if (verify &&
        LoadLittle32(span.payload + span.size) !=
            MaskCrc32c(PayloadCrc(span.offset, span.payload, span.size))) {
      break;
    }
    ++count;
    stretch = StretchAt(span.end());
    stretch.verify_payload = false;
  }
  return count;
}

// Returns the stream's failure, after all bytes before it have been used. A
// record that it cuts is not reported as cut, for the end is unknown.
Status Scanner::StreamFailure() const {
  ErrorInfo info = *source_->failure().info();
  info.offset = pos_;
  info.record = Number();
  return Status(std::move(info));
}

// The content of compressed bytes after damage cannot be known, so a rescan
// skips the rest of the file.
Status Scanner::MeetStreamFailure() {
  const Status failure = StreamFailure();
  if (!MayLoseFraming(options_.on_corrupt) ||
      failure.code() != ErrorCode::kDecompress) {
    return failure;
  }
  ++num_regions_;
  if (regions_.size() < options_.limits.max_reported) {
    regions_.push_back({.begin = pos_,
                        .end = kUnknown,
                        .reason = failure.code(),
                        .message = std::string(failure.message())});
  }
  numbers_are_sure_ = false;
  at_end_ = true;
  pos_ = window_.end();
  return Status();
}

// Skips the record at pos_, whose payload is bad.
void Scanner::LeaveOutRecord(uint64_t declared) {
  LeaveOut(pos_ + kRecordOverhead + declared, ErrorCode::kPayloadCrc);
  if (options_.numbers_bad_payloads) ++next_record_;
}

void Scanner::LeaveOut(uint64_t end, ErrorCode reason) {
  if (pos_ >= range_.begin) {
    ++num_regions_;
    if (regions_.size() < options_.limits.max_reported) {
      regions_.push_back({.begin = pos_, .end = end, .reason = reason});
    }
  }
  pos_ = end;
}

}  // namespace headrace::record
