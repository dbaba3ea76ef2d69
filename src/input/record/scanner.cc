#include "src/input/record/scanner.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c.h"

namespace headrace::record {
namespace {

// Maximum of spans per block: an absurd max_records must not allocate more.
constexpr size_t kMaxSpans = size_t{1} << 16;

// RecordSpan has 32 bits for a size. A rescan asks the source for half as much
// again, which must fit a size_t.
constexpr uint64_t kMaxPayload =
    std::min<uint64_t>(std::numeric_limits<uint32_t>::max(),
                       std::numeric_limits<size_t>::max() / 2);

}  // namespace

Scanner::Scanner(std::unique_ptr<source::Source> source,
                 const ScanOptions& options)
    : source_(std::move(source)),
      options_(options),
      max_payload_(std::min(options.limits.max_record_bytes, kMaxPayload)) {}

Stretch Scanner::StretchAt(uint64_t offset) const {
  return Stretch{.data = At(offset),
                 .size = static_cast<size_t>(window_.end() - offset),
                 .offset = offset,
                 .max_payload = max_payload_,
                 .verify_payload = options_.verify_payload &&
                                   (!options_.defer_payload ||
                                    MayLoseFraming(options_.on_corrupt)),
                 .recovered = recovered_};
}

// Frame stops before a finding, and a block that has records ends there; the
// next call begins with the finding.
Result<Block> Scanner::NextBlock(size_t max_records) {
  if (!final_.ok()) return final_;
  spans_.resize(std::clamp<size_t>(max_records, 1, kMaxSpans));
  while (!at_end_ && next_record_ < record_end_) {
    const auto most = static_cast<size_t>(
        std::min<uint64_t>(spans_.size(), record_end_ - next_record_));
    const size_t count = TrimToRange(Frame(std::span(spans_).first(most)));
    if (count > 0) return MakeBlock(count);
    if (pos_ >= range_.end) break;
    if (Status status = Step(); !status.ok()) return final_ = status;
  }
  return MakeBlock(0);
}

size_t Scanner::Frame(std::span<RecordSpan> spans) {
  const size_t count = pos_ < suspect_until_
                           ? FrameSuspects(spans)
                           : FrameRecords(StretchAt(pos_), spans);
  if (count > 0) pos_ = spans[count - 1].end();
  return count;
}

Block Scanner::MakeBlock(size_t count) {
  Block block;
  block.records = std::span(spans_).first(count);
  block.first_record = Number();
  if (count > 0) block.pin = window_.pin;
  block.payloads_unverified = options_.verify_payload &&
                              options_.defer_payload &&
                              !MayLoseFraming(options_.on_corrupt);
  next_record_ += count;
  return block;
}

// Makes the window hold `size` bytes from pos_ on. Returns false if the stream
// ends or fails before that.
Result<bool> Scanner::Fetch(size_t size) {
  if (Left() >= size) return true;
  if (window_.tail != source::Tail::kMore) return EndOfWindows();
  // The header after a false one may be false, too, and reach just a little
  // further. Asking for half as much again keeps the copies of the bytes
  // between them linear.
  const bool suspect = pos_ < suspect_until_;
  Result<source::Window> next =
      source_->Next(pos_, suspect ? size + size / 2 : size);
  if (!next.ok()) return next.status();
  window_ = *std::move(next);
  assert(window_.offset == pos_);
  if (Left() >= size) return true;
  return EndOfWindows();
}

// The result of Fetch without enough bytes: an error if they are after a seam.
Result<bool> Scanner::EndOfWindows() const {
  if (seam_ && Left() > 0 && window_.tail == source::Tail::kEnd) {
    return SplitSeam();
  }
  return false;
}

// Called when Frame finds no record: gets more bytes, reaches the end, or
// reports a finding. Makes progress or returns the final error.
Status Scanner::Step() {
  const uint64_t before = window_.end();
  Result<bool> whole = Fetch(kRecordHeaderBytes);
  if (!whole.ok()) return whole.status();
  if (!*whole) {
    if (window_.tail == source::Tail::kFailed) return MeetStreamFailure();
    if (Left() > 0) {
      return Report({.code = ErrorCode::kTruncatedHeader, .available = Left()});
    }
    at_end_ = true;
    return Status();
  }
  if (window_.end() != before) return Status();
  const uint8_t* const header = At(pos_);
  const uint64_t length = LoadLittle64(header);
  const uint32_t stored = LoadLittle32(header + 8);
  const uint32_t computed = MaskCrc32c(Crc32c(header, 8));
  if (stored == computed) return StepOverRecord(length);
  const bool text = pos_ == 0 && IsTextHeader(header);
  return Report({.code = text ? ErrorCode::kNotTfrecord : ErrorCode::kHeaderCrc,
                 .declared = length,
                 .stored = stored,
                 .computed = computed});
}

// Handles a record at pos_ with a right header that Frame did not accept.
Status Scanner::StepOverRecord(uint64_t length) {
  if (length > max_payload_) {
    return Report({.code = ErrorCode::kTooLarge,
                   .declared = length,
                   .limit = max_payload_});
  }
  const size_t size = static_cast<size_t>(length);
  const uint64_t before = window_.end();
  Result<bool> whole = Fetch(kRecordOverhead + size);
  if (!whole.ok()) return whole.status();
  if (!*whole) {
    if (window_.tail == source::Tail::kFailed) return MeetStreamFailure();
    const size_t there = Left() - kRecordHeaderBytes;
    if (there < size) {
      return Report({.code = ErrorCode::kTruncatedPayload,
                     .declared = length,
                     .available = there});
    }
    return Report({.code = ErrorCode::kTruncatedFooter,
                   .declared = length,
                   .available = there - size});
  }
  if (window_.end() != before || !StretchAt(pos_).verify_payload) {
    return Status();
  }
  const uint8_t* const payload = At(pos_) + kRecordHeaderBytes;
  const uint32_t stored = LoadLittle32(payload + size);
  const uint32_t computed = MaskCrc32c(PayloadCrc(pos_, payload, size));
  if (stored == computed) return Status();
  return Report({.code = ErrorCode::kPayloadCrc,
                 .declared = length,
                 .stored = stored,
                 .computed = computed});
}

uint32_t Scanner::PayloadCrc(uint64_t offset, const uint8_t* payload,
                             size_t size) {
  return offset < suspect_until_
             ? range_crc_.Crc(offset + kRecordHeaderBytes, payload, size)
             : Crc32c(payload, size);
}

}  // namespace headrace::record
