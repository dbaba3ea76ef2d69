// Scanner turns windows into blocks of framed records.
//
// It knows framing, checksums and the policies for damage, but nothing about
// payloads. Not thread-safe. docs/formats/tfrecord.md has the rules.

#ifndef HEADRACE_SRC_INPUT_RECORD_SCANNER_H_
#define HEADRACE_SRC_INPUT_RECORD_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "headrace/limits.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/interrupt.h"
#include "src/input/crc32c/range_crc.h"
#include "src/input/record/finding.h"
#include "src/input/record/framer.h"
#include "src/input/source/source.h"

namespace headrace::record {

struct ScanOptions {
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  bool verify_payload = true;
  // Under kFail and kSkip the caller checks payload CRCs: it decodes first and
  // then calls PayloadIsIntact, while the bytes are in cache. The caller also
  // reports (BadPayload in finding.h) or skips a payload that fails. Under
  // kRescan the scanner verifies payloads in any case.
  bool defer_payload = false;
  // PassTo reads little but the headers of a plain file that can be read at any
  // offset. Its many small reads take long if the file is far away.
  bool walks_headers = false;
  // Null, or outlives the scanner. Once it is set, PassTo fails with
  // kCancelled.
  Interrupt* interrupt = nullptr;
  Limits limits = {};
};

// A Block has records of one window, in file order. `records` is valid until
// the next NextBlock, and payloads as long as `pin` is kept.
struct Block {
  std::span<const RecordSpan> records;  // empty only at the end of the file
  // Records count even if the policy skips their payloads. After damage that
  // held an unknown number of records, only those found count. kUnknown in a
  // part of a file if the number of its first record is unknown.
  uint64_t first_record = 0;
  Pin pin;
  // The caller must call PayloadIsIntact for each record.
  bool payloads_unverified = false;
};

// Returns kInvalidArgument for a range that ends before it begins.
Status Check(const ByteRange& range);

// Returns the error with which ResumeAfter fails.
Status NoSuchRecord(const RowOrigin& last, const std::string& file);

class Scanner {
 public:
  Scanner(std::unique_ptr<source::Source> source, const ScanOptions& options);

  // Returns at most `max_records` records of one window. An error is returned
  // after all records before it, and is final: later calls return it again.
  // Findings that the policy allows are added to regions(); findings before a
  // block's first record are added before the block is returned.
  Result<Block> NextBlock(size_t max_records);

  // Continues after a record that was read before and is at position() or
  // later. Looks only at that record's header, not at the other bytes up to its
  // end. An error is final. Fails with kInvalidArgument (NoSuchRecord) if no
  // such record begins there. Failures of the stream are reported as usual.
  Status ResumeAfter(const RowOrigin& last);
  // Restricts reading to the records that begin in `range`; call it before any
  // other function. A file that can be read at any offset is read from the seam
  // at range.begin to the one at range.end (seam.h). Then numbers are known
  // only if the first seam is the beginning of the file, or after NumberFrom.
  // Reading fails with kSplitSeam if the records do not end at the second seam.
  // In other files, records before the range are passed over and counted.
  Status ReadRange(const ByteRange& range);
  // Continues with the record of this number, or at the end of the file if
  // there are fewer. Only the headers of the records before it are looked at,
  // except under kRescan, which needs the payload to know what follows. An
  // error is final.
  Status PassTo(uint64_t number);
  // Continues with the record of this number, which begins at `offset`
  // according to an index. Returns false and changes nothing if the file has no
  // record there, or if the source can get there only by reading.
  Result<bool> JumpTo(uint64_t number, uint64_t offset);
  // False if reading began inside the file at a record of unknown number.
  bool knows_numbers() const { return knows_numbers_; }
  // Sets the number of the next record, which an index knows.
  void NumberFrom(uint64_t number) {
    next_record_ = number;
    knows_numbers_ = true;
  }
  // From now on NextBlock returns no record of this number or a higher one.
  void EndAtRecord(uint64_t number) { record_end_ = number; }
  // The number of the next record, if numbers are known.
  uint64_t next_record() const { return next_record_; }
  // False after damage that held an unknown number of records.
  bool numbers_are_sure() const { return numbers_are_sure_; }

  // Skipped regions in file order; at most limits.max_reported are kept.
  const std::vector<SkippedRegion>& regions() const { return regions_; }
  uint64_t num_regions() const { return num_regions_; }

  // Where the last returned record, or the last region, ends.
  uint64_t position() const { return pos_; }

  const source::Source& source() const { return *source_; }

 private:
  // The number of the next record, or kUnknown.
  uint64_t Number() const { return knows_numbers_ ? next_record_ : kUnknown; }
  // The number of bytes that the window has from pos_ on.
  size_t Left() const { return static_cast<size_t>(window_.end() - pos_); }
  const uint8_t* At(uint64_t offset) const {
    return window_.data + (offset - window_.offset);
  }
  Stretch StretchAt(uint64_t offset) const;

  // The way through an intact file.
  size_t Frame(std::span<RecordSpan> spans);
  Block MakeBlock(size_t count);
  Result<bool> Fetch(size_t size);
  Result<bool> EndOfWindows() const;
  Status Step();
  Status StepOverRecord(uint64_t length);
  uint32_t PayloadCrc(uint64_t offset, const uint8_t* payload, size_t size);

  // Parts of a file.
  size_t TrimToRange(size_t count);
  Status SplitSeam() const;

  // Resuming and skipping records.
  bool StartAt(uint64_t offset);
  Result<bool> GoTo(uint64_t offset);
  Result<bool> MoveTo(uint64_t offset);
  Status PassOver(const RowOrigin& last);
  Status WalkTo(uint64_t number);

  // Decide what happens to damage.
  Status Report(Finding finding);
  Status Skip(const Finding& finding);
  Status Recover(const Finding& finding);
  Result<bool> IsFollowedByHeader(uint64_t length);
  Result<uint64_t> FindRecordAfter(uint64_t begin);
  Result<bool> IsRecord();
  size_t FrameSuspects(std::span<RecordSpan> spans);
  Status StreamFailure() const;
  Status MeetStreamFailure();
  void LeaveOut(uint64_t end, ErrorCode reason);
  void LeaveOutRecord(uint64_t declared);
  void AddRegion(SkippedRegion region);

  std::unique_ptr<source::Source> source_;
  const ScanOptions options_;
  const uint64_t max_payload_;
  source::Window window_;
  uint64_t pos_ = 0;
  uint64_t next_record_ = 0;
  bool knows_numbers_ = true;
  std::vector<RecordSpan> spans_;  // of the last block

  // Records that begin outside this range are not returned.
  ByteRange range_;
  // Where the source ends, although the file goes on.
  std::optional<uint64_t> seam_;
  uint64_t record_end_ = ~uint64_t{0};
  bool numbers_are_sure_ = true;

  bool at_end_ = false;
  Status final_;

  std::vector<SkippedRegion> regions_;
  uint64_t num_regions_ = 0;
  // Whether framing has been lost and found again.
  bool recovered_ = false;
  // Payloads up to this offset failed their CRC. Payloads that begin before it
  // are summed by range_crc_, so that no byte is summed again and again.
  uint64_t suspect_until_ = 0;
  RangeCrc range_crc_;
};

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_SCANNER_H_
