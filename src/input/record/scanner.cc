#include "src/input/record/scanner.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <string>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/record/header_walk.h"
#include "src/input/record/seam.h"

namespace headrace::record {
namespace {

constexpr size_t kPassedAtATime = 1024;

// Maximum number of spans per block: an absurd max_records must not allocate
// more.
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
  // further. Asking for half as much again keeps the number of copied bytes
  // linear.
  const bool suspect = pos_ < suspect_until_;
  Result<source::Window> next =
      source_->Next(pos_, suspect ? size + size / 2 : size);
  if (!next.ok()) return next.status();
  window_ = *std::move(next);
  assert(window_.offset == pos_);
  if (Left() >= size) return true;
  return EndOfWindows();
}

// Returns what Fetch returns if the stream has too few bytes: false, or an
// error if the missing bytes are after a seam.
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

// ------------------------------------------------------------- Parts of a file

// The first part of a file begins where a reader of the whole file begins. Each
// part ends exactly where the next one begins, or fails. So, by induction, all
// parts together have the records that a reader of the whole file returns.

Status Check(const ByteRange& range) {
  if (range.begin <= range.end) return Status();
  return Status(ErrorCode::kInvalidArgument,
                "the range of bytes ends before it begins: " +
                    std::to_string(range.begin) + " to " +
                    std::to_string(range.end));
}

Status Scanner::ReadRange(const ByteRange& range) {
  if (!source_->can_read_at()) {
    range_ = range;
    return Status();
  }
  const Result<uint64_t> begin = FindSeam(source_.get(), range.begin);
  if (!begin.ok()) return final_ = begin.status();
  // Both seams are the same if no record begins in the range.
  const Result<uint64_t> end =
      *begin < range.end ? FindSeam(source_.get(), range.end) : begin;
  if (!end.ok()) return final_ = end.status();
  if (range.end < source_->stream_size()) source_->EndAt(*end);
  if (*end < source_->stream_size()) seam_ = *end;
  knows_numbers_ = *begin == 0;
  const Result<bool> there = GoTo(*begin);
  return final_ = there.status();
}

// Removes the records outside the range from spans_, which has the `count`
// records that end at pos_. Returns how many are left at its front.
size_t Scanner::TrimToRange(size_t count) {
  if (range_ == ByteRange()) return count;
  const auto begin = spans_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  const auto first = std::find_if(begin, end, [this](const RecordSpan& span) {
    return span.offset >= range_.begin;
  });
  const auto last = std::find_if(first, end, [this](const RecordSpan& span) {
    return span.offset >= range_.end;
  });
  if (last != end) pos_ = last->offset;
  next_record_ += static_cast<uint64_t>(first - begin);
  if (first != begin) std::copy(first, last, begin);
  return static_cast<size_t>(last - first);
}

// Returns the error for bytes at pos_ that go on past the seam.
Status Scanner::SplitSeam() const {
  return Status(ErrorInfo{
      .code = ErrorCode::kSplitSeam,
      .message = "the record or the damage here goes on past byte " +
                 std::to_string(*seam_) +
                 ", where the next part of the file begins; a record holds a "
                 "TFRecord file, or bytes are damaged: read the file in fewer "
                 "parts or as a whole",
      .file = source_->name(),
      .record = Number(),
      .offset = pos_});
}

// -------------------------------------------------------------------- Resuming

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

// Makes windows continue at `offset`. Returns false and changes nothing if the
// source can get there only by reading.
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

// ----------------------------------------------------------- Ranges of records

Status Scanner::PassTo(uint64_t number) {
  if (!final_.ok()) return final_;
  const bool can_walk = options_.walks_headers && source_->can_read_at() &&
                        source_->compression() == Compression::kNone &&
                        !MayLoseFraming(options_.on_corrupt);
  if (can_walk) {
    if (Status status = WalkTo(number); !status.ok()) return final_ = status;
  }
  const uint64_t record_end = std::exchange(record_end_, number);
  Result<Block> block = NextBlock(kPassedAtATime);
  while (block.ok() && !block->records.empty()) {
    block = NextBlock(kPassedAtATime);
  }
  record_end_ = record_end;
  return block.status();
}

// Walks the headers up to record `number`. Stops before anything odd, which
// NextBlock then reports.
Status Scanner::WalkTo(uint64_t number) {
  HeaderWalk walk(source_.get(), pos_, source_->stream_size(), max_payload_);
  uint64_t passed = next_record_;
  while (passed < number) {
    if (options_.interrupt != nullptr && options_.interrupt->Ask()) {
      return Cancelled();
    }
    const uint64_t left = number - passed;
    const auto lengths = walk.Next(static_cast<size_t>(
        std::min<uint64_t>(left, std::numeric_limits<size_t>::max())));
    if (!lengths.ok()) return lengths.status();
    if (lengths->empty()) break;
    passed += lengths->size();
  }
  const Result<bool> there = GoTo(walk.at());
  if (there.ok() && *there) next_record_ = passed;
  return there.status();
}

Result<bool> Scanner::JumpTo(uint64_t number, uint64_t offset) {
  if (!source_->can_read_at() || offset < pos_ ||
      offset > source_->stream_size()) {
    return false;
  }
  if (offset < source_->stream_size()) {
    std::array<uint8_t, kRecordHeaderBytes> header;
    const Result<size_t> got = source_->ReadAt(offset, header);
    if (!got.ok() || *got < header.size() || !IsRecordHeader(header.data())) {
      return false;
    }
  }
  if (offset > window_.end() && !StartAt(offset)) return false;
  const Result<bool> there = MoveTo(offset);
  if (!there.ok()) return final_ = there.status();
  next_record_ = number;
  return true;
}

// ---------------------------------------------------------------------- Damage

// The policies of docs/formats/tfrecord.md.

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

// Skips only the record if its payload is bad and a record seems to follow.
// After a missing byte, for example, no record follows. Any other damage may
// have lost the framing, so this searches for the next intact record.
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
  AddRegion({.begin = pos_,
             .end = kUnknown,
             .reason = failure.code(),
             .message = std::string(failure.message())});
  numbers_are_sure_ = false;
  at_end_ = true;
  pos_ = window_.end();
  return Status();
}

// Skips the record at pos_, whose payload is bad.
void Scanner::LeaveOutRecord(uint64_t declared) {
  LeaveOut(pos_ + kRecordOverhead + declared, ErrorCode::kPayloadCrc);
  ++next_record_;
}

void Scanner::LeaveOut(uint64_t end, ErrorCode reason) {
  if (pos_ >= range_.begin) {
    AddRegion({.begin = pos_, .end = end, .reason = reason});
  }
  pos_ = end;
}

void Scanner::AddRegion(SkippedRegion region) {
  ++num_regions_;
  if (regions_.size() < options_.limits.max_reported) {
    regions_.push_back(std::move(region));
  }
}

}  // namespace headrace::record
