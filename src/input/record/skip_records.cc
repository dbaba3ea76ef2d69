// Scanner passes over unwanted records by their headers.

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "src/base/framing.h"
#include "src/base/record_header.h"
#include "src/input/record/header_walk.h"
#include "src/input/record/scanner.h"

namespace headrace::record {
namespace {

constexpr size_t kPassedAtATime = 1024;

}  // namespace

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

}  // namespace headrace::record
