// Lets several streams read one stored file, each at its own position.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_STORED_CURSOR_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_STORED_CURSOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "headrace/status.h"
#include "src/base/byte_stream.h"
#include "src/base/memory/buffer.h"
#include "src/base/system_error.h"

namespace headrace::compression {

// Threads may share it. Only one thread at a time reads, because inputs of the
// caller require that.
class SharedStored {
 public:
  // `stream` must be able to read at any offset, and has `size` bytes.
  SharedStored(std::unique_ptr<ByteStream> stream, uint64_t size)
      : stream_(std::move(stream)), size_(size) {}

  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) {
    const std::lock_guard lock(mutex_);
    return stream_->ReadAt(position, out);
  }
  void WillNeed(uint64_t position, uint64_t size) {
    const std::lock_guard lock(mutex_);
    stream_->WillNeed(position, size);
  }
  uint64_t size() const { return size_; }
  bool is_far() const { return stream_->is_far(); }

 private:
  std::mutex mutex_;
  const std::unique_ptr<ByteStream> stream_;
  const uint64_t size_;
};

class StoredCursor : public ByteStream {
 public:
  explicit StoredCursor(std::shared_ptr<SharedStored> stored)
      : stored_(std::move(stored)), end_(stored_->size()) {}

  // Ends the stream before this byte.
  void EndAt(uint64_t end) { EndAtBit(8 * std::min(end, stored_->size())); }
  // Ends the stream before this bit; the rest of its byte reads as zeros.
  void EndAtBit(uint64_t bit) {
    end_ = std::min((bit + 7) / 8, stored_->size());
    last_bits_ = static_cast<int>(bit % 8);
  }
  // Announces that the bytes up to this one will be read, so that a far file is
  // asked for all of them.
  void NeedUpTo(uint64_t end) { needed_end_ = end; }

  Result<size_t> Read(std::span<uint8_t> out) override {
    const uint64_t left = end_ - std::min(end_, position_);
    if (left == 0) return size_t{0};
    const auto wanted =
        out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), left)));
    Result<size_t> got =
        stored_->is_far() ? ReadFetched(wanted) : ReadStored(wanted);
    if (!got.ok()) return got;
    position_ += *got;
    if (position_ == end_ && last_bits_ > 0) {
      uint8_t& last = out[*got - 1];
      last = static_cast<uint8_t>(last & ((1u << last_bits_) - 1));
    }
    return got;
  }
  bool SeekTo(uint64_t position) override {
    position_ = position;
    return true;
  }
  uint64_t stored_position() const override { return position_; }

 private:
  static constexpr uint64_t kMaxFetched = uint64_t{8} << 20;

  Result<size_t> ReadStored(std::span<uint8_t> out) {
    Result<size_t> got = stored_->ReadAt(position_, out);
    if (!got.ok() || *got == out.size()) return got;
    return Shrank(stored_->size(), position_ + *got);
  }

  Result<size_t> ReadFetched(std::span<uint8_t> out) {
    if (position_ < fetched_at_ || position_ - fetched_at_ >= fetched_size_) {
      const uint64_t end = std::min(needed_end_, end_);
      const uint64_t soon =
          std::min(end - std::min(end, position_), kMaxFetched);
      const size_t size =
          static_cast<size_t>(std::max<uint64_t>(soon, out.size()));
      fetched_size_ = 0;
      if (!fetched_.Grow(size)) return Status::OutOfMemory();
      const Result<size_t> got = ReadStored({fetched_.data(), size});
      if (!got.ok()) return got;
      fetched_at_ = position_;
      fetched_size_ = size;
    }
    const size_t begin = static_cast<size_t>(position_ - fetched_at_);
    const size_t size = std::min(out.size(), fetched_size_ - begin);
    std::memcpy(out.data(), fetched_.data() + begin, size);
    return size;
  }

  const std::shared_ptr<SharedStored> stored_;
  uint64_t end_;
  int last_bits_ = 0;  // of the last byte; 0: all
  uint64_t position_ = 0;
  // For a far file: where the announced bytes end, and the bytes of the last
  // request.
  uint64_t needed_end_ = 0;
  Buffer fetched_;
  uint64_t fetched_at_ = 0;
  size_t fetched_size_ = 0;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_STORED_CURSOR_H_
