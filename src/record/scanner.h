// Scanner: windows in, blocks of framed records out.
//
// Knows framing, checksums and what happens to damage; nothing of the payload.
// Not thread-safe. Rules: docs/formats/tfrecord.md.

#ifndef HEADRACE_SRC_RECORD_SCANNER_H_
#define HEADRACE_SRC_RECORD_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "headrace/batch.h"
#include "headrace/limits.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/record/finding.h"
#include "src/record/framer.h"
#include "src/record/range_crc.h"
#include "src/record/record_span.h"
#include "src/source/source.h"

namespace headrace::record {

struct ScanOptions {
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  bool verify_payload = true;
  // Leave payload CRCs of kFail and kSkip to the caller, who decodes first and
  // then calls PayloadIsIntact while the bytes are in cache. What fails it is
  // the caller's to report (BadPayload in finding.h) or to leave out. Under
  // kRescan payloads are verified here all the same.
  bool defer_payload = false;
  Limits limits = {};
};

// The records of one window, in file order. Valid until the next NextBlock,
// longer where `pin` is kept.
struct Block {
  std::span<const RecordSpan> records;  // empty only at the end of the file
  // Number within the file. What was left out does not count; records whose
  // payloads the caller finds bad still do.
  uint64_t first_record = 0;
  Pin pin;
  // True when the caller has to call PayloadIsIntact for each record.
  bool payloads_unverified = false;
};

// The error of ResumeAfter.
Status NoSuchRecord(const RowOrigin& last, const std::string& file);

class Scanner {
 public:
  Scanner(std::unique_ptr<source::Source> source, const ScanOptions& options);

  // At most `max_records` records of one window. An error is final: each later
  // call returns it again. Everything before the error has been given first.
  // Findings that the policy allows are added to regions(), those before a
  // block's first record no later than the block is given.
  Result<Block> NextBlock(size_t max_records);

  // Goes on behind this record, which was read before and lies at or behind
  // position(): nothing up to its end is looked at but its header. An error is
  // final; kInvalidArgument (NoSuchRecord) where no such record begins there.
  // What the stream says of itself is said as ever.
  Status ResumeAfter(const RowOrigin& last);
  // The number of the record that comes next.
  uint64_t next_record() const { return next_record_; }
  // Records come so many earlier than was thought.
  void LowerRecordNumbers(uint64_t by) { next_record_ -= by; }

  // Left out so far, in file order; at most limits.max_reported are kept.
  const std::vector<SkippedRegion>& regions() const { return regions_; }
  uint64_t num_regions() const { return num_regions_; }

  // Where the scan stands: the end of the last record given, or of the last
  // region left out.
  uint64_t position() const { return pos_; }

  const source::Source& source() const { return *source_; }

 private:
  // Bytes of the window from pos_ on.
  size_t Left() const { return static_cast<size_t>(window_.end() - pos_); }
  const uint8_t* At(uint64_t offset) const {
    return window_.data + (offset - window_.offset);
  }
  Stretch StretchAt(uint64_t offset) const;

  // scanner.cc: the way through an intact file.
  size_t Frame(std::span<RecordSpan> spans);
  Block MakeBlock(size_t count);
  Result<bool> Fetch(size_t size);
  Status Step();
  Status StepOverRecord(uint64_t length);
  uint32_t PayloadCrc(uint64_t offset, const uint8_t* payload, size_t size);

  // resume.cc.
  Result<bool> MoveTo(uint64_t offset);
  Status PassOver(const RowOrigin& last);

  // recovery.cc: what happens to damage.
  Status Report(Finding finding);
  Status Skip(const Finding& finding);
  Status Recover(const Finding& finding);
  Result<bool> IsFollowedByHeader(uint64_t length);
  Result<uint64_t> FindRecordAfter(uint64_t begin);
  Result<bool> IsRecord();
  size_t FrameSuspects(std::span<RecordSpan> spans);
  Status StreamFailure() const;
  void LeaveOut(uint64_t end, ErrorCode reason);

  std::unique_ptr<source::Source> source_;
  const ScanOptions options_;
  const uint64_t max_payload_;
  source::Window window_;
  uint64_t pos_ = 0;
  uint64_t next_record_ = 0;
  std::vector<RecordSpan> spans_;  // of the last block

  bool at_end_ = false;
  Status final_;

  std::vector<SkippedRegion> regions_;
  uint64_t num_regions_ = 0;
  // Framing has been lost and found again.
  bool recovered_ = false;
  // Up to here payloads have been summed in vain: what begins before it is
  // summed by range_crc_, so that no byte is read again and again.
  uint64_t suspect_until_ = 0;
  RangeCrc range_crc_;
};

}  // namespace headrace::record

#endif  // HEADRACE_SRC_RECORD_SCANNER_H_
