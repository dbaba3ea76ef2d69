// Streams over bytes in memory, and thin wrappers of another stream.

#ifndef HEADRACE_SRC_INPUT_SOURCE_STREAMS_H_
#define HEADRACE_SRC_INPUT_SOURCE_STREAMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "src/base/byte_stream.h"
#include "src/base/memory/buffer.h"

namespace headrace::source {

// MemoryStream reads bytes that the caller keeps alive and unchanged.
class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    const size_t count = std::min(out.size(), bytes_.size() - position_);
    if (count > 0) std::memcpy(out.data(), bytes_.data() + position_, count);
    position_ += count;
    return count;
  }
  bool SeekTo(uint64_t position) override {
    position_ =
        static_cast<size_t>(std::min<uint64_t>(position, bytes_.size()));
    return true;
  }
  bool can_read_at() const override { return true; }
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override {
    if (position >= bytes_.size()) return size_t{0};
    const auto rest = bytes_.subspan(static_cast<size_t>(position));
    const size_t count = std::min(out.size(), rest.size());
    if (count > 0) std::memcpy(out.data(), rest.data(), count);
    return count;
  }
  uint64_t stored_position() const override { return position_; }

 private:
  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
};

// ReplayStream repeats the first bytes of a stream and then reads the rest. So
// the head of a pipe, which cannot be read twice, can be examined.
class ReplayStream : public ByteStream {
 public:
  // `head` holds the `head_size` bytes that were read from `rest` so far.
  ReplayStream(Buffer head, size_t head_size, std::unique_ptr<ByteStream> rest)
      : head_(std::move(head)), head_size_(head_size), rest_(std::move(rest)) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    if (position_ == head_size_) return rest_->Read(out);
    const size_t count = std::min(out.size(), head_size_ - position_);
    std::memcpy(out.data(), head_.data() + position_, count);
    position_ += count;
    return count;
  }
  bool SeekTo(uint64_t position) override {
    if (!rest_->SeekTo(std::max<uint64_t>(position, head_size_))) return false;
    position_ = static_cast<size_t>(std::min<uint64_t>(position, head_size_));
    return true;
  }
  bool can_read_at() const override { return rest_->can_read_at(); }
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override {
    return rest_->ReadAt(position, out);
  }
  bool is_far() const override { return rest_->is_far(); }
  uint64_t stored_position() const override {
    return position_ < head_size_ ? position_ : rest_->stored_position();
  }

 private:
  Buffer head_;
  size_t head_size_;
  size_t position_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

// LimitStream fails once a stream has more bytes than a limit.
class LimitStream : public ByteStream {
 public:
  LimitStream(std::unique_ptr<ByteStream> stream, uint64_t limit)
      : stream_(std::move(stream)), limit_(limit), left_(limit) {}

  // The limit itself is allowed, so only another read shows whether there is
  // more.
  Result<size_t> Read(std::span<uint8_t> out) override {
    if (left_ == 0) {
      uint8_t more;
      auto got = exceeded_ ? Result<size_t>(size_t{1})
                           : stream_->Read(std::span(&more, 1));
      if (!got.ok() || *got == 0) return got;
      exceeded_ = true;
      return Status(ErrorCode::kLimit,
                    "inflates to more than max_inflated_bytes, " +
                        std::to_string(limit_));
    }
    auto got = stream_->Read(
        out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), left_))));
    if (got.ok()) left_ -= *got;
    return got;
  }
  bool SeekTo(uint64_t position) override {
    if (!stream_->SeekTo(position)) return false;
    left_ = limit_ - std::min(limit_, position);
    exceeded_ = false;
    return true;
  }
  // ReadAt does not count toward the limit.
  bool can_read_at() const override { return stream_->can_read_at(); }
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override {
    return stream_->ReadAt(position, out);
  }
  void WillNeed(uint64_t position, uint64_t size) const override {
    stream_->WillNeed(position, size);
  }
  uint64_t stored_position() const override {
    return stream_->stored_position();
  }

 private:
  const std::unique_ptr<ByteStream> stream_;
  const uint64_t limit_;
  uint64_t left_;
  bool exceeded_ = false;
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_STREAMS_H_
