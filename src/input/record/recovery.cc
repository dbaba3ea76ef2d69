// docs/formats/tfrecord.md has the policies for damage.

#include <algorithm>
#include <string>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c.h"
#include "src/input/record/scanner.h"

namespace headrace::record {

// The finding at pos_ becomes the final error, or a region.
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

// Skips damage that leaves the framing of all else alone.
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

// A record with a bad payload is lost alone, unless nothing that looks like a
// record follows it, as after a byte that went missing. Any other damage may
// have lost the framing.
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

// All bytes of the record at pos_ are there. True when it ends with the stream,
// or a header with a right CRC follows it.
Result<bool> Scanner::IsFollowedByHeader(uint64_t length) {
  const size_t record = kRecordOverhead + static_cast<size_t>(length);
  if (seam_ == pos_ + record) return true;
  Result<bool> whole = Fetch(record + kRecordHeaderBytes);
  if (!whole.ok()) return whole.status();
  if (!*whole) return Left() == record;
  return IsRecordHeader(At(pos_ + record));
}

// Gives the first offset after `begin` where a whole intact record begins, or
// the end of the stream. pos_ moves along, so that bytes behind it can be
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

// FindHeader has found a header at pos_; its record must be whole and intact.
Result<bool> Scanner::IsRecord() {
  const uint64_t length = LoadLittle64(At(pos_));
  // FindHeader has compared it, but the bytes of a mapped file may change.
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

// Does what Frame does for records that begin before suspect_until_.
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

// All bytes before the failure have been used. A record that it cut is not
// reported as cut, since the stream does not say where it ends.
Status Scanner::StreamFailure() const {
  ErrorInfo info = *source_->failure().info();
  info.offset = pos_;
  info.record = Number();
  return Status(std::move(info));
}

// What compressed bytes after damage hold cannot be known, so a rescan leaves
// out the rest of the file.
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

// The payload of the record at pos_ is bad.
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
