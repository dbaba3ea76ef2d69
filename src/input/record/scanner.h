// Scanner turns windows into blocks of framed records.
//
// It knows framing, checksums and what happens to damage; nothing of payloads.
// Not thread-safe. docs/formats/tfrecord.md has the rules.

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
#include "src/input/record/record_span.h"
#include "src/input/source/source.h"

namespace headrace::record {

struct ScanOptions {
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  bool verify_payload = true;
  // Under kFail and kSkip the caller checks payload CRCs: it decodes first and
  // then calls PayloadIsIntact, while the bytes are in cache. A payload that
  // fails is the caller's to report (BadPayload in finding.h) or to skip.
  // kRescan verifies payloads in the scanner nevertheless.
  bool defer_payload = false;
  // Records whose payloads are bad keep their numbers, as far as kRescan finds
  // what follows them.
  bool numbers_bad_payloads = false;
  // PassTo reads little but headers of a plain file that can be read at any
  // place: in many small reads, which take long where the file is far away.
  bool walks_headers = false;
  // Null, or outlives the scanner, and ends PassTo with kCancelled.
  Interrupt* interrupt = nullptr;
  Limits limits = {};
};

// A Block has records of one window, in file order. It is valid until the next
// NextBlock, or longer where `pin` is kept.
struct Block {
  std::span<const RecordSpan> records;  // empty only at the end of the file
  // Records of a file are numbered without those left out; those whose payloads
  // the caller finds bad still count. kUnknown in a part of a file whose first
  // record has a number that nobody knows.
  uint64_t first_record = 0;
  Pin pin;
  // The caller must call PayloadIsIntact for each record.
  bool payloads_unverified = false;
};

// kInvalidArgument for a range that ends before it begins.
Status Check(const ByteRange& range);

// ResumeAfter fails with this.
Status NoSuchRecord(const RowOrigin& last, const std::string& file);

class Scanner {
 public:
  Scanner(std::unique_ptr<source::Source> source, const ScanOptions& options);

  // Gives at most `max_records` records of one window. An error is final: later
  // calls return it again. Everything before it has been given first. Findings
  // that the policy allows are added to regions(), those before a block's first
  // record no later than the block is given.
  Result<Block> NextBlock(size_t max_records);

  // Goes on behind a record that was read before and lies at or behind
  // position(): nothing up to its end is looked at except its header. An error
  // is final; kInvalidArgument (NoSuchRecord) where no such record begins
  // there. Failures of the stream are reported as ever.
  Status ResumeAfter(const RowOrigin& last);
  // Gives only the records that begin in `range`; call it before any other. A
  // file that can be read at any place is read from the seam at range.begin to
  // the one at range.end (seam.h), and numbers are known from the beginning of
  // the file, or after NumberFrom. It fails with kSplitSeam where what is read
  // does not end at the second seam.
  // Of another file the records before the range are passed over, and counted.
  Status ReadRange(const ByteRange& range);
  // Goes on with the record of this number, or at the end of the file where
  // there are fewer. Of the records before it only the headers are looked at,
  // except under kRescan, which needs the payload to know what follows. An
  // error is final.
  Status PassTo(uint64_t number);
  // Goes on with the record of this number, which an index says begins there.
  // False, and nothing changed, where the file has no record there, or only
  // reading leads there.
  Result<bool> JumpTo(uint64_t number, uint64_t offset);
  // False where reading began amid the file, and nobody said at which record.
  bool knows_numbers() const { return knows_numbers_; }
  // An index says that this is the number of the next record.
  void NumberFrom(uint64_t number) {
    next_record_ = number;
    knows_numbers_ = true;
  }
  // NextBlock gives no record of this number or a higher one.
  void EndAtRecord(uint64_t number) { record_end_ = number; }
  // The next record gets this number, if numbers are known.
  uint64_t next_record() const { return next_record_; }
  // False after damage of which nobody knows how many records it held.
  bool numbers_are_sure() const { return numbers_are_sure_; }
  // Records come so many earlier than was thought.
  void LowerRecordNumbers(uint64_t by) { next_record_ -= by; }

  // They are in file order; at most limits.max_reported are kept.
  const std::vector<SkippedRegion>& regions() const { return regions_; }
  uint64_t num_regions() const { return num_regions_; }

  // The last record given, or the last region, ends here.
  uint64_t position() const { return pos_; }

  const source::Source& source() const { return *source_; }

 private:
  // Of the next record; kUnknown if nobody knows.
  uint64_t Number() const { return knows_numbers_ ? next_record_ : kUnknown; }
  // The window has this many bytes from pos_ on.
  size_t Left() const { return static_cast<size_t>(window_.end() - pos_); }
  const uint8_t* At(uint64_t offset) const {
    return window_.data + (offset - window_.offset);
  }
  Stretch StretchAt(uint64_t offset) const;

  // scanner.cc has the way through an intact file.
  size_t Frame(std::span<RecordSpan> spans);
  Block MakeBlock(size_t count);
  Result<bool> Fetch(size_t size);
  Result<bool> EndOfWindows() const;
  Status Step();
  Status StepOverRecord(uint64_t length);
  uint32_t PayloadCrc(uint64_t offset, const uint8_t* payload, size_t size);

  // range.cc has these.
  size_t TrimToRange(size_t count);
  Status SplitSeam() const;

  // resume.cc has these.
  bool StartAt(uint64_t offset);
  Result<bool> GoTo(uint64_t offset);
  Result<bool> MoveTo(uint64_t offset);
  Status PassOver(const RowOrigin& last);

  // pass.cc has this.
  Status WalkTo(uint64_t number);

  // recovery.cc decides what happens to damage.
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

  std::unique_ptr<source::Source> source_;
  const ScanOptions options_;
  const uint64_t max_payload_;
  source::Window window_;
  uint64_t pos_ = 0;
  uint64_t next_record_ = 0;
  bool knows_numbers_ = true;
  std::vector<RecordSpan> spans_;  // those of the last block

  // Records that begin elsewhere are not given.
  ByteRange range_;
  // The source ends here, though the file goes on.
  std::optional<uint64_t> seam_;
  uint64_t record_end_ = ~uint64_t{0};
  bool numbers_are_sure_ = true;

  bool at_end_ = false;
  Status final_;

  std::vector<SkippedRegion> regions_;
  uint64_t num_regions_ = 0;
  // Framing has been lost and found again.
  bool recovered_ = false;
  // Payloads up to here failed their CRC. Ranges that begin before it are
  // summed by range_crc_, so that no byte is read again and again.
  uint64_t suspect_until_ = 0;
  RangeCrc range_crc_;
};

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_SCANNER_H_
