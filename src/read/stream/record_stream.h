// RecordStream returns the records of several files as one stream of blocks.
//
// Records can be peeked at before they are read: their blocks stay pinned, and
// Next returns them again. If all records are peeked at (ReadOptions::sample is
// 0), nothing is kept and the files are opened again. Not thread-safe.

#ifndef HEADRACE_SRC_READ_STREAM_RECORD_STREAM_H_
#define HEADRACE_SRC_READ_STREAM_RECORD_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/read/files/file_block.h"
#include "src/read/stream/file_scan.h"
#include "src/read/stream/held_records.h"
#include "src/read/stream/selection.h"

namespace headrace::reader {

// Maximum bytes of a sample: peeked records stay in memory until they are read.
inline constexpr uint64_t kMaxSampleBytes = uint64_t{256} << 20;

class RecordStream {
 public:
  // All arguments must outlive the stream; `interrupt` may be null.
  RecordStream(const std::vector<std::string>& files,
               const ReadOptions& options, Interrupt* interrupt,
               Payloads payloads = Payloads::kUnverified);

  // See StoredSizes.
  bool can_reopen() const { return sizes_.can_reopen(); }

  // Looks ahead at the records of all shards, from the first file on. Unless
  // ReadOptions::sample is 0, the records stay in memory, so the caller must
  // stop in time.
  Result<std::optional<FileBlock>> Peek(size_t max_records);
  // Looks ahead at blocks of this shard, which Next will return. Call it only
  // before the first Next. Returns empty after the last file. If it returns an
  // error, Next will return the same one.
  Result<std::optional<FileBlock>> LookAhead(size_t max_records);
  // The regions that the policy left out of the records peeked at. At most one
  // is listed.
  const Skipped& left_out_of_sample() const { return left_out_of_sample_; }
  // Ends peeking, if any: Next begins with the first record of the first file,
  // or after options.resume_after. Returns an error if the peeked records show
  // that there is no record resume_after.
  Status Rewind();

  // Returns at most `max_records` records, which are in one window of one file
  // and belong to the shard; empty after the last file. An error is final. If
  // `block.payloads_unverified` is set, the caller must check CRCs. Adds to
  // `left_out` the regions that the policy leaves out before the block, the end
  // or the error.
  Result<std::optional<FileBlock>> Next(size_t max_records, Skipped* left_out);

  // Takes a block back, so that Next returns it again. Of several blocks, Next
  // first returns the one given back last. Copies the spans. The block may have
  // only regions, and no records.
  void GiveBack(const FileBlock& block, Skipped&& left_out);

  // Call if records that Next returned are lost. From then on Next returns the
  // blocks that are given back after this call, and after those the error.
  void Fail(const Status& error);

  const std::string& FileName(uint32_t file) const { return files_[file]; }

  // After an error: skips the rest of the file and goes on with the next one.
  void LeaveFile();

  // The file that was read last.
  uint32_t file() const { return file_; }
  // The uncompressed bytes read so far, including framing and damage.
  uint64_t num_bytes() const {
    return bytes_before_ + (scan_ ? scan_->position() : 0);
  }
  // The stored bytes up to the end of the block returned last, and the stored
  // bytes of all files, which are 0 if unknown.
  uint64_t stored_position() const {
    return held_.empty() ? read_position() : held_.stored_position();
  }
  uint64_t stored_size() const { return sizes_.sum(); }

 private:
  // Reading may be ahead of the blocks returned.
  uint64_t read_position() const {
    return stored_before_ + (scan_ ? scan_->stored_position() : 0);
  }
  std::optional<FileBlock> NextHeld(size_t max_records, Skipped* left_out);
  Result<std::optional<FileBlock>> NextRead(size_t max_records,
                                            Skipped* left_out);
  Status OpenFile();
  Status EndFile();
  void CloseFile(uint64_t stored_bytes);
  void BeginAt(uint32_t file);
  void KeepPeeked(const FileBlock& block, Skipped&& left_out);
  void Hold(const FileBlock& block, Skipped&& left_out);
  void DropForeignFiles();
  Status CheckIsInRange(const RowOrigin& last) const;
  Status ResumeHeld(const RowOrigin& last);

  const std::vector<std::string>& files_;
  const ReadOptions& options_;
  Selection selection_;
  StoredSizes sizes_;
  const ScanContext context_;
  bool is_peeking_ = false;
  Skipped left_out_of_sample_;
  bool peeked_part_ = false;         // at a file of which this shard reads less
  std::optional<RowOrigin> resume_;  // until its file is open
  uint32_t file_ = 0;
  std::unique_ptr<FileScan> scan_;  // reads file_; null before it is open
  HeldRecords held_;
  Status failure_;
  uint64_t stored_before_ = 0;  // bytes of the shard's files before file_
  uint64_t bytes_before_ = 0;   // uncompressed, of files before file_
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_RECORD_STREAM_H_
