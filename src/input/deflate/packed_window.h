// Windows of seek points are kept small: bytes that nothing refers to are
// zeros, and the rest is deflated.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_PACKED_WINDOW_H_
#define HEADRACE_SRC_INPUT_DEFLATE_PACKED_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headrace/status.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::compression {

using DeflateWindow = std::span<uint8_t, kDeflateWindow>;

// Puts zeros where `window`, the bytes before a block of deflate, has some that
// no block from there on refers to. `stored` begins with the byte that has the
// block's first bit, and `bit` says which it is. It should inflate to as many
// bytes as a window has; if it does not, nothing changes.
Status LeaveOutUnused(std::span<const uint8_t> stored, int bit,
                      DeflateWindow window);

// Packs a window; one of zeros takes no byte.
Result<std::vector<uint8_t>> PackWindow(std::span<const uint8_t> window);
uint64_t WindowDigest(std::span<const uint8_t> window);

// Unpacks the window of a point inside a member. The packed bytes may be any,
// and somebody may change them; kBadIndex where the digest is not that of the
// result.
Status UnpackWindow(const SeekPoint& point, DeflateWindow out);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_PACKED_WINDOW_H_
