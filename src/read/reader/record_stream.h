// RecordStream gives the records of several files as one stream of blocks.
//
// It can be looked at before it is read: blocks taken while peeking stay
// pinned, and Next gives them again. If all records are peeked at
// (ReadOptions::sample is 0), nothing is kept and the files are opened anew.
// Not thread-safe.

#ifndef HEADRACE_SRC_READ_READER_RECORD_STREAM_H_
#define HEADRACE_SRC_READ_READER_RECORD_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/index/index_recorder.h"
#include "src/input/record/scanner.h"
#include "src/read/files/file_block.h"
#include "src/read/reader/held_records.h"
#include "src/read/reader/record_ranges.h"
#include "src/read/reader/shard_rule.h"

namespace headrace::reader {

// Peeked records stay in memory until they are read.
inline constexpr uint64_t kMostSampleBytes = uint64_t{256} << 20;

// Who compares the CRCs of payloads: the caller, while it decodes them, or the
// stream.
enum class Payloads : uint8_t { kUnverified, kChecked };

class RecordStream {
 public:
  // All arguments outlive the stream; `interrupt` may be null.
  RecordStream(const std::vector<std::string>& files,
               const ReadOptions& options, Interrupt* interrupt,
               Payloads payloads = Payloads::kUnverified);

  // True when every file is regular. The caller's inputs count as regular if
  // each one that was opened so far can seek.
  bool can_reopen() const { return can_reopen_; }

  // True when records whose payloads are bad keep their numbers: others do not
  // know of them, who read another shard or range of the file.
  bool numbers_bad_payloads() const {
    return rule_.shares_files() || has_ranges() ||
           options_.range != ByteRange();
  }

  // Looks ahead like Next, from the first file on and at all shards. The caller
  // decides how much is kept.
  Result<std::optional<FileBlock>> Peek(size_t max_records);
  // Looks ahead at what Next will give, of this shard, and then gives again.
  // Before Next only. Returns empty after the last file; an error is one that
  // Next will give, too.
  Result<std::optional<FileBlock>> LookAhead(size_t max_records);
  // What the policy left out of the records peeked at. At most one region is
  // listed.
  const LeftOut& left_out_of_sample() const { return left_out_of_sample_; }
  // Ends peeking, if any: Next begins with the first record of the first file,
  // or behind options.resume_after; an error where the peeked records show that
  // it is not there.
  Status Rewind();

  // Gives records of one window of one file, all of the shard; empty after the
  // last file. An error is final. `block.payloads_unverified` asks the caller
  // to check CRCs. `left_out` gets regions that the policy leaves out before
  // the block, the end or the error.
  Result<std::optional<FileBlock>> Next(size_t max_records, LeftOut* left_out);

  // Next gives this again, first what was given back last. The spans are
  // copied. There may be no records, only regions.
  void GiveBack(const FileBlock& block, LeftOut&& left_out);

  // Records that Next gave are lost: it gives what is given back after this
  // call, and then the error.
  void Fail(const Status& error);

  const std::string& FileName(uint32_t file) const { return files_[file]; }
  // After an error: leaves the rest of the file and goes on with the next.
  void LeaveFile();

  // This file was read last.
  uint32_t file() const { return file_; }
  // The uncompressed bytes read so far, with framing and what was left out.
  uint64_t num_bytes() const {
    return bytes_before_ + (scanner_ ? scanner_->position() : 0);
  }
  // Stored bytes are counted up to the block given last, and in all files; the
  // latter is 0 where it is not known.
  uint64_t stored_position() const {
    return held_.empty() ? read_position() : held_.stored_position();
  }
  uint64_t stored_size() const { return num_unknown_ > 0 ? 0 : stored_size_; }

 private:
  // Reading may be ahead of what was given.
  uint64_t read_position() const {
    return stored_before_ +
           (scanner_ ? scanner_->source().stored_position() : 0);
  }
  Result<std::optional<FileBlock>> NextRead(size_t max_records,
                                            LeftOut* left_out);
  bool has_ranges() const { return !ranges_.empty(); }
  // The records to read of the file, if has_ranges().
  const RecordRange& RecordsOf(uint32_t file) const {
    return is_peeking_ ? ranges_[file] : own_ranges_[file];
  }
  bool HasFile(uint32_t file) const;  // this shard has records of it
  bool PeeksAt(uint32_t file) const;
  Run RunAt(uint32_t file, uint64_t record) const;
  ByteRange RangeOf(const source::Source& source) const;
  void DropForeignFiles();
  void SetSize(uint32_t file, uint64_t size);

  Result<std::shared_ptr<const compression::SeekTable>> FindTable();
  Result<std::unique_ptr<source::Source>> OpenSource();
  Status BeginIndex();
  Result<uint64_t> IndexedPlace(const RecordRange& range) const;
  Status OpenFile();
  Status EnterRange(uint64_t place);
  void NumberPart();
  Status CheckRecordCount();
  Status EndFile();
  void KeepPeeked(const FileBlock& block, LeftOut&& left_out);
  void Hold(const FileBlock& block, LeftOut&& left_out);
  void BeginAt(uint32_t file);
  Status ResumeHeld(const RowOrigin& last);
  void CollectRegions(uint64_t record, LeftOut* left_out);
  void CloseFile(uint64_t stored_bytes);

  const std::vector<std::string>& files_;
  const ReadOptions& options_;
  // The ranges of all shards and of this one, for each file; empty where files
  // are read as a whole.
  const std::vector<RecordRange> ranges_;
  const std::vector<RecordRange> own_ranges_;
  const ShardRule rule_;  // of what is left to divide
  Interrupt* const interrupt_;
  const Payloads payloads_;
  // A file that is not regular has 0. An input of the caller has kUnknown,
  // until it is opened and says its size or is read to its end.
  std::vector<uint64_t> sizes_;
  uint64_t stored_size_ = 0;  // sum of known sizes of the shard's files
  size_t num_unknown_ = 0;    // files of the shard with unknown size
  bool can_reopen_ = true;
  // Of these files a range of bytes is read.
  std::vector<bool> is_part_;
  // A file that was peeked at is one of them.
  bool peeked_part_ = false;
  bool is_peeking_ = false;
  LeftOut left_out_of_sample_;
  std::optional<RowOrigin> resume_;  // until its file is open
  uint32_t file_ = 0;
  // Makes the index of file_, which the scanner's source uses; mostly null.
  std::unique_ptr<index::IndexRecorder> recorder_;
  std::unique_ptr<record::Scanner> scanner_;  // reads file_; null: not yet open
  uint64_t regions_seen_ = 0;                 // from scanner_
  HeldRecords held_;
  Status failure_;
  uint64_t stored_before_ = 0;  // bytes of the shard's files before file_
  uint64_t bytes_before_ = 0;   // uncompressed, of files before file_
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_RECORD_STREAM_H_
