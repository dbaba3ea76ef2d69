// Finds the frames of a zstd file by their headers, without inflating them.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_FRAMES_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_FRAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "headrace/status.h"
#include "src/input/compression/stored_cursor.h"

namespace headrace::compression {

struct ZstdFrame {
  uint64_t end = 0;                    // the stored byte after the frame
  std::optional<uint64_t> plain = {};  // inflated bytes, if the header says
};

// Reads the headers of a frame and its blocks of up to 128 KiB. Not
// thread-safe.
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
  // One read has the headers of several small blocks.
  std::array<uint8_t, 512> buffer_;
  uint64_t begin_ = 0;
  size_t size_ = 0;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_FRAMES_H_
