#include "src/input/compression/zstd_frames.h"

#include <algorithm>

#include "src/base/little_endian.h"

namespace headrace::compression {
namespace {

constexpr uint32_t kFrameMagic = 0xFD2FB528;
constexpr uint32_t kSkippableMagic = 0x184D2A50;
constexpr size_t kMagicAndSize = 8;
constexpr size_t kDescriptorAt = 4;
constexpr size_t kMaxFrameHeader = 18;
constexpr size_t kFrameBlockHeader = 3;
constexpr uint64_t kChecksum = 4;
constexpr uint64_t kMaxBlock = uint64_t{128} << 10;

// RFC 8878, 3.1.1.1.
struct FrameHeader {
  size_t bytes = 0;
  bool has_checksum = false;
  std::optional<uint64_t> plain = {};
};

std::optional<FrameHeader> ReadFrameHeader(std::span<const uint8_t> bytes) {
  constexpr size_t kIdBytes[] = {0, 1, 2, 4};
  constexpr size_t kContentSizeBytes[] = {0, 2, 4, 8};
  if (bytes.size() <= kDescriptorAt) return {};
  const uint8_t descriptor = bytes[kDescriptorAt];
  const bool is_single = (descriptor & 0x20) != 0;
  size_t size_bytes = kContentSizeBytes[descriptor >> 6];
  if (size_bytes == 0 && is_single) size_bytes = 1;
  const size_t size_at =
      kDescriptorAt + 1 + (is_single ? 0 : 1) + kIdBytes[descriptor & 3];
  if (size_bytes > bytes.size() || size_at > bytes.size() - size_bytes) {
    return {};
  }
  FrameHeader header = {.bytes = size_at + size_bytes,
                        .has_checksum = (descriptor & 4) != 0};
  if (size_bytes == 0) return header;
  uint64_t plain = size_bytes == 2 ? 256 : 0;
  for (size_t i = 0; i < size_bytes; ++i) {
    plain += uint64_t{bytes[size_at + i]} << (8 * i);
  }
  header.plain = plain;
  return header;
}

}  // namespace

Result<std::optional<ZstdFrame>> ZstdFrameWalk::FrameAt(uint64_t begin) {
  const auto bytes = BytesAt(begin, kMaxFrameHeader);
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() < kMagicAndSize) return std::optional<ZstdFrame>();
  const uint32_t magic = LoadLittle32(bytes->data());
  if ((magic & ~uint32_t{0xf}) == kSkippableMagic) {
    const uint64_t size = LoadLittle32(bytes->data() + 4);
    if (size > stored_->size() - begin - kMagicAndSize) {
      return std::optional<ZstdFrame>();
    }
    return std::optional(
        ZstdFrame{.end = begin + kMagicAndSize + size, .plain = 0});
  }
  const auto header = ReadFrameHeader(*bytes);
  if (magic != kFrameMagic || !header) return std::optional<ZstdFrame>();
  return WalkBlocks(begin + header->bytes, header->has_checksum ? kChecksum : 0,
                    header->plain);
}

Result<std::optional<ZstdFrame>> ZstdFrameWalk::WalkBlocks(
    uint64_t at, uint64_t trailer, std::optional<uint64_t> plain) {
  constexpr uint32_t kRepeatedByte = 1;
  constexpr uint32_t kReserved = 3;
  for (bool is_last = false; !is_last;) {
    const auto bytes = BytesAt(at, kFrameBlockHeader);
    if (!bytes.ok()) return bytes.status();
    if (bytes->size() < kFrameBlockHeader) return std::optional<ZstdFrame>();
    const uint32_t header = uint32_t{(*bytes)[0]} | uint32_t{(*bytes)[1]} << 8 |
                            uint32_t{(*bytes)[2]} << 16;
    is_last = (header & 1) != 0;
    const uint32_t type = header >> 1 & 3;
    const uint64_t size = type == kRepeatedByte ? 1 : header >> 3;
    at += kFrameBlockHeader;
    if (type == kReserved || size > kMaxBlock || size > stored_->size() - at) {
      return std::optional<ZstdFrame>();
    }
    at += size;
  }
  if (trailer > stored_->size() - at) return std::optional<ZstdFrame>();
  return std::optional(ZstdFrame{.end = at + trailer, .plain = plain});
}

Result<std::span<const uint8_t>> ZstdFrameWalk::BytesAt(uint64_t at,
                                                        size_t size) {
  const uint64_t left = stored_->size() - std::min(at, stored_->size());
  size = static_cast<size_t>(std::min<uint64_t>(size, left));
  if (at < begin_ || at - begin_ > size_ || size > size_ - (at - begin_)) {
    size_ = 0;
    const Result<size_t> got = stored_->ReadAt(at, buffer_);
    if (!got.ok()) return got.status();
    begin_ = at;
    size_ = *got;
  }
  const size_t from = static_cast<size_t>(at - begin_);
  return std::span<const uint8_t>(buffer_).subspan(
      from, std::min(size, size_ - from));
}

}  // namespace headrace::compression
