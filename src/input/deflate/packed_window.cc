#include "src/input/deflate/packed_window.h"

#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "src/base/index_names.h"
#include "src/input/deflate/raw_inflate.h"

namespace headrace::compression {
namespace {

using Bytes = std::array<uint8_t, kDeflateWindow>;

// Inflates from a block on as if `window` preceded it. Returns the number of
// bytes; 0 if the data is damaged.
size_t InflateAfter(RawInflate* inflate, std::span<const uint8_t> stored,
                    int bit, std::span<const uint8_t> window, Bytes* out) {
  const auto rest = bit > 0 ? stored.subspan(1) : stored;
  if (!inflate->RestartAtBlock(stored[0], (8 - bit) % 8, window)) return 0;
  size_t size = 0;
  size_t used = 0;
  while (size < out->size() && used < rest.size()) {
    const InflateResult result =
        inflate->Run(rest.subspan(used), true, std::span(*out).subspan(size));
    if (result.state == InflateState::kDamaged ||
        result.state == InflateState::kNoMemory) {
      return 0;
    }
    size += result.produced;
    used += static_cast<size_t>(std::max<ptrdiff_t>(result.consumed, 0));
    if (result.state != InflateState::kGoing) break;
  }
  return size;
}

}  // namespace

// Finds out which inflated bytes are copied from the window, and from where in
// it. For this it inflates the data after three windows of numbers: byte i is
// the low half of i in the first, the high half in the second, and the inverted
// low half in the third.
Status LeaveOutUnused(std::span<const uint8_t> stored, int bit,
                      DeflateWindow window) {
  if (stored.size() < 2) return Status();
  const auto inflate = NewRawInflate();
  const std::unique_ptr<std::array<Bytes, 4>> bytes(new (std::nothrow)
                                                        std::array<Bytes, 4>);
  if (inflate == nullptr || bytes == nullptr) return Status::OutOfMemory();
  Bytes& numbers = (*bytes)[0];
  Bytes& low = (*bytes)[1];
  Bytes& high = (*bytes)[2];
  Bytes& inverted = (*bytes)[3];
  const auto inflate_as = [&](auto number, Bytes* out) {
    for (size_t i = 0; i < window.size(); ++i) {
      numbers[i] = static_cast<uint8_t>(number(i));
    }
    return InflateAfter(inflate.get(), stored, bit, numbers, out);
  };
  const size_t size = inflate_as([](size_t i) { return i; }, &low);
  if (size < kDeflateWindow ||
      inflate_as([](size_t i) { return i >> 8; }, &high) != size ||
      inflate_as([](size_t i) { return ~i; }, &inverted) != size) {
    return Status();
  }
  Bytes& is_used = numbers;
  is_used.fill(0);
  for (size_t i = 0; i < size; ++i) {
    if (low[i] != inverted[i] && high[i] < kDeflateWindow >> 8)
      is_used[size_t{high[i]} << 8 | low[i]] = 1;
  }
  for (size_t i = 0; i < window.size(); ++i) {
    if (is_used[i] == 0) window[i] = 0;
  }
  return Status();
}

Result<std::vector<uint8_t>> PackWindow(std::span<const uint8_t> window) {
  const bool is_empty = std::all_of(window.begin(), window.end(),
                                    [](uint8_t byte) { return byte == 0; });
  if (is_empty) return std::vector<uint8_t>();
  std::vector<uint8_t> packed(compressBound(static_cast<uLong>(window.size())));
  uLongf size = static_cast<uLongf>(packed.size());
  if (compress2(packed.data(), &size, window.data(),
                static_cast<uLong>(window.size()),
                Z_DEFAULT_COMPRESSION) != Z_OK) {
    return Status::OutOfMemory();
  }
  packed.resize(size);
  return packed;
}

uint64_t WindowDigest(std::span<const uint8_t> window) {
  return XXH3_64bits(window.data(), window.size());
}

Status UnpackWindow(const SeekPoint& point, DeflateWindow out) {
  uLongf size = static_cast<uLongf>(out.size());
  if (point.window.empty()) {
    std::memset(out.data(), 0, out.size());
  } else {
    const int code = uncompress(out.data(), &size, point.window.data(),
                                static_cast<uLong>(point.window.size()));
    if (code == Z_MEM_ERROR) return Status::OutOfMemory();
    if (code != Z_OK) size = 0;
  }
  if (size == out.size() && WindowDigest(out) == point.window_digest) {
    return Status();
  }
  return BadIndex(
      "the index is damaged where it says how to inflate from byte " +
      std::to_string(point.stored_byte()) + " on");
}

}  // namespace headrace::compression
