// SnappyStream inflates TensorFlow's snappy files.
//
// The layout is TensorFlow's own (SnappyOutputBuffer): a u32 big-endian size,
// then a raw snappy block of that many bytes, repeated. It is neither the
// snappy framing format nor Hadoop's; a file in one of these formats fails with
// the name of the format.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_SNAPPY_STREAM_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_SNAPPY_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "src/base/memory/buffer.h"
#include "src/input/compression/decompressor.h"

namespace headrace::compression {

// Returns the most bytes that `size` bytes of a raw block inflate to: the best
// element is a copy of 64 bytes in 3.
constexpr uint64_t MostInflated(uint64_t size) { return size * 64 / 3; }

// Blocks are all or nothing: one that is cut or damaged yields no bytes.
class SnappyStream : public Decompressor {
 public:
  explicit SnappyStream(InputBuffer input) : Decompressor(std::move(input)) {}

 private:
  Status Step(std::span<uint8_t> out, size_t* produced) override;
  // Reads the size of a block. Sets done_ if the input ends before one.
  Status ReadSize(uint32_t* size);
  // Reads the block into block_, which grows with the bytes that arrive.
  Status ReadBlock(uint32_t size);
  Status Inflate(uint32_t size, std::span<uint8_t> out, size_t* produced);
  // Returns the failure of a block whose first `have` bytes are in block_.
  Status Refuse(uint32_t size, size_t have, const char* reason);

  uint64_t blocks_ = 0;
  Buffer block_;
  // An inflated block that had no room, and how much of it was returned.
  Buffer inflated_;
  size_t inflated_size_ = 0;
  size_t given_ = 0;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_SNAPPY_STREAM_H_
