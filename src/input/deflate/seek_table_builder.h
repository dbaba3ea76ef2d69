// SeekTableBuilder builds the seek table of a file that is inflated from
// beginning to end.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_SEEK_TABLE_BUILDER_H_
#define HEADRACE_SRC_INPUT_DEFLATE_SEEK_TABLE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/byte_stream.h"
#include "src/base/memory/buffer.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::compression {

// A decompressor calls it in file order. Failures are kept for Finish.
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

#endif  // HEADRACE_SRC_INPUT_DEFLATE_SEEK_TABLE_BUILDER_H_
