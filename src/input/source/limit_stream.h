// LimitStream fails once a stream has more bytes than a limit.

#ifndef HEADRACE_SRC_INPUT_SOURCE_LIMIT_STREAM_H_
#define HEADRACE_SRC_INPUT_SOURCE_LIMIT_STREAM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "src/base/byte_stream.h"

namespace headrace::source {

class LimitStream : public ByteStream {
 public:
  LimitStream(std::unique_ptr<ByteStream> stream, uint64_t limit)
      : stream_(std::move(stream)), limit_(limit), left_(limit) {}

  // The limit itself is allowed, so only another read shows if there is more.
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

#endif  // HEADRACE_SRC_INPUT_SOURCE_LIMIT_STREAM_H_
