// HeldRecords keeps blocks that a RecordStream is to give, perhaps again.

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

// The shard has all of so many records from one on, or none of them.
struct Run {
  bool is_own = true;
  uint64_t size = 0;
};

class HeldRecords {
 public:
  using RunAt = std::function<Run(uint32_t file, uint64_t record)>;

  bool empty() const { return held_.empty(); }
  void clear() { held_.clear(); }

  // Keeps a copy of the spans, whose window stays pinned. `stored_position` is
  // where the stream stands behind the block.
  void PushBack(const FileBlock& block, Skipped&& left_out,
                uint64_t stored_position);
  void PushFront(const FileBlock& block, Skipped&& left_out,
                 uint64_t stored_position);
  void DropFiles(const std::function<bool(uint32_t file)>& drops);
  // Drops all up to the record `last`. Returns by how much records behind it in
  // its file were numbered too high. Empty where the record is not held; blocks
  // before it may be gone even then.
  std::optional<uint64_t> DropThrough(const RowOrigin& last);

  // Gives the next records, of one block, that are the shard's by `run_at`;
  // empty where none are held. The block stays valid until the next call.
  std::optional<FileBlock> Next(size_t max_records, const RunAt& run_at,
                                size_t max_regions, Skipped* left_out);

  // The stream stood here behind the block that was given last, or pushed to
  // the front last.
  uint64_t stored_position() const { return stored_position_; }
  void set_stored_position(uint64_t position) { stored_position_ = position; }

 private:
  // Held is a block, or the rest of one.
  struct Held {
    std::vector<record::RecordSpan> records;
    FileBlock block;  // its spans are in `records`
    Skipped left_out;
    uint64_t stored_position = 0;
  };
  static Held Hold(const FileBlock& block, Skipped&& left_out,
                   uint64_t stored_position);

  std::deque<Held> held_;
  std::optional<Held> given_;  // the block that Next gave to its end
  uint64_t stored_position_ = 0;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_HELD_RECORDS_H_
