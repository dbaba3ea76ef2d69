#include "src/source/detect.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>

#include "src/base/record_header.h"
#include "src/source/raw_inflate.h"
#include "src/source/zlib_stream.h"

namespace headrace::source {
namespace {

using RecordHeader = std::array<uint8_t, kRecordHeaderBytes>;

bool StartsWith(std::span<const uint8_t> head, std::string_view magic) {
  return head.size() >= magic.size() &&
         std::memcmp(head.data(), magic.data(), magic.size()) == 0;
}

Result<bool> IsZlibOfRecords(std::span<const uint8_t> head) {
  if (head.size() < 2 || !IsZlibHeader(head[0], head[1])) return false;
  const auto inflate = NewRawInflate(InflateLibrary::kZlib);
  if (inflate == nullptr) return Status::OutOfMemory();
  inflate->Restart();
  RecordHeader begin;
  const InflateResult result = inflate->Run(head.subspan(2), false, begin);
  if (result.state == InflateState::kNoMemory) return Status::OutOfMemory();
  return result.produced == begin.size() && IsRecordHeader(begin.data());
}

// A cursor over the beginning of a raw snappy block.
class SnappyPrefix {
 public:
  explicit SnappyPrefix(std::span<const uint8_t> block) : block_(block) {}

  // The block's first bytes; false where it holds fewer, is damaged before
  // their end, or is not there so far.
  bool Inflate(RecordHeader* begin);

 private:
  bool Byte(uint32_t* byte) {
    if (at_ == block_.size()) return false;
    *byte = block_[at_++];
    return true;
  }
  bool Little(unsigned bytes, uint32_t* value) {
    *value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      uint32_t byte;
      if (!Byte(&byte)) return false;
      *value |= byte << (8 * i);
    }
    return true;
  }
  bool SkipLength();
  bool Literal(uint32_t tag, RecordHeader* begin);
  bool Copy(uint32_t tag, RecordHeader* begin);

  std::span<const uint8_t> block_;
  size_t at_ = 0;
  size_t size_ = 0;  // inflated so far
};

bool SnappyPrefix::SkipLength() {
  for (int i = 0; i < 5; ++i) {
    uint32_t byte;
    if (!Byte(&byte)) return false;
    if (byte < 0x80) return true;
  }
  return false;
}

bool SnappyPrefix::Literal(uint32_t tag, RecordHeader* begin) {
  uint32_t length = tag >> 2;
  if (length >= 60 && !Little(length - 59, &length)) return false;
  const size_t wanted =
      std::min<size_t>(size_t{length} + 1, begin->size() - size_);
  if (block_.size() - at_ < wanted) return false;
  std::memcpy(begin->data() + size_, block_.data() + at_, wanted);
  size_ += wanted;
  at_ += wanted;
  return true;
}

bool SnappyPrefix::Copy(uint32_t tag, RecordHeader* begin) {
  uint32_t distance;
  uint32_t length = (tag >> 2) + 1;
  if ((tag & 3) == 1) {
    if (!Little(1, &distance)) return false;
    distance |= tag >> 5 << 8;
    length = ((tag >> 2) & 7) + 4;
  } else if (!Little((tag & 3) == 2 ? 2 : 4, &distance)) {
    return false;
  }
  if (distance == 0 || distance > size_) return false;
  for (; length > 0 && size_ < begin->size(); --length, ++size_) {
    (*begin)[size_] = (*begin)[size_ - distance];
  }
  return true;
}

bool SnappyPrefix::Inflate(RecordHeader* begin) {
  if (!SkipLength()) return false;
  while (size_ < begin->size()) {
    uint32_t tag;
    if (!Byte(&tag)) return false;
    if (!((tag & 3) == 0 ? Literal(tag, begin) : Copy(tag, begin))) {
      return false;
    }
  }
  return true;
}

bool IsSnappyOfRecords(std::span<const uint8_t> head) {
  constexpr size_t kSizeBytes = 4;
  if (head.size() <= kSizeBytes) return false;
  const uint32_t size = uint32_t{head[0]} << 24 | uint32_t{head[1]} << 16 |
                        uint32_t{head[2]} << 8 | uint32_t{head[3]};
  auto block = head.subspan(kSizeBytes);
  block = block.first(std::min<size_t>(size, block.size()));
  RecordHeader begin;
  return SnappyPrefix(block).Inflate(&begin) && IsRecordHeader(begin.data());
}

}  // namespace

Result<Compression> DetectCompression(std::span<const uint8_t> head) {
  if (head.size() >= kRecordHeaderBytes && IsRecordHeader(head.data())) {
    return Compression::kNone;
  }
  if (StartsWith(head, "\x1f\x8b\x08")) return Compression::kGzip;
  if (StartsWith(head, "\x28\xb5\x2f\xfd")) return Compression::kZstd;
  const Result<bool> is_zlib = IsZlibOfRecords(head);
  if (!is_zlib.ok()) return is_zlib.status();
  if (*is_zlib) return Compression::kZlib;
  if (IsSnappyOfRecords(head)) return Compression::kSnappy;
  return Compression::kNone;
}

}  // namespace headrace::source
