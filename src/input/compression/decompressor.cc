#include "src/input/compression/decompressor.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "src/input/compression/detect.h"
#include "src/input/compression/streams.h"

namespace headrace::compression {
namespace {

// Compressed bytes per read.
constexpr uint64_t kInputBytes = uint64_t{256} << 10;

}  // namespace

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

Result<size_t> Decompressor::Read(std::span<uint8_t> out) {
  size_t filled = 0;
  while (filled < out.size() && !done_ && failure_.ok()) {
    size_t produced = 0;
    failure_ = Step(out.subspan(filled), &produced);
    filled += produced;
  }
  if (filled == 0 && !failure_.ok()) return failure_;
  return filled;
}

Status Decompressor::JumpTo(const SeekPoint& point,
                            std::span<const uint8_t> window) {
  if (!input_.SeekTo(point.stored_byte())) {
    return failure_ = DecompressError(
               "the compressed file can be read only from its beginning");
  }
  done_ = false;
  ExpectMember(~uint64_t{0});
  return failure_ = BeginAt(point, window);
}

Status Decompressor::TakeAll(std::span<uint8_t> out, std::string_view part) {
  const Result<size_t> taken = input_.Take(out);
  if (!taken.ok()) return taken.status();
  return *taken == out.size() ? Status() : EndInside(part);
}

Status Decompressor::NotOfKind(std::string_view kind,
                               std::span<const uint8_t> taken,
                               std::string_view reason) {
  std::array<uint8_t, 64> head;
  size_t size = std::min(taken.size(), head.size());
  std::copy_n(taken.begin(), size, head.begin());
  const auto more = input_.Take(std::span(head).subspan(size));
  if (more.ok()) size += *more;
  const std::string_view found = LooksLike(head.data(), size);
  std::string message = "not " + std::string(kind) + ": ";
  if (found.empty()) {
    message += reason;
  } else {
    message += "looks like " + std::string(found);
  }
  return DecompressError(std::move(message));
}

Result<std::unique_ptr<Decompressor>> Decompress(
    Compression compression, std::unique_ptr<ByteStream> stored,
    uint64_t stored_size, InflateLibrary library) {
  const uint64_t capacity =
      stored_size == 0 ? kInputBytes : std::min(stored_size, kInputBytes);
  if (!stored->SeekTo(stored->stored_position())) {
    library = InflateLibrary::kZlib;
  }
  auto stream =
      FormatOf(compression)
          .make(InputBuffer(std::move(stored), static_cast<size_t>(capacity)),
                library);
  if (stream == nullptr) return Status::OutOfMemory();
  return stream;
}

}  // namespace headrace::compression
