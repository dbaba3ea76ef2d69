// FileScan reads one of a reader's files: from where the reader is asked to
// begin, to where it ends.
//
// It opens the file, uses the index beside it, passes over what comes before,
// and makes the index of what it reads where that is wanted. Not thread-safe.

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
#include "src/input/index/index_recorder.h"
#include "src/input/record/scanner.h"
#include "src/input/source/source.h"
#include "src/read/files/file_block.h"
#include "src/read/stream/selection.h"
#include "src/read/stream/stored_sizes.h"

namespace headrace::reader {

// Who compares the CRCs of payloads: the caller, while it decodes them, or the
// stream.
enum class Payloads : uint8_t { kUnverified, kChecked };

// What is the same for all files of a reader. All that it points to outlives
// the scans.
struct ScanContext {
  const ReadOptions& options;
  Interrupt* interrupt = nullptr;
  Payloads payloads = Payloads::kUnverified;
  // Whether blocks are kept, because the reader peeks at all shards.
  const bool& is_peeking;
  Selection* selection = nullptr;
  StoredSizes* sizes = nullptr;
};

class FileScan {
 public:
  // `resumes`: the reader goes on after a row that lies in this file or a later
  // one. `last` is that row, if it lies in this one.
  static Result<std::unique_ptr<FileScan>> Open(
      const ScanContext& context, const std::string& name, uint32_t file,
      bool resumes, const std::optional<RowOrigin>& last);

  // Gives at most `max_records` records; none at the end of what is asked for.
  // `left_out` gets the regions that are left out before them, the end or the
  // error, which is final.
  Result<record::Block> Next(size_t max_records, Skipped* left_out);
  // All has been read. Finishes the index, if one is made; returns the stored
  // bytes of the file.
  Result<uint64_t> End();

  // Whether a peeking reader sees more of the file than this shard reads.
  bool is_part() const { return is_part_; }
  uint64_t next_record() const { return scanner_->next_record(); }
  // What comes after the records given so far, in the uncompressed stream and
  // in the stored file.
  uint64_t position() const { return scanner_->position(); }
  uint64_t stored_position() const {
    return scanner_->source().stored_position();
  }
  // Whether the file could not be read on.
  bool is_broken() const { return !scanner_->source().failure().ok(); }

  // See Scanner.
  Status ResumeAfter(const RowOrigin& last) {
    return scanner_->ResumeAfter(last);
  }
  void LowerRecordNumbers(uint64_t by) { scanner_->LowerRecordNumbers(by); }

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
  bool reads_bytes_ = false;  // just a range of bytes is read
  // Makes the index of the file, which the scanner's source uses; mostly null.
  std::unique_ptr<index::IndexRecorder> recorder_;
  std::unique_ptr<record::Scanner> scanner_;
  uint64_t regions_seen_ = 0;  // from scanner_
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_FILE_SCAN_H_
