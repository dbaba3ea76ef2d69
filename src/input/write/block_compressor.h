// BlockCompressor compresses a block of records to its form in a file.

#ifndef HEADRACE_SRC_INPUT_WRITE_BLOCK_COMPRESSOR_H_
#define HEADRACE_SRC_INPUT_WRITE_BLOCK_COMPRESSOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::record {

// Its output depends only on its input. Not thread-safe.
class BlockCompressor {
 public:
  virtual ~BlockCompressor() = default;

  // Compresses `plain`, which has `num_records` whole records, less than 2^32
  // bytes in total, to `out`, whose content is replaced.
  virtual Status Compress(std::span<const uint8_t> plain, uint32_t num_records,
                          std::vector<uint8_t>* out) = 0;
};

// Returns a compressor that makes members of blocked gzip
// (docs/formats/tfrecord.md) or zstd frames. `level` is one that the
// compression has. Fails with kOutOfMemory.
Result<std::unique_ptr<BlockCompressor>> MakeBlockCompressor(
    Compression compression, int level);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_WRITE_BLOCK_COMPRESSOR_H_
