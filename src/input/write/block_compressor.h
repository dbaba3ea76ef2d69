// A BlockCompressor makes what a block of records becomes in a file.

#ifndef HEADRACE_SRC_INPUT_WRITE_BLOCK_COMPRESSOR_H_
#define HEADRACE_SRC_INPUT_WRITE_BLOCK_COMPRESSOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::record {

// Its output depends on its input alone. One thread at a time uses it.
class BlockCompressor {
 public:
  virtual ~BlockCompressor() = default;

  // Compresses `plain`, which are `num_records` whole records of less than
  // 2^32 bytes, to `out`, which loses what it had.
  virtual Status Compress(std::span<const uint8_t> plain, uint32_t num_records,
                          std::vector<uint8_t>* out) = 0;
};

// Makes members of blocked gzip (docs/formats/tfrecord.md), or zstd frames.
// `level` is one that the compression has. kOutOfMemory.
Result<std::unique_ptr<BlockCompressor>> MakeBlockCompressor(
    Compression compression, int level);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_WRITE_BLOCK_COMPRESSOR_H_
