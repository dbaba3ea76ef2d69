#include "src/input/compression/input_buffer.h"

#include <algorithm>
#include <cstring>

namespace headrace::compression {

Status InputBuffer::Fill() {
  if (begin_ < end_ || ended_) return Status();
  if (!failure_.ok()) return failure_;
  if (buffer_.data() == nullptr) {
    if (!buffer_.Grow(kGiveBack + capacity_)) {
      return failure_ = Status::OutOfMemory();
    }
    std::memset(buffer_.data(), 0, kGiveBack);
  }
  std::memmove(buffer_.data(), buffer_.data() + end_ - kGiveBack, kGiveBack);
  begin_ = end_ = kGiveBack;
  auto got = stream_->Read(std::span(buffer_.data() + kGiveBack, capacity_));
  if (!got.ok()) return failure_ = got.status();
  ended_ = *got == 0;
  end_ += *got;
  return Status();
}

bool InputBuffer::SeekTo(uint64_t position) {
  if (!stream_->SeekTo(position)) return false;
  begin_ = end_ = kGiveBack;
  ended_ = false;
  failure_ = Status();
  return true;
}

Result<size_t> InputBuffer::Take(std::span<uint8_t> out) {
  size_t taken = 0;
  while (taken < out.size()) {
    if (Status status = Fill(); !status.ok()) return status;
    if (ended()) break;
    const size_t count = std::min(out.size() - taken, end_ - begin_);
    std::memcpy(out.data() + taken, buffer_.data() + begin_, count);
    begin_ += count;
    taken += count;
  }
  return taken;
}

}  // namespace headrace::compression
