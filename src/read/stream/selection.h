// Selection says which of its files a reader should read, which records or
// bytes of each, and which of those belong to another shard. Not thread-safe.

#ifndef HEADRACE_SRC_READ_STREAM_SELECTION_H_
#define HEADRACE_SRC_READ_STREAM_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headrace/reader.h"
#include "src/input/source/source.h"
#include "src/read/stream/held_records.h"
#include "src/read/stream/record_ranges.h"
#include "src/read/stream/shard_rule.h"

namespace headrace::reader {

class Selection {
 public:
  // The options are copied.
  Selection(const ReadOptions& options, size_t num_files);

  // Whether ranges of records are asked for.
  bool has_ranges() const { return !ranges_.empty(); }
  // Whether this shard's ranges differ from those of all shards together.
  bool divides_ranges() const { return own_ranges_ != ranges_; }
  // Whether other readers read a part of each file that this one reads.
  bool shares_files() const { return rule_.shares_files(); }

  // Whether this shard, or any shard, has records of the file.
  bool HasFile(uint32_t file) const {
    return !(has_ranges() && IsEmpty(own_ranges_[file])) && rule_.HasFile(file);
  }
  bool AnyHasFile(uint32_t file) const {
    return !(has_ranges() && IsEmpty(ranges_[file]));
  }
  // The records of the file, if has_ranges(): those of this shard, and those of
  // all shards.
  const RecordRange& OwnRange(uint32_t file) const { return own_ranges_[file]; }
  const RecordRange& Range(uint32_t file) const { return ranges_[file]; }
  // The bytes to read of a file. Shards that share a file read a range each, if
  // it can be read at any offset.
  ByteRange BytesOf(const source::Source& source) const;

  // Whether the next records of a file, from this one on, are the shard's.
  Run RunAt(uint32_t file, uint64_t record) const;
  // Notes that only the shard's bytes of the file are read, so all their
  // records are its own.
  void ReadsPartOf(uint32_t file) { is_part_[file] = true; }

 private:
  const ByteRange bytes_;
  // For each file; empty if files are read as a whole.
  const std::vector<RecordRange> ranges_;
  const std::vector<RecordRange> own_ranges_;
  const ShardRule rule_;  // of what is left to divide
  std::vector<bool> is_part_;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_SELECTION_H_
