// BlockInflater inflates parts of a file, from the points of its seek table on.

#ifndef HEADRACE_SRC_INPUT_BLOCKS_BLOCK_INFLATER_H_
#define HEADRACE_SRC_INPUT_BLOCKS_BLOCK_INFLATER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "headrace/status.h"
#include "src/base/memory/buffer.h"
#include "src/input/compression/decompressor.h"
#include "src/input/compression/stored_cursor.h"
#include "src/input/deflate/gzip_member.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::compression {

// How a file is read: a few bytes anywhere, long stretches, or the first bytes
// of blocks.
enum class Access : uint8_t { kRandom, kInOrder, kBeginnings };

// Not thread-safe.
class BlockInflater {
 public:
  BlockInflater(std::shared_ptr<const SeekTable> table,
                std::shared_ptr<SharedStored> stored, Access access)
      : table_(std::move(table)), stored_(std::move(stored)), access_(access) {}

  // Fills `out` with the inflated bytes from `offset` on; fewer if the table's
  // last byte is reached. Continues where the last call ended, or begins at the
  // last point before `offset`, whichever is nearer. Fails with kDecompress,
  // kBadIndex, or a failure of reading; any call may follow.
  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out);

  // Fails if the file does not end after the last byte of the table, or is not
  // intact there. Cheap if that byte is the last one that ReadAt has returned.
  Status CheckEnd();

  // Inflates the blocks [first, end) to `out`, which has their size, and checks
  // that they are as the table says.
  Status InflateBlocks(size_t first, size_t end, std::span<uint8_t> out);

  // Inflates the beginning of a block that is inside a member, with `window`,
  // instead of the table's window, as the bytes before it.
  Status InflateAfter(size_t block, std::span<const uint8_t> window,
                      std::span<uint8_t> out);

  // Inflates from the beginning of block `first` to the beginning of `block`.
  // Fails if a point on the way is not where the table says.
  Status InflateUpTo(size_t first, size_t block);

  // The position in the stored file.
  uint64_t stored_position() const {
    return inflate_ == nullptr ? 0 : inflate_->stored_position();
  }

 private:
  Result<bool> InflateWholeMembers(size_t first, size_t end,
                                   std::span<uint8_t> out);
  size_t BlockFor(uint64_t offset) const;
  uint64_t StoredEnd(size_t block) const;
  // Whether a member continues in the next block.
  bool EndsInside(size_t block) const;
  Status Open();
  // Moves inflate_ to a block. Nothing is read from the bit `stored_end` on.
  Status JumpTo(size_t block, uint64_t stored_end);
  Status JumpAfter(size_t block, uint64_t stored_end,
                   std::span<const uint8_t> window);
  Result<size_t> ReadOfBlock(size_t block, uint64_t at, std::span<uint8_t> out);
  Status Skip(uint64_t size);
  Status ReadAll(std::span<uint8_t> out);
  // Checks that the bytes that were read end where this block ends.
  Status CheckBlockEnd(size_t block);

  const std::shared_ptr<const SeekTable> table_;
  const std::shared_ptr<SharedStored> stored_;
  const Access access_;
  StoredCursor* cursor_ = nullptr;  // of inflate_
  std::unique_ptr<Decompressor> inflate_;
  uint64_t position_ = ~uint64_t{0};  // of inflate_; ~0: nowhere
  Buffer window_;
  Buffer skipped_;
  WholeMember member_;
  Buffer stored_member_;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_BLOCKS_BLOCK_INFLATER_H_
