// The frames of a zstd file are found by their headers, without inflating them.

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
  uint64_t end = 0;  // the stored byte behind it
  std::optional<uint64_t> plain =
      {};  // what it inflates to, if its header says it
};

// Reads the headers of a frame and of its blocks, of which each has at most
// 128 KiB. One thread at a time uses it.
class ZstdFrameWalk {
 public:
  explicit ZstdFrameWalk(std::shared_ptr<SharedStored> stored)
      : stored_(std::move(stored)) {}

  // The frame, also a skippable one, that begins at this byte; nothing where
  // none does, or where it does not end inside the file. Its blocks may still
  // be damaged. Failures are those of reading.
  Result<std::optional<ZstdFrame>> FrameAt(uint64_t begin);

 private:
  // So many bytes from `at` on, fewer only at the end of the file.
  Result<std::span<const uint8_t>> BytesAt(uint64_t at, size_t size);
  Result<std::optional<ZstdFrame>> WalkBlocks(uint64_t at, uint64_t trailer,
                                              std::optional<uint64_t> plain);

  const std::shared_ptr<SharedStored> stored_;
  // Headers of small blocks lie near one another.
  std::array<uint8_t, 512> buffer_;
  uint64_t begin_ = 0;
  size_t size_ = 0;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_FRAMES_H_
