#include "src/input/compression/zlib_stream.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "src/input/deflate/checksum.h"

namespace headrace::compression {
namespace {

constexpr uint8_t kDictionary = 0x20;

bool IsChecked(uint8_t first, uint8_t second) {
  const bool deflate = (first & 0x0f) == 8 && (first >> 4) <= 7;
  return deflate && (first * 256 + second) % 31 == 0;
}

}  // namespace

bool IsZlibHeader(uint8_t first, uint8_t second) {
  return IsChecked(first, second) && (second & kDictionary) == 0;
}

Status ZlibStream::ReadHeader() {
  if (Status status = input_.Fill(); !status.ok()) return status;
  if (input_.ended()) {
    done_ = true;
    return Status();
  }
  if (begun_) return DecompressError("bytes after the zlib stream");
  begun_ = true;
  adler_ = 1;
  size_ = 0;
  std::array<uint8_t, 2> header;
  auto taken = input_.Take(header);
  if (!taken.ok()) return taken.status();
  if (*taken < header.size()) {
    return DecompressError("unexpected end inside the zlib header");
  }
  if (!IsChecked(header[0], header[1])) {
    return NotOfKind("zlib", header, "no valid header");
  }
  if ((header[1] & kDictionary) != 0) {
    return DecompressError("zlib header: needs a preset dictionary");
  }
  return Status();
}

void ZlibStream::SetState(const std::optional<MemberState>& state) {
  begun_ = state.has_value();
  if (!begun_) return;
  adler_ = state->check;
  size_ = state->size;
}

void ZlibStream::Add(std::span<const uint8_t> bytes) {
  adler_ = Adler32(adler_, bytes);
  size_ += static_cast<uint32_t>(bytes.size());
}

Status ZlibStream::ReadTrailer() {
  std::array<uint8_t, 4> trailer;
  auto taken = input_.Take(trailer);
  if (!taken.ok()) return taken.status();
  if (*taken < trailer.size()) {
    return DecompressError("unexpected end inside the zlib trailer");
  }
  const uint32_t stored = uint32_t{trailer[0]} << 24 |
                          uint32_t{trailer[1]} << 16 |
                          uint32_t{trailer[2]} << 8 | uint32_t{trailer[3]};
  if (stored == adler_) return Status();
  return DecompressError(absl::StrCat(
      "zlib trailer: Adler-32: stored ", absl::Hex(stored, absl::kZeroPad8),
      ", computed ", absl::Hex(adler_, absl::kZeroPad8)));
}

}  // namespace headrace::compression
