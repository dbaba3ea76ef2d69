#include "src/input/source/window_source.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <span>
#include <utility>

#include "src/base/system_error.h"

namespace headrace::source {

WindowSource::WindowSource(std::unique_ptr<ByteStream> stream, Options options)
    : stream_(std::move(stream)),
      options_(std::move(options)),
      window_bytes_(options_.window_bytes),
      pool_(std::make_shared<BlockPool>(window_bytes_)) {}

Result<Window> WindowSource::Next(uint64_t keep_from, size_t at_least) {
  assert(keep_from >= last_.offset && keep_from <= last_.end());
  const size_t dropped = static_cast<size_t>(keep_from - last_.offset);
  const size_t kept = last_.size - dropped;
  if (tail_ == Tail::kMore && options_.interrupt != nullptr &&
      options_.interrupt->Ask()) {
    failure_ = NameFile(Cancelled(), options_.name);
    last_.tail = tail_ = Tail::kFailed;
    first_ = false;
  }
  if (tail_ != Tail::kMore && !first_) {
    // No new bytes will arrive, so the old ones are used again, slack included.
    last_.data += dropped;
    last_.size = kept;
    last_.offset = keep_from;
    return last_;
  }

  if (window_bytes_ < options_.large_bytes &&
      !(options_.all_pinned != nullptr && *options_.all_pinned) &&
      pool_->used() > options_.many_pinned) {
    window_bytes_ = options_.large_bytes;
    // Pinned blocks keep the old pool alive.
    pool_ = std::make_shared<BlockPool>(window_bytes_);
  }

  // A window has the usual or the requested size, but at most twice the bytes
  // that have arrived. One new byte always has room, so each call progresses.
  const size_t base =
      first_ ? std::min(options_.first_bytes, window_bytes_) : window_bytes_;
  const size_t wanted = std::max({base, at_least, kept + 1});
  const size_t affordable = std::max({base, 2 * kept, kept + 1});
  auto taken = pool_->Take(std::min(wanted, affordable), keep_from);
  if (!taken.ok()) return NameFile(taken.status(), options_.name);
  Block* const block = taken->block;
  size_t size = kept;
  if (kept > 0) std::memcpy(block->data(), last_.data + dropped, kept);
  Fill(block, keep_from, &size, wanted);
  while (tail_ == Tail::kMore && size < at_least) {
    if (block->Grow(std::min(at_least, 2 * size))) {
      Fill(block, keep_from, &size, wanted);
    } else {
      // The stream cannot return the block's bytes again, so the window has
      // them and the stream ends here.
      tail_ = Tail::kFailed;
      failure_ = NameFile(Status::OutOfMemory(), options_.name);
    }
  }
  first_ = false;
  return Give(*taken, size, keep_from);
}

// Positions of SeekTo are offsets in the uncompressed stream, as for windows.
bool WindowSource::StartAt(uint64_t offset) {
  assert(offset >= last_.end());
  if (tail_ != Tail::kMore || !stream_->SeekTo(offset)) return false;
  last_ = Window();
  last_.offset = offset;
  return true;
}

Result<size_t> WindowSource::ReadAt(uint64_t offset, std::span<uint8_t> out) {
  return NameFile(stream_->ReadAt(offset, out), options_.name);
}

void WindowSource::Fill(Block* block, uint64_t offset, size_t* size,
                        size_t wanted) {
  const size_t end = static_cast<size_t>(std::min<uint64_t>(
      std::min(wanted, block->capacity()), end_ - std::min(end_, offset)));
  while (*size < end && tail_ == Tail::kMore) {
    auto got = stream_->Read(std::span(block->data() + *size, end - *size));
    if (!got.ok()) {
      tail_ = Tail::kFailed;
      failure_ = NameFile(got.status(), options_.name);
    } else if (*got == 0) {
      tail_ = Tail::kEnd;
    } else {
      *size += *got;
    }
  }
  if (tail_ == Tail::kMore && offset + *size >= end_) tail_ = Tail::kEnd;
}

Window WindowSource::Give(const BlockPool::Taken& taken, size_t size,
                          uint64_t offset) {
  taken.block->Seal(size);
  last_ = Window{.data = taken.block->data(),
                 .size = size,
                 .offset = offset,
                 .tail = tail_,
                 .pin = taken.pin};
  return last_;
}

}  // namespace headrace::source
