#include "src/input/record/header_walk.h"

#include <algorithm>
#include <array>

#include "src/base/framing.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/record/framer.h"

namespace headrace::record {
namespace {

// Bytes per read: many small records at a time.
constexpr size_t kMaxWalked = size_t{256} << 10;
constexpr size_t kFirstWalked = size_t{64} << 10;
// If records are large, only a page with the header is read.
constexpr size_t kPageWalked = size_t{4} << 10;
constexpr uint64_t kWorthSkipping = uint64_t{32} << 10;

constexpr size_t kWalkedAtATime = 256;

}  // namespace

HeaderWalk::HeaderWalk(source::Source* source, uint64_t begin, uint64_t size,
                       uint64_t max_payload)
    : source_(source),
      size_(size),
      max_payload_(max_payload),
      at_(begin),
      buffer_(kMaxWalked + source::kSlack),
      piece_begin_(begin),
      piece_end_(begin),
      wanted_(kFirstWalked) {}

Result<std::span<const uint32_t>> HeaderWalk::Next(size_t most) {
  lengths_.clear();
  const Result<std::span<const uint8_t>> rest = Read();
  if (!rest.ok()) return rest.status();
  std::array<RecordSpan, kWalkedAtATime> spans;
  const size_t count =
      FrameRecords({.data = rest->data(),
                    .size = rest->size(),
                    .offset = at_,
                    .max_payload = max_payload_,
                    .verify_payload = false},
                   std::span(spans).first(std::min(most, spans.size())));
  for (size_t i = 0; i < count; ++i) Take(spans[i].size);
  if (count == 0 && most > 0) StepOver(*rest);
  return std::span<const uint32_t>(lengths_);
}

// Returns the bytes from at_ on: the bytes left in the buffer, or else more of
// the file. Fewer than a header has are returned only at the end of the file.
Result<std::span<const uint8_t>> HeaderWalk::Read() {
  if (at_ > piece_end_ || piece_end_ - at_ < kRecordHeaderBytes) {
    if (piece_end_ > piece_begin_) {
      const bool is_far = at_ > piece_end_ && at_ - piece_end_ > kWorthSkipping;
      wanted_ = is_far ? kPageWalked : std::min(2 * wanted_, kMaxWalked);
    }
    piece_begin_ = at_;
    const auto piece = std::span(buffer_).first(
        static_cast<size_t>(std::min<uint64_t>(wanted_, size_ - at_)));
    const Result<size_t> got = source_->ReadAt(at_, piece);
    if (!got.ok()) return got.status();
    piece_end_ = at_ + *got;
  }
  return std::span<const uint8_t>(buffer_).subspan(
      static_cast<size_t>(at_ - piece_begin_),
      static_cast<size_t>(piece_end_ - at_));
}

// Steps over the record at the front of `rest`, which does not have all of it.
void HeaderWalk::StepOver(std::span<const uint8_t> rest) {
  if (rest.size() < kRecordHeaderBytes) return;
  const uint64_t length = LoadLittle64(rest.data());
  const uint64_t left = size_ - at_;
  if (IsRecordHeader(rest.data()) && length <= max_payload_ &&
      left >= kRecordOverhead && length <= left - kRecordOverhead) {
    Take(static_cast<uint32_t>(length));
  }
}

void HeaderWalk::Take(uint32_t length) {
  lengths_.push_back(length);
  at_ += kRecordOverhead + length;
}

}  // namespace headrace::record
