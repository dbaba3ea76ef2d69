#include "src/input/compression/snappy_stream.h"

#include <snappy.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace headrace::compression {
namespace {

constexpr size_t kSizeBytes = 4;
// Bytes allocated for a block whose bytes have not arrived.
constexpr size_t kFirstGrowth = size_t{64} << 10;

const char* Chars(const uint8_t* bytes) {
  return reinterpret_cast<const char*>(bytes);
}

}  // namespace

Status SnappyStream::Step(std::span<uint8_t> out, size_t* produced) {
  if (given_ < inflated_size_) {
    *produced = std::min(out.size(), inflated_size_ - given_);
    std::memcpy(out.data(), inflated_.data() + given_, *produced);
    given_ += *produced;
    return Status();
  }
  uint32_t size = 0;
  if (Status status = ReadSize(&size); !status.ok() || done_) return status;
  if (Status status = ReadBlock(size); !status.ok()) return status;
  if (Status status = Inflate(size, out, produced); !status.ok()) return status;
  ++blocks_;
  return Status();
}

Status SnappyStream::ReadSize(uint32_t* size) {
  std::array<uint8_t, kSizeBytes> bytes;
  auto taken = input_.Take(bytes);
  if (!taken.ok()) return taken.status();
  if (*taken == 0) {
    done_ = true;
    return Status();
  }
  if (*taken < kSizeBytes) {
    return DecompressError("unexpected end inside the size of a snappy block");
  }
  *size = uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 |
          uint32_t{bytes[2]} << 8 | uint32_t{bytes[3]};
  if (*size == 0) return DecompressError("a snappy block of no bytes");
  return Status();
}

Status SnappyStream::ReadBlock(uint32_t size) {
  size_t have = 0;
  while (have < size) {
    const size_t room = std::max({block_.capacity(), kFirstGrowth, 2 * have});
    if (!block_.Grow(std::min<size_t>(size, room))) {
      return Status::OutOfMemory();
    }
    const size_t wanted = std::min<size_t>(size, block_.capacity()) - have;
    auto taken = input_.Take(std::span(block_.data() + have, wanted));
    if (!taken.ok()) return taken.status();
    have += *taken;
    if (*taken < wanted) {
      return Refuse(size, have, "unexpected end inside a snappy block");
    }
  }
  return Status();
}

Status SnappyStream::Inflate(uint32_t size, std::span<uint8_t> out,
                             size_t* produced) {
  const char* const block = Chars(block_.data());
  size_t inflated = 0;
  if (!snappy::GetUncompressedLength(block, size, &inflated)) {
    return Refuse(size, size, "damaged snappy block");
  }
  if (inflated > MostInflated(size)) {
    return Refuse(size, size,
                  "a snappy block declares more bytes than it can hold");
  }
  const bool direct = inflated <= out.size();
  if (!direct && !inflated_.Grow(inflated)) {
    return Status::OutOfMemory();
  }
  uint8_t* const to = direct ? out.data() : inflated_.data();
  if (!snappy::RawUncompress(block, size, reinterpret_cast<char*>(to))) {
    return Refuse(size, size, "damaged snappy block");
  }
  if (direct) {
    *produced = inflated;
  } else {
    inflated_size_ = inflated;
    given_ = 0;
  }
  return Status();
}

Status SnappyStream::Refuse(uint32_t size, size_t have, const char* reason) {
  if (blocks_ > 0) return DecompressError(reason);
  // The file's first bytes, put together again.
  std::array<uint8_t, 64> head = {
      static_cast<uint8_t>(size >> 24), static_cast<uint8_t>(size >> 16),
      static_cast<uint8_t>(size >> 8), static_cast<uint8_t>(size)};
  const size_t count = std::min(have, head.size() - kSizeBytes);
  if (count > 0) std::memcpy(head.data() + kSizeBytes, block_.data(), count);
  return NotOfKind("TensorFlow's snappy",
                   std::span(head).first(kSizeBytes + count), reason);
}

}  // namespace headrace::compression
