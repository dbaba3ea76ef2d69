// Selection says which of its files a reader should read, which records or
// bytes of each, and which of those belong to another shard. StoredSizes keeps
// the sizes of these files. Not thread-safe.

#ifndef HEADRACE_SRC_READ_STREAM_SELECTION_H_
#define HEADRACE_SRC_READ_STREAM_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "headrace/input_file.h"
#include "headrace/reader.h"
#include "src/input/source/source.h"
#include "src/read/stream/held_records.h"
#include "src/read/stream/record_ranges.h"

namespace headrace::reader {

// Says which files, and which parts of files, a shard reads. The rule is in
// docs/formats/tfrecord.md; it depends on the files alone.
class ShardRule {
 public:
  // The caller has checked the shards: each index is below its count, and the
  // product of all counts is below 2^32.
  ShardRule(const Shard& shard, std::span<const Shard> subshards,
            size_t num_files) {
    Divide(shard, num_files);
    for (const Shard& part : subshards) Divide(part, num_files);
  }

  // Whether the shard has records of the file.
  bool HasFile(uint32_t file) const { return file % file_step_ == first_file_; }

  // Whether other shards read a part of each file of this shard.
  bool shares_files() const { return count_ > 1; }

  // The bytes that the shard reads of a file of `size` bytes, if the file can
  // be read at any offset.
  ByteRange RangeOf(uint64_t size) const {
    return PartOf(size, range_index_, count_);
  }

  // The run that begins at this record, in a file that all shards read from its
  // beginning.
  Run RunAt(uint32_t file, uint64_t record) const {
    const uint64_t of = (record / kShardRun + file / file_step_) % count_;
    const uint64_t runs_before = (run_index_ + count_ - of) % count_;
    const uint64_t begun = record % kShardRun;
    if (runs_before == 0) return {true, kShardRun - begun};
    return {false, runs_before * kShardRun - begun};
  }

 private:
  // Keeps one of `shard.count` parts of the selection so far. Whole files are
  // dealt in turn as long as each part gets one; otherwise each file is
  // divided. A part of a file has two indices: range_index_ if files are
  // divided into byte ranges, where the parts of a part are adjacent, and
  // run_index_ if runs of records are dealt in turn.
  void Divide(const Shard& shard, size_t num_files) {
    const uint64_t num_own =
        (num_files + file_step_ - 1 - first_file_) / file_step_;
    if (!shares_files() && num_own >= shard.count) {
      first_file_ += file_step_ * shard.index;
      file_step_ *= shard.count;
      return;
    }
    range_index_ = range_index_ * shard.count + shard.index;
    run_index_ += count_ * shard.index;
    count_ *= shard.count;
  }

  // The files are first_file_, first_file_ + file_step_ and so on.
  uint64_t first_file_ = 0;
  uint64_t file_step_ = 1;
  // Number of parts that each of these files is divided into.
  uint64_t count_ = 1;
  uint64_t range_index_ = 0;
  uint64_t run_index_ = 0;
};

class Selection {
 public:
  // The options are copied.
  Selection(const ReadOptions& options, size_t num_files);

  // Whether ranges of records are asked for.
  bool has_ranges() const { return !ranges_.empty(); }
  // Whether this shard's ranges differ from those of all shards together.
  bool divides_ranges() const { return own_ranges_ != ranges_; }
  // See ShardRule.
  bool shares_files() const { return rule_.shares_files(); }

  // Whether this shard, or any shard, has records of the file.
  bool HasFile(uint32_t file) const {
    return !(has_ranges() && IsEmpty(own_ranges_[file])) && rule_.HasFile(file);
  }
  bool AnyHasFile(uint32_t file) const {
    return !(has_ranges() && IsEmpty(ranges_[file]));
  }
  // Return the records of the file, if has_ranges(): those of this shard, and
  // those of all shards.
  const RecordRange& OwnRange(uint32_t file) const { return own_ranges_[file]; }
  const RecordRange& Range(uint32_t file) const { return ranges_[file]; }
  // The bytes to read of a file. Shards that share a file read a range each, if
  // it can be read at any offset.
  ByteRange BytesOf(const source::Source& source) const;

  // Whether the records of a file from this one on belong to the shard, and for
  // how many records that is so.
  Run RunAt(uint32_t file, uint64_t record) const;
  // Notes that only the shard's bytes of the file are read, so that all records
  // in them belong to the shard.
  void ReadsPartOf(uint32_t file) { is_part_[file] = true; }

 private:
  const ByteRange bytes_;
  // For each file; empty if files are read as a whole.
  const std::vector<RecordRange> ranges_;
  const std::vector<RecordRange> own_ranges_;
  const ShardRule rule_;  // divides nothing if ranges are divided
  std::vector<bool> is_part_;
};

// The stored sizes of a reader's files in bytes, as far as they are known.
class StoredSizes {
 public:
  // The selection must outlive this. `are_inputs`: the caller opens the files.
  StoredSizes(const std::vector<std::string>& files, bool are_inputs,
              const Selection& selection);

  // Whether every file is regular. An input of the caller counts as regular
  // until it is opened, and after that if it can seek.
  bool can_reopen() const { return can_reopen_; }
  // The sum of the sizes of all files of this shard; 0 if a size is unknown.
  uint64_t sum() const { return num_unknown_ > 0 ? 0 : sum_; }
  // The sum of the known sizes of the shard's files before this one.
  uint64_t SumBefore(uint32_t file) const;

  // Notes an input of the caller that was opened.
  void LookAt(uint32_t file, const InputFile& input);
  void Set(uint32_t file, uint64_t size);

 private:
  const Selection& selection_;
  // 0 for a file that is not regular. kUnknown for an input of the caller,
  // until it is opened and reports its size, or is read to its end.
  std::vector<uint64_t> sizes_;
  uint64_t sum_ = 0;        // of the known sizes of the shard's files
  size_t num_unknown_ = 0;  // files of the shard with unknown size
  bool can_reopen_ = true;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_SELECTION_H_
