// Packs the windows of seek points: bytes that nothing refers to become zeros,
// and the rest is deflated.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_PACKED_WINDOW_H_
#define HEADRACE_SRC_INPUT_DEFLATE_PACKED_WINDOW_H_

#include <cstdint>
#include <span>
#include <vector>

#include "headrace/status.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::compression {

using DeflateWindow = std::span<uint8_t, kDeflateWindow>;

// `window` precedes a deflate block. Zeroes those of its bytes to which neither
// this block nor a later one refers. `stored` begins with the byte that has the
// block's first bit, and `bit` is the number of that bit. `stored` should
// inflate to at least as many bytes as a window has; otherwise nothing changes.
Status LeaveOutUnused(std::span<const uint8_t> stored, int bit,
                      DeflateWindow window);

// Packs a window; a window of zeros packs to no bytes.
Result<std::vector<uint8_t>> PackWindow(std::span<const uint8_t> window);
uint64_t WindowDigest(std::span<const uint8_t> window);

// Unpacks the window of a point inside a member. The packed bytes may be any
// bytes, and may change during the call; fails with kBadIndex if the result
// does not have the point's digest.
Status UnpackWindow(const SeekPoint& point, DeflateWindow out);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_PACKED_WINDOW_H_
