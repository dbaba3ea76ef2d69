// RecordStream: the records of several files as one stream of blocks.
//
// Can be looked at before it is read: blocks taken while peeking are given
// again by Next. Regular files, and inputs of the caller that can seek, are
// simply opened anew for that; what cannot be opened twice (standard input,
// pipes, other inputs) is kept pinned. Not thread-safe.

#ifndef HEADRACE_SRC_READER_RECORD_STREAM_H_
#define HEADRACE_SRC_READER_RECORD_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/record/scanner.h"

namespace headrace::reader {

struct FileBlock {
  record::Block block;
  uint32_t file = 0;  // index into the files

  // Without its first records.
  FileBlock After(size_t num_records) const;
};

// How many of the records fit a batch whose payloads hold `bytes` so far and
// may hold `most_bytes`; at least one where it is empty.
size_t CountThatFit(std::span<const record::RecordSpan> records, uint64_t bytes,
                    uint64_t most_bytes, bool is_empty);

// Appends to a list that keeps no more than `max_regions`.
void AppendRegions(std::vector<FileRegion>&& more, size_t max_regions,
                   std::vector<FileRegion>* regions);

// Regions left out; the list is bounded, the count is not.
struct LeftOut {
  std::vector<FileRegion> regions;
  uint64_t count = 0;

  void Add(LeftOut&& more, size_t max_regions);
  void Clear();
};

class RecordStream {
 public:
  // All outlive the stream; `interrupt` may be null.
  RecordStream(const std::vector<std::string>& files,
               const ReadOptions& options, Interrupt* interrupt);

  // True when every file is a regular one. Of inputs of the caller: when each
  // that was opened while peeking can seek.
  bool can_reopen() const { return held_from_ == kNoFile; }

  // True when shards share every file: then records whose payloads are bad
  // keep their numbers, for other shards do not know of them.
  bool shares_files() const {
    return options_.shard.count > 1 && files_.size() < options_.shard.count;
  }

  // As Next, for looking ahead, all shards, from the first file on. At most
  // kHeldBytes are kept of what cannot be opened again: then, and at the end,
  // the result is empty.
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
  uint64_t stored_position() const;
  uint64_t stored_size() const { return stored_size_; }

 private:
  static constexpr uint64_t kHeldBytes = uint64_t{256} << 20;
  struct Held {
    FileBlock block;
    std::vector<record::RecordSpan> records;
    LeftOut left_out;
  };

  // What peeking came to, from file held_from_ on.
  struct Peeked {
    uint32_t file = 0;
    std::unique_ptr<record::Scanner> scanner;
    uint64_t regions_seen = 0;
    std::deque<Held> held;
    uint64_t stored_before = 0;
  };
  static constexpr uint32_t kNoFile = ~uint32_t{0};

  static Held Hold(const FileBlock& block, LeftOut&& left_out);
  std::optional<FileBlock> NextHeld(size_t max_records, LeftOut* left_out);
  Result<std::optional<FileBlock>> NextRead(size_t max_records,
                                            LeftOut* left_out);
  // How many records from one on are of the shard, or are not.
  struct Run {
    bool is_own = true;
    uint64_t size = 0;
  };
  Run RunAt(uint32_t file, uint64_t record) const;
  // False for files that are of other shards altogether.
  bool HasFile(uint32_t file) const;
  void DropForeignFiles();

  Result<std::unique_ptr<source::Source>> OpenSource();
  Status OpenFile();
  void HoldPeeked(const FileBlock& block, LeftOut&& left_out);
  void ContinuePeeked();
  Status ResumePeeked(const RowOrigin& last);
  bool DropHeld(const RowOrigin& last);
  uint64_t StoredSize(uint32_t end) const;
  void CollectRegions(LeftOut* left_out);

  const std::vector<std::string>& files_;
  const ReadOptions& options_;
  Interrupt* const interrupt_;
  // The first file that cannot be opened twice. This one and those after it
  // are kept while peeking.
  uint32_t held_from_ = kNoFile;
  bool is_peeking_ = false;
  std::optional<Peeked> peeked_;     // while the files before it are read again
  std::optional<RowOrigin> resume_;  // until its file is open
  uint32_t file_ = 0;
  std::unique_ptr<record::Scanner> scanner_;  // of file_; null: not yet open
  uint64_t regions_seen_ = 0;                 // of scanner_
  std::deque<Held> held_;
  Status failure_;
  uint64_t held_bytes_ = 0;     // while peeking
  std::optional<Held> given_;   // the held block that Next gave last
  uint64_t stored_before_ = 0;  // bytes of the files before file_
  uint64_t stored_size_ = 0;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_RECORD_STREAM_H_
