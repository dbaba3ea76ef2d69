#include "src/input/compression/detect.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>

#include "src/base/record_header.h"
#include "src/input/compression/snappy_stream.h"
#include "src/input/compression/zlib_stream.h"
#include "src/input/deflate/checksum.h"
#include "src/input/deflate/raw_inflate.h"

namespace headrace::compression {
namespace {

// How likely a container without a magic number is.
enum class Likeness : uint8_t {
  kNone,
  // It begins like one, but may be damaged or cut within the head.
  kBegins,
  // It inflates to a record header, or is known to be undamaged throughout the
  // head.
  kIs,
};

bool StartsWith(std::span<const uint8_t> head, std::string_view magic) {
  return head.size() >= magic.size() &&
         std::memcmp(head.data(), magic.data(), magic.size()) == 0;
}

// The writer chooses the low half of the first byte.
bool IsSkippableZstdFrame(std::span<const uint8_t> head) {
  return head.size() >= 4 && (head[0] & 0xf0) == 0x50 &&
         StartsWith(head.subspan(1), "\x2a\x4d\x18");
}

uint32_t Big32(std::span<const uint8_t> bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 |
         uint32_t{bytes[2]} << 8 | uint32_t{bytes[3]};
}

// ---------------------------------------------------------------------- zlib

// All writers use deflate's full window, which leaves four headers, one for
// each level. A plain file with a damaged record header may begin with one of
// them; but then its length, which is not gigabytes, has zeros in bytes 4 to 7.
bool HasUsualZlibHeader(std::span<const uint8_t> head) {
  constexpr uint8_t kFullWindow = 0x78;
  return head.size() >= 8 && head[0] == kFullWindow &&
         std::any_of(head.begin() + 4, head.begin() + 8,
                     [](uint8_t byte) { return byte != 0; }) &&
         !(head.size() >= kRecordHeaderBytes && IsTextHeader(head.data()));
}

Result<Likeness> LikeZlib(std::span<const uint8_t> head) {
  if (head.size() < 2 || !IsZlibHeader(head[0], head[1])) {
    return Likeness::kNone;
  }
  const auto inflate = NewRawInflate(InflateLibrary::kZlib);
  if (inflate == nullptr) return Status::OutOfMemory();
  inflate->Restart();
  std::array<uint8_t, kDetectBytes> out;
  auto rest = head.subspan(2);
  uint32_t adler = 1;
  InflateResult result;
  for (bool first = true; first || (result.state == InflateState::kGoing &&
                                    result.produced == out.size());
       first = false) {
    result = inflate->Run(rest, false, out);
    if (first && result.produced >= kRecordHeaderBytes &&
        IsRecordHeader(out.data())) {
      return Likeness::kIs;
    }
    adler = Adler32(adler, std::span(out).first(result.produced));
    rest = rest.subspan(static_cast<size_t>(result.consumed));
  }
  if (result.state == InflateState::kNoMemory) return Status::OutOfMemory();
  const bool is_whole = result.state == InflateState::kDone &&
                        rest.size() >= 4 && Big32(rest) == adler;
  const bool is_going =
      result.state == InflateState::kGoing && head.size() == kDetectBytes;
  if (is_whole || is_going) return Likeness::kIs;
  return HasUsualZlibHeader(head) ? Likeness::kBegins : Likeness::kNone;
}

// -------------------------------------------------------------------- snappy

// The beginning of a raw snappy block, whose end may be missing.
class SnappyBlock {
 public:
  explicit SnappyBlock(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // Reads the declared length; returns false if it is damaged or cut.
  bool ReadLength(uint64_t* length);
  // After ReadLength: whether the block inflates to a right record header.
  // Elements after the header are not looked at.
  bool BeginsWithHeader();

 private:
  // Returns false if the bytes end.
  bool Little(unsigned count, uint32_t* value);
  // Return false if the element is damaged or cut before its content.
  bool Literal(uint32_t tag);
  bool Copy(uint32_t tag);

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  size_t inflated_ = 0;  // of begin_
  std::array<uint8_t, kRecordHeaderBytes> begin_ = {};
};

bool SnappyBlock::Little(unsigned count, uint32_t* value) {
  if (bytes_.size() - at_ < count) return false;
  *value = 0;
  for (unsigned i = 0; i < count; ++i) {
    *value |= uint32_t{bytes_[at_++]} << (8 * i);
  }
  return true;
}

bool SnappyBlock::ReadLength(uint64_t* length) {
  *length = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    uint32_t byte;
    if (!Little(1, &byte)) return false;
    *length |= uint64_t{byte & 0x7f} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool SnappyBlock::Literal(uint32_t tag) {
  uint32_t length = tag >> 2;
  if (length >= 60 && !Little(length - 59, &length)) return false;
  const size_t there = std::min(bytes_.size() - at_, begin_.size() - inflated_);
  const size_t count =
      static_cast<size_t>(std::min<uint64_t>(uint64_t{length} + 1, there));
  std::memcpy(begin_.data() + inflated_, bytes_.data() + at_, count);
  inflated_ += count;
  at_ += count;
  return true;
}

bool SnappyBlock::Copy(uint32_t tag) {
  uint32_t distance;
  uint32_t length = (tag >> 2) + 1;
  if ((tag & 3) == 1) {
    if (!Little(1, &distance)) return false;
    distance |= tag >> 5 << 8;
    length = ((tag >> 2) & 7) + 4;
  } else if (!Little((tag & 3) == 2 ? 2 : 4, &distance)) {
    return false;
  }
  if (distance == 0 || distance > inflated_) return false;
  const size_t end = std::min<size_t>(inflated_ + length, begin_.size());
  for (; inflated_ < end; ++inflated_) {
    begin_[inflated_] = begin_[inflated_ - distance];
  }
  return true;
}

bool SnappyBlock::BeginsWithHeader() {
  while (inflated_ < begin_.size()) {
    if (at_ == bytes_.size()) return false;
    const uint32_t tag = bytes_[at_++];
    if (!((tag & 3) == 0 ? Literal(tag) : Copy(tag))) return false;
  }
  return IsRecordHeader(begin_.data());
}

// Whether a block of `size` bytes may declare this length: no writer makes
// incompressible bytes longer by more than a sixth.
bool IsPlausible(uint32_t size, uint64_t length) {
  return length <= MostInflated(size) && size <= 32 + length + length / 6;
}

// Judges by the first block. No other file begins with the size of a usual
// block: one that begins like zlib would have a size of 128 MiB and more. So
// neither the block's other elements nor other blocks matter.
Likeness LikeSnappy(std::span<const uint8_t> head) {
  constexpr size_t kSizeBytes = 4;
  // Four times the size that TensorFlow uses.
  constexpr uint32_t kUsualBlock = uint32_t{1} << 20;
  if (head.size() <= kSizeBytes) return Likeness::kNone;
  const uint32_t size = Big32(head);
  head = head.subspan(kSizeBytes);
  SnappyBlock block(head.first(std::min<size_t>(size, head.size())));
  uint64_t length;
  if (!block.ReadLength(&length)) return Likeness::kNone;
  if (block.BeginsWithHeader()) return Likeness::kIs;
  // An empty block is five bytes that may be anything.
  const bool is_usual =
      length > 0 && size <= kUsualBlock && IsPlausible(size, length);
  return is_usual ? Likeness::kBegins : Likeness::kNone;
}

}  // namespace

std::optional<Compression> CompressionByMagic(std::span<const uint8_t> head) {
  if (head.size() >= kRecordHeaderBytes && IsRecordHeader(head.data())) {
    return Compression::kNone;
  }
  if (StartsWith(head, "\x1f\x8b\x08")) return Compression::kGzip;
  if (StartsWith(head, "\x28\xb5\x2f\xfd") || IsSkippableZstdFrame(head)) {
    return Compression::kZstd;
  }
  return std::nullopt;
}

Result<Compression> DetectCompression(std::span<const uint8_t> head) {
  if (const auto known = CompressionByMagic(head)) return *known;
  const Result<Likeness> zlib = LikeZlib(head);
  if (!zlib.ok()) return zlib.status();
  const Likeness snappy = LikeSnappy(head);
  if (*zlib == Likeness::kNone && snappy == Likeness::kNone) {
    return Compression::kNone;
  }
  return *zlib >= snappy ? Compression::kZlib : Compression::kSnappy;
}

}  // namespace headrace::compression
