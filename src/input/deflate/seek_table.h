// SeekTable has the points from which a compressed file can be inflated.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_SEEK_TABLE_H_
#define HEADRACE_SRC_INPUT_DEFLATE_SEEK_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/memory/buffer.h"

namespace headrace::compression {

// Bytes that deflate can refer back to.
inline constexpr size_t kDeflateWindow = size_t{32} << 10;

// The checksum and size of a gzip member or zlib stream up to some byte. At the
// end they are compared with the trailer.
struct MemberState {
  uint32_t check = 0;  // CRC-32 of gzip, Adler-32 of zlib
  uint32_t size = 0;   // of its inflated bytes, modulo 2^32

  bool operator==(const MemberState&) const = default;
};

// A place where inflating can begin: before a gzip member, a zstd frame or the
// zlib stream, or inside a member or the zlib stream, before a deflate block.
struct SeekPoint {
  uint64_t stored_bit = 0;  // a whole byte unless it is inside
  uint64_t plain = 0;       // inflated bytes of the file before it
  bool is_inside = false;
  // Only inside: the state of the member, which has at least kDeflateWindow
  // bytes so far, and the last of these, packed (packed_window.h). The packed
  // bytes live as long as the table.
  MemberState state = {};
  std::span<const uint8_t> window = {};
  uint64_t window_digest = 0;

  uint64_t stored_byte() const { return stored_bit / 8; }
};

// Immutable, so thread-safe.
class SeekTable {
 public:
  // Where the points are from: an index, whose writer has inflated the file, or
  // the file itself, whose claim has not been tested.
  enum class Origin : uint8_t { kIndex, kClaim };

  // `owner` keeps the windows alive. Returns null if the points cannot be those
  // of a file with these sizes. The first must be the file's beginning, stored
  // places must rise, inflated ones must not fall, and the last must be before
  // the end.
  static std::shared_ptr<const SeekTable> Make(
      Compression compression, std::vector<SeekPoint> points,
      uint64_t stored_size, uint64_t plain_size,
      std::shared_ptr<const void> owner, Origin origin = Origin::kIndex);

  bool is_claim() const { return origin_ == Origin::kClaim; }
  Compression compression() const { return compression_; }
  std::span<const SeekPoint> points() const { return points_; }
  uint64_t stored_size() const { return stored_size_; }
  uint64_t plain_size() const { return plain_size_; }

  // The end of a block, which reaches from a point to the next, or to the end.
  uint64_t PlainEnd(size_t block) const {
    return block + 1 < points_.size() ? points_[block + 1].plain : plain_size_;
  }
  // Returns the block that has this inflated byte, or the last one.
  size_t BlockOf(uint64_t plain) const;
  // The inflated bytes of the largest block.
  uint64_t largest_block() const { return largest_block_; }

 private:
  SeekTable() = default;

  Compression compression_ = Compression::kNone;
  std::vector<SeekPoint> points_;
  uint64_t stored_size_ = 0;
  uint64_t plain_size_ = 0;
  uint64_t largest_block_ = 0;
  Origin origin_ = Origin::kIndex;
  std::shared_ptr<const void> owner_;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_SEEK_TABLE_H_
