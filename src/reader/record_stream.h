// RecordStream: the records of several files as one stream of blocks.
//
// Can be looked at before it is read: blocks taken while peeking stay pinned,
// and Next gives them again. Only where all records are peeked at
// (ReadOptions::sample is 0) nothing is kept, and the files are opened anew.
// Not thread-safe.

#ifndef HEADRACE_SRC_READER_RECORD_STREAM_H_
#define HEADRACE_SRC_READER_RECORD_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/reader/file_block.h"
#include "src/reader/held_records.h"
#include "src/record/scanner.h"

namespace headrace::reader {

// What is peeked at stays in memory until it is read.
inline constexpr uint64_t kMostSampleBytes = uint64_t{256} << 20;

class RecordStream {
 public:
  // All outlive the stream; `interrupt` may be null.
  RecordStream(const std::vector<std::string>& files,
               const ReadOptions& options, Interrupt* interrupt);

  // True when every file is a regular one. Of inputs of the caller: when each
  // that was opened while peeking can seek.
  bool can_reopen() const { return can_reopen_; }

  // True when shards share every file: then records whose payloads are bad
  // keep their numbers, for other shards do not know of them.
  bool shares_files() const {
    return options_.shard.count > 1 && files_.size() < options_.shard.count;
  }

  // As Next, for looking ahead, all shards, from the first file on. How much is
  // kept is up to the caller.
  Result<std::optional<FileBlock>> Peek(size_t max_records);
  // Ends peeking, if there was any: Next begins with the first record of the
  // first file, or behind options.resume_after. An error where what was peeked
  // shows that it is not there.
  Status Rewind();

  // Records of one window of one file, all of the shard; empty after the last
  // file. An error is final. `block.payloads_unverified` asks the caller to
  // check CRCs. Regions before the block, the end or the error that the policy
  // leaves out are added to `left_out`.
  Result<std::optional<FileBlock>> Next(size_t max_records, LeftOut* left_out);

  // What Next is to give first, though it gave it once; the last given back
  // comes first. The spans are copied. No records, for the regions alone.
  void GiveBack(const FileBlock& block, LeftOut&& left_out);

  // Records that Next gave are lost: from here on Next gives what is given back
  // after this, and then the error.
  void Fail(const Status& error);

  // The file that was read from last.
  uint32_t file() const { return file_; }
  // Stored bytes of the files up to the block given last, and in all; the
  // latter is 0 where it is not known.
  uint64_t stored_position() const {
    return held_.empty() ? read_position() : held_.stored_position();
  }
  uint64_t stored_size() const { return num_unknown_ > 0 ? 0 : stored_size_; }

 private:
  // Where reading stands, which may be ahead of what was given.
  uint64_t read_position() const {
    return stored_before_ +
           (scanner_ ? scanner_->source().stored_position() : 0);
  }
  Result<std::optional<FileBlock>> NextRead(size_t max_records,
                                            LeftOut* left_out);
  Run RunAt(uint32_t file, uint64_t record) const;
  // False for files that are of other shards altogether.
  bool HasFile(uint32_t file) const;
  void DropForeignFiles();
  void SetSize(uint32_t file, uint64_t size);

  Result<std::unique_ptr<source::Source>> OpenSource();
  Status OpenFile();
  void EndFile();
  void KeepPeeked(const FileBlock& block, LeftOut&& left_out);
  void BeginAt(uint32_t file);
  Status ResumeHeld(const RowOrigin& last);
  void CollectRegions(LeftOut* left_out);

  const std::vector<std::string>& files_;
  const ReadOptions& options_;
  Interrupt* const interrupt_;
  // Stored bytes of each file, 0 for one of no regular kind. Of an input of the
  // caller kUnknown, until it is opened and says so or is read to its end.
  std::vector<uint64_t> sizes_;
  uint64_t stored_size_ = 0;  // of the shard's files whose size is known
  size_t num_unknown_ = 0;    // the others of the shard
  bool can_reopen_ = true;
  bool is_peeking_ = false;
  std::optional<RowOrigin> resume_;  // until its file is open
  uint32_t file_ = 0;
  std::unique_ptr<record::Scanner> scanner_;  // of file_; null: not yet open
  uint64_t regions_seen_ = 0;                 // of scanner_
  HeldRecords held_;
  Status failure_;
  uint64_t stored_before_ = 0;  // bytes of the shard's files before file_
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_RECORD_STREAM_H_
