// HeldRecords keeps the blocks that RecordStream has peeked at or was given
// back, until it returns them.

#ifndef HEADRACE_SRC_READ_STREAM_HELD_RECORDS_H_
#define HEADRACE_SRC_READ_STREAM_HELD_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "headrace/reader.h"
#include "src/input/record/scanner.h"
#include "src/read/files/file_block.h"

namespace headrace::reader {

// A number of consecutive records. Either all of them or none belong to the
// shard.
struct Run {
  bool is_own = true;
  uint64_t size = 0;
};

class HeldRecords {
 public:
  using RunAt = std::function<Run(uint32_t file, uint64_t record)>;

  bool empty() const { return held_.empty(); }
  void clear() { held_.clear(); }

  // Keeps the block with a copy of its spans; its window stays pinned.
  // `stored_position` is the stream's position after the block.
  void PushBack(const FileBlock& block, Skipped&& left_out,
                uint64_t stored_position);
  void PushFront(const FileBlock& block, Skipped&& left_out,
                 uint64_t stored_position);
  void DropFiles(const std::function<bool(uint32_t file)>& drops);
  // Drops all records up to and including `last`. Returns false if `last` is
  // not held; blocks before it may be gone even then.
  bool DropThrough(const RowOrigin& last);

  // Returns the next records of one block that belong to the shard, as `run_at`
  // says; empty if no such records are held. The block stays valid until the
  // next call.
  std::optional<FileBlock> Next(size_t max_records, const RunAt& run_at,
                                size_t max_regions, Skipped* left_out);

  // The stream's position after the block that was last returned, or last
  // pushed to the front.
  uint64_t stored_position() const { return stored_position_; }
  void set_stored_position(uint64_t position) { stored_position_ = position; }

 private:
  // A block, or the rest of one.
  struct Held {
    std::vector<record::RecordSpan> records;
    FileBlock block;  // its spans are in `records`
    Skipped left_out;
    uint64_t stored_position = 0;
  };
  static Held Hold(const FileBlock& block, Skipped&& left_out,
                   uint64_t stored_position);

  std::deque<Held> held_;
  std::optional<Held> given_;  // the block that Next used up last
  uint64_t stored_position_ = 0;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_HELD_RECORDS_H_
