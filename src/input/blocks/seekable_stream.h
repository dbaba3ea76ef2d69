// SeekableStream inflates a file that has a seek table, from any offset, and in
// order on several threads.

#ifndef HEADRACE_SRC_INPUT_BLOCKS_SEEKABLE_STREAM_H_
#define HEADRACE_SRC_INPUT_BLOCKS_SEEKABLE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "headrace/status.h"
#include "src/base/byte_stream.h"
#include "src/input/blocks/block_inflater.h"
#include "src/input/blocks/inflate_ahead.h"
#include "src/input/compression/stored_cursor.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::compression {

// Read returns the same bytes, and the same failure, as inflating the file from
// its beginning. If a block is not what the table says, Read inflates the file
// again from its beginning and drops the bytes that it has already returned;
// ReadAt fails.
//
// A table that the file itself claims is tested before any bytes are returned,
// from the beginning of the file up to the bytes that are asked for. The test
// reads the headers of zstd frames that store their inflated size; in other
// files it inflates.
class SeekableStream : public ByteStream {
 public:
  // With one thread, Read inflates on the caller's thread. `builder` is null,
  // or outlives the stream and collects the points if the file is inflated
  // again.
  SeekableStream(std::shared_ptr<const SeekTable> table,
                 std::unique_ptr<ByteStream> stored, size_t threads,
                 SeekTableBuilder* builder = nullptr);

  Result<size_t> Read(std::span<uint8_t> out) override;
  bool SeekTo(uint64_t position) override;
  bool can_read_at() const override { return true; }
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override;
  void WillNeed(uint64_t position, uint64_t size) const override;
  uint64_t stored_position() const override;
  // Fails if any part of the table is wrong.
  Status CheckTable();

 private:
  Result<size_t> ReadByTable(std::span<uint8_t> out);
  Result<size_t> ReadAhead(std::span<uint8_t> out);
  // Checks that the points up to this block's are where the table says.
  Status Prove(size_t block);
  Result<bool> WalkFrames(size_t block);
  Status InflateToProve(size_t block);
  Status InflateFromBeginning();

  const std::shared_ptr<const SeekTable> table_;
  const std::shared_ptr<SharedStored> stored_;
  BlockInflater random_;  // for ReadAt
  BlockInflater in_order_;
  std::unique_ptr<InflateAhead> ahead_;           // instead of in_order_
  InflateAhead::Piece piece_;                     // of ahead_
  std::unique_ptr<Decompressor> from_beginning_;  // instead of both
  SeekTableBuilder* const builder_;
  uint64_t position_ = 0;
  bool begins_ = true;  // the next Read begins at position_
  // The points up to this one are where the table says.
  size_t proved_ = 0;
  bool is_end_checked_ = false;  // by in_order_
};

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_BLOCKS_SEEKABLE_STREAM_H_
