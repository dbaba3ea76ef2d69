#include "src/input/blocks/seekable_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/input/blocks/member_hops.h"

namespace headrace::compression {

SeekableStream::SeekableStream(std::shared_ptr<const SeekTable> table,
                               std::unique_ptr<ByteStream> stored,
                               size_t threads, SeekTableBuilder* builder)
    : table_(std::move(table)),
      stored_(std::make_shared<SharedStored>(std::move(stored),
                                             table_->stored_size())),
      random_(table_, stored_, Access::kRandom),
      in_order_(table_, stored_, Access::kInOrder),
      builder_(builder) {
  if (!table_->is_claim()) proved_ = table_->points().size();
  const uint64_t most =
      kMaxAhead / std::max<uint64_t>(table_->largest_block(), 1);
  if (threads > 1 && table_->points().size() > 1 && most > 2) {
    ahead_ = std::make_unique<InflateAhead>(
        table_, stored_,
        static_cast<size_t>(std::min<uint64_t>(threads, most - 1)));
  }
}

Result<size_t> SeekableStream::Read(std::span<uint8_t> out) {
  return CatchOutOfMemory([&]() -> Result<size_t> {
    if (from_beginning_ == nullptr) {
      Result<size_t> got = ReadByTable(out);
      if (got.ok() || got.status().code() == ErrorCode::kOutOfMemory ||
          got.status().code() == ErrorCode::kCancelled) {
        return got;
      }
      if (Status status = InflateFromBeginning(); !status.ok()) return status;
    }
    const Result<size_t> got = from_beginning_->Read(out);
    if (got.ok()) position_ += *got;
    return got;
  });
}

Result<size_t> SeekableStream::ReadByTable(std::span<uint8_t> out) {
  if (begins_) {
    // A read from the beginning tests each point on the way, so nothing need be
    // proved first.
    const size_t first = position_ == 0 ? 0 : table_->BlockOf(position_);
    if (Status status = Prove(first); !status.ok()) return status;
    if (ahead_ != nullptr) {
      const bool is_past = position_ > 0 && position_ >= table_->plain_size();
      ahead_->Begin(is_past ? table_->points().size() : first);
    }
    piece_ = {};
    begins_ = false;
  }
  if (ahead_ != nullptr) return ReadAhead(out);
  const Result<size_t> got = in_order_.ReadAt(position_, out);
  if (!got.ok()) return got;
  if (position_ == table_->plain_size() && !is_end_checked_) {
    if (Status status = in_order_.CheckEnd(); !status.ok()) return status;
    is_end_checked_ = true;
  }
  position_ += *got;
  return got;
}

Result<size_t> SeekableStream::ReadAhead(std::span<uint8_t> out) {
  uint64_t end = piece_.offset + piece_.bytes.size();
  while (position_ >= end) {
    if (ahead_->ended()) return size_t{0};
    const Result<InflateAhead::Piece> piece = ahead_->Take();
    if (!piece.ok()) return piece.status();
    piece_ = *piece;
    end = piece_.offset + piece_.bytes.size();
  }
  const size_t begin = static_cast<size_t>(position_ - piece_.offset);
  const size_t size = std::min(out.size(), piece_.bytes.size() - begin);
  std::memcpy(out.data(), piece_.bytes.data() + begin, size);
  position_ += size;
  return size;
}

Status SeekableStream::Prove(size_t block) {
  if (block <= proved_) return Status();
  const Result<bool> walked = WalkFrames(block);
  if (!walked.ok()) return walked.status();
  if (!*walked) {
    if (Status status = InflateToProve(block); !status.ok()) return status;
  }
  proved_ = block;
  return Status();
}

// Returns true if the frame headers confirm every point of the table up to
// `block`; false if they do not, or if the file is not zstd.
Result<bool> SeekableStream::WalkFrames(size_t block) {
  if (table_->compression() != Compression::kZstd) return false;
  ZstdFrameWalk walk(stored_);
  for (; proved_ < block; ++proved_) {
    const SeekPoint& next = table_->points()[proved_ + 1];
    uint64_t at = table_->points()[proved_].stored_byte();
    uint64_t plain = table_->points()[proved_].plain;
    while (at < next.stored_byte()) {
      const auto frame = walk.FrameAt(at);
      if (!frame.ok()) return frame.status();
      if (!frame || !frame->plain) return false;
      at = frame->end;
      plain += *frame->plain;
    }
    if (at != next.stored_byte() || plain != next.plain) return false;
  }
  return true;
}

Status SeekableStream::InflateToProve(size_t block) {
  if (ahead_ == nullptr) return in_order_.InflateUpTo(proved_, block);
  begins_ = true;
  ahead_->Begin(proved_);
  while (ahead_->next_block() < block) {
    const Result<InflateAhead::Piece> piece = ahead_->Take();
    if (!piece.ok()) return piece.status();
  }
  return Status();
}

// The bytes up to position_ are dropped: they were returned, or passed over.
Status SeekableStream::InflateFromBeginning() {
  ahead_ = nullptr;
  piece_ = {};
  auto inflate =
      Decompress(table_->compression(), std::make_unique<StoredCursor>(stored_),
                 stored_->size());
  if (!inflate.ok()) return inflate.status();
  from_beginning_ = *std::move(inflate);
  from_beginning_->FindPoints(builder_);
  std::vector<uint8_t> dropped(size_t{64} << 10);
  for (uint64_t at = 0; at < position_;) {
    const Result<size_t> got =
        from_beginning_->Read(std::span(dropped).first(static_cast<size_t>(
            std::min<uint64_t>(dropped.size(), position_ - at))));
    if (!got.ok()) return got.status();
    if (*got == 0) break;
    at += *got;
  }
  return Status();
}

Status SeekableStream::CheckTable() {
  return CatchOutOfMemory([&] {
    Status status = Prove(table_->points().size() - 1);
    return status.ok() ? random_.CheckEnd() : status;
  });
}

bool SeekableStream::SeekTo(uint64_t position) {
  position_ = position;
  is_end_checked_ = false;
  from_beginning_ = nullptr;
  begins_ = true;
  return true;
}

Result<size_t> SeekableStream::ReadAt(uint64_t position,
                                      std::span<uint8_t> out) {
  if (position < table_->plain_size() && !out.empty()) {
    const uint64_t last =
        std::min<uint64_t>(out.size() - 1, table_->plain_size() - 1 - position);
    const Status status = CatchOutOfMemory(
        [&] { return Prove(table_->BlockOf(position + last)); });
    if (!status.ok()) return status;
  }
  return random_.ReadAt(position, out);
}

void SeekableStream::WillNeed(uint64_t position, uint64_t size) const {
  if (position >= table_->plain_size() || size == 0) return;
  const size_t last = table_->BlockOf(position + size - 1);
  const auto points = table_->points();
  const uint64_t begin = points[table_->BlockOf(position)].stored_byte();
  const uint64_t end = last + 1 < points.size() ? points[last + 1].stored_byte()
                                                : table_->stored_size();
  stored_->WillNeed(begin, end - begin);
}

uint64_t SeekableStream::stored_position() const {
  if (from_beginning_ != nullptr) return from_beginning_->stored_position();
  return ahead_ != nullptr ? ahead_->stored_position()
                           : in_order_.stored_position();
}

}  // namespace headrace::compression
