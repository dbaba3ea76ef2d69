// SeekTable has the points from which a compressed file can be inflated, and
// SeekTableBuilder finds them.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_SEEK_TABLE_H_
#define HEADRACE_SRC_INPUT_DEFLATE_SEEK_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/byte_stream.h"

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
  uint64_t stored_bit = 0;  // a multiple of 8 unless is_inside
  uint64_t plain = 0;       // inflated bytes of the file before it
  bool is_inside = false;
  // Set only if is_inside. `state` is the state of the member; `window` is its
  // last kDeflateWindow bytes, packed (packed_window.h), and lives as long as
  // the table. A member has at least that many bytes before such a point.
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

// Builds the seek table of a file that is inflated from beginning to end. A
// decompressor calls it in file order. Failures are kept for Finish.
class SeekTableBuilder {
 public:
  // Points inside members are at least `spacing` inflated bytes apart. `stored`
  // must be able to read at any offset, or is null: then windows keep the bytes
  // that nothing refers to.
  SeekTableBuilder(uint64_t spacing, std::unique_ptr<ByteStream> stored)
      : spacing_(spacing), stored_(std::move(stored)) {}

  // Notes that a gzip member, zstd frame or zlib stream begins at this byte.
  void BeginMember(uint64_t stored_byte);
  // Whether AddPoint should be called when a block begins.
  bool WantsPoint() const {
    return plain_ - last_point_ >= spacing_ &&
           plain_ - member_.plain >= kDeflateWindow;
  }
  bool has_points() const { return !points_.empty() || !failure_.ok(); }
  void Add(std::span<const uint8_t> bytes);
  void AddPoint(uint64_t stored_bit, const MemberState& state);

  // Returns the table when all bytes were added; null for an empty file. Fails
  // with kOutOfMemory, or with an error of reading `stored`.
  Result<std::shared_ptr<const SeekTable>> Finish(Compression compression,
                                                  uint64_t stored_size);

 private:
  Status TryAddPoint(uint64_t stored_bit, const MemberState& state);
  Status PackLastWindow();

  const uint64_t spacing_;
  const std::unique_ptr<ByteStream> stored_;
  Status failure_;
  std::vector<SeekPoint> points_;
  std::shared_ptr<std::list<std::vector<uint8_t>>> windows_ =
      std::make_shared<std::list<std::vector<uint8_t>>>();
  SeekPoint member_;  // the beginning of the last member
  bool has_member_point_ = false;
  uint64_t plain_ = 0;
  uint64_t last_point_ = 0;
  // The last bytes that were added, at least a window of them.
  std::vector<uint8_t> recent_;
  // The window of the last point, which is packed when the next one is found.
  std::vector<uint8_t> window_;
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_SEEK_TABLE_H_
