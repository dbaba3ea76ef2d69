// Finds the members and frames of a file without inflating it: all of them, if
// the file stores their sizes (blocked gzip, BGZF, and zstd in its seekable
// format), or one zstd frame after another by their headers.

#ifndef HEADRACE_SRC_INPUT_BLOCKS_MEMBER_HOPS_H_
#define HEADRACE_SRC_INPUT_BLOCKS_MEMBER_HOPS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/byte_stream.h"
#include "src/input/compression/stored_cursor.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::compression {

struct MemberHops {
  // The seek table, if the file stores the sizes of all its members, from its
  // first byte to its last, without contradiction; otherwise null. The table is
  // a claim, which is checked when a block is inflated.
  std::shared_ptr<const SeekTable> table;
  std::optional<uint64_t> num_records = {};  // claimed only by blocked gzip
};

// `stored` must be able to read at any offset, and has `stored_size` bytes.
// Fails only if reading fails.
Result<MemberHops> HopOverMembers(Compression compression, ByteStream* stored,
                                  uint64_t stored_size);

// The sizes of a zstd frame.
struct ZstdSizes {
  uint32_t stored = 0;
  uint32_t plain = 0;
};

// Returns the seek table of these frames, which ends a file in the seekable
// format; empty if there are too many frames.
std::vector<uint8_t> MakeZstdTable(std::span<const ZstdSizes> frames);

struct ZstdFrame {
  uint64_t end = 0;                    // the stored byte after the frame
  std::optional<uint64_t> plain = {};  // inflated bytes, if the header says
};

// ZstdFrameWalk reads the headers of a frame and its blocks of up to 128 KiB.
// Not thread-safe.
class ZstdFrameWalk {
 public:
  explicit ZstdFrameWalk(std::shared_ptr<SharedStored> stored)
      : stored_(std::move(stored)) {}

  // Returns the frame that begins at this byte, skippable or not; nothing if
  // there is none, or if it does not end inside the file. Its blocks may still
  // be damaged. Fails only if reading fails.
  Result<std::optional<ZstdFrame>> FrameAt(uint64_t begin);

 private:
  // Returns `size` bytes from `at` on, fewer only at the end of the file.
  Result<std::span<const uint8_t>> BytesAt(uint64_t at, size_t size);
  Result<std::optional<ZstdFrame>> WalkBlocks(uint64_t at, uint64_t trailer,
                                              std::optional<uint64_t> plain);

  const std::shared_ptr<SharedStored> stored_;
  // One read gets the headers of several small blocks.
  std::array<uint8_t, 512> buffer_;
  uint64_t begin_ = 0;
  size_t size_ = 0;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_BLOCKS_MEMBER_HOPS_H_
