// Finds the members of a file without inflating it, if the file stores their
// sizes: blocked gzip, BGZF, and zstd in its seekable format.

#ifndef HEADRACE_SRC_INPUT_BLOCKS_MEMBER_HOPS_H_
#define HEADRACE_SRC_INPUT_BLOCKS_MEMBER_HOPS_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/byte_stream.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::compression {

struct MemberHops {
  // Null unless the file stores the sizes of all its members, from its first
  // byte to its last, without contradiction. The table is a claim, which is
  // checked when a block is inflated.
  std::shared_ptr<const SeekTable> table;
  std::optional<uint64_t> num_records = {};  // claimed by blocked gzip alone
};

// `stored` must be able to read at any offset, and has `stored_size` bytes.
// Fails only if reading fails.
Result<MemberHops> HopOverMembers(Compression compression, ByteStream* stored,
                                  uint64_t stored_size);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_BLOCKS_MEMBER_HOPS_H_
