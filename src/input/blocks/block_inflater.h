// BlockInflater inflates a file from the points of its seek table on.

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
#include "src/input/deflate/seek_table.h"
#include "src/input/deflate/whole_member.h"

namespace headrace::compression {

// What is asked for: a few bytes here and there, all of long stretches, or the
// first bytes of blocks.
enum class Access : uint8_t { kRandom, kInOrder, kBeginnings };

// One thread at a time uses it.
class BlockInflater {
 public:
  BlockInflater(std::shared_ptr<const SeekTable> table,
                std::shared_ptr<SharedStored> stored, Access access)
      : table_(std::move(table)), stored_(std::move(stored)), access_(access) {}

  // Fills `out` with the inflated bytes from `offset` on; as many as there are
  // by the table. It goes on where the last call ended, or from the last point
  // before `offset`, whichever is nearer. kDecompress, kBadIndex, or a failure
  // of reading, after which any call may follow.
  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out);

  // Fails unless the file ends behind the last byte of the table, and as it
  // should. Cheap where ReadAt has given that byte last.
  Status CheckEnd();

  // Inflates whole blocks, of which `out` has the size, and checks that they
  // are what the table says of them.
  Status InflateBlocks(size_t first, size_t end, std::span<uint8_t> out);

  // Inflates the beginning of a block that is inside a member as if `window`
  // were the bytes before it, not those of the table.
  Status InflateBehind(size_t block, std::span<const uint8_t> window,
                       std::span<uint8_t> out);

  // Inflates from the beginning of block `first` to that of `block`, and fails
  // unless every point on the way is where the table says.
  Status InflateUpTo(size_t first, size_t block);

  // Where the stored file is read.
  uint64_t stored_position() const {
    return inflate_ == nullptr ? 0 : inflate_->stored_position();
  }

 private:
  Result<bool> InflateWholeMembers(size_t first, size_t end,
                                   std::span<uint8_t> out);
  size_t BlockFor(uint64_t offset) const;
  uint64_t StoredEnd(size_t block) const;
  // Whether a member goes on in the next block.
  bool EndsInside(size_t block) const;
  Status Open();
  // Nothing is read from the bit `stored_end` on.
  Status JumpTo(size_t block, uint64_t stored_end);
  Status JumpBehind(size_t block, uint64_t stored_end,
                    std::span<const uint8_t> window);
  Result<size_t> ReadOfBlock(size_t block, uint64_t at, std::span<uint8_t> out);
  Status Skip(uint64_t size);
  Status ReadAll(std::span<uint8_t> out);
  // What was read must end where this block does.
  Status CheckBlockEnd(size_t block);

  const std::shared_ptr<const SeekTable> table_;
  const std::shared_ptr<SharedStored> stored_;
  const Access access_;
  StoredCursor* cursor_ = nullptr;  // of inflate_
  std::unique_ptr<Decompressor> inflate_;
  uint64_t position_ = ~uint64_t{0};  // of inflate_; this number: nowhere
  Buffer window_;
  Buffer skipped_;
  WholeMember member_;
  Buffer stored_member_;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_BLOCKS_BLOCK_INFLATER_H_
