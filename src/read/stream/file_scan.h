// FileScan reads one file for RecordStream: only the records that the reader
// should read.
//
// It opens the file, uses the index beside it, skips the records before the
// first one wanted, stops after the last one, and makes an index of the file if
// asked to. Not thread-safe.

#ifndef HEADRACE_SRC_READ_STREAM_FILE_SCAN_H_
#define HEADRACE_SRC_READ_STREAM_FILE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/index/index_builder.h"
#include "src/input/record/scanner.h"
#include "src/input/source/source.h"
#include "src/read/files/file_block.h"
#include "src/read/stream/selection.h"

namespace headrace::reader {

// Whether the stream checks the CRCs of payloads, or leaves that to the caller,
// which does it while decoding.
enum class Payloads : uint8_t { kUnverified, kChecked };

// State that is the same for all files of a reader. Everything that it points
// to must outlive the scans.
struct ScanContext {
  const ReadOptions& options;
  Interrupt* interrupt = nullptr;
  Payloads payloads = Payloads::kUnverified;
  // Whether the reader peeks at the records of all shards. Blocks are then
  // kept.
  const bool& is_peeking;
  Selection* selection = nullptr;
  StoredSizes* sizes = nullptr;
};

class FileScan {
 public:
  // Opens a file. `resumes`: the reader goes on after a row that is in this
  // file or in a later one. `last` is that row if it is in this file.
  static Result<std::unique_ptr<FileScan>> Open(
      const ScanContext& context, const std::string& name, uint32_t file,
      bool resumes, const std::optional<RowOrigin>& last);

  // Returns at most `max_records` records; none after the last one wanted. Adds
  // to `left_out` the regions left out before the records, the end or the
  // error. An error is final.
  Result<record::Block> Next(size_t max_records, Skipped* left_out);
  // Call after the last record. Finishes the index, if one is made, and returns
  // the stored bytes of the file.
  Result<uint64_t> End();

  // Whether a peeking reader sees more of the file than this shard reads.
  bool is_part() const { return is_part_; }
  uint64_t next_record() const { return scanner_->next_record(); }
  // The offset after the records returned so far, in the uncompressed stream
  // and in the stored file.
  uint64_t position() const { return scanner_->position(); }
  uint64_t stored_position() const {
    return scanner_->source().stored_position();
  }
  // Whether reading the file has failed.
  bool is_broken() const { return !scanner_->source().failure().ok(); }

  // See Scanner.
  Status ResumeAfter(const RowOrigin& last) {
    return scanner_->ResumeAfter(last);
  }

 private:
  FileScan(const ScanContext& context, const std::string& name, uint32_t file)
      : context_(context), name_(name), file_(file) {}

  bool has_ranges() const { return context_.selection->has_ranges(); }
  // The records to read of the file, if has_ranges().
  const RecordRange& records() const {
    return context_.is_peeking ? context_.selection->Range(file_)
                               : context_.selection->OwnRange(file_);
  }
  Status Begin(bool resumes, const std::optional<RowOrigin>& last);
  Result<std::shared_ptr<const compression::SeekTable>> FindTable(
      bool resumes) const;
  Status BeginIndex();
  Result<std::unique_ptr<source::Source>> OpenSource(bool resumes);
  Result<Index> UsableIndex() const;
  Result<uint64_t> IndexedPlace() const;
  Status ReadBytes(const ByteRange& range, std::optional<RowOrigin>* last);
  Status EnterRange(uint64_t place);
  Status CheckRecordCount();
  void CollectRegions(uint64_t record, Skipped* left_out);

  const ScanContext& context_;
  const std::string& name_;
  const uint32_t file_;
  bool is_part_ = false;
  bool reads_bytes_ = false;  // only a range of bytes is read
  // Makes the index of the file; null if none is made. Must outlive the
  // scanner, whose source uses it.
  std::unique_ptr<index::IndexRecorder> recorder_;
  std::unique_ptr<record::Scanner> scanner_;
  uint64_t regions_seen_ = 0;  // of scanner_'s regions
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_FILE_SCAN_H_
