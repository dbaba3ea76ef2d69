// BatchFiller: batches made on the caller's thread, row by row.
//
// Knows what happens to rows that fail, and keeps count of what was left out.
// Not thread-safe.

#ifndef HEADRACE_SRC_READER_BATCH_FILLER_H_
#define HEADRACE_SRC_READER_BATCH_FILLER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/decode/decode_block.h"
#include "src/reader/batch_storage.h"
#include "src/reader/record_stream.h"

namespace headrace::reader {

class BatchFiller {
 public:
  // All outlive the filler, which puts what it chooses in the place of
  // kAutoBatchSize.
  BatchFiller(const std::vector<std::string>& files, ReadOptions* options,
              RecordStream* stream, ReadReport* report)
      : files_(files), options_(*options), stream_(stream), report_(report) {}

  // Adds rows until the batch is full, the input ends or an error is met; then
  // seals it. An error when it could not even be sealed.
  Status Fill(const Plan& plan, BatchStorage* storage,
              infer::LateFeatures* late);
  // Gives what it holds of the stream back, for somebody else to go on.
  void GiveBack();

  // The error that ended the stream, or success.
  const Status& status() const { return status_; }
  bool at_end() const { return at_end_; }
  // Of what this filler read.
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }

  // For batches that others made, in order with those made here:
  //
  // Whether these regions would be one finding too many.
  bool IsTooBad(uint64_t more_regions) const;
  void AddRegions(LeftOut&& left_out);
  // The stream counts records whose payloads are bad; users do not.
  void CorrectNumbers(BatchStorage* storage) const;
  Status Corrected(Status stream_error) const;

 private:
  void ChooseBatchSize(const column::ColumnSet& columns);
  bool NextBlock(size_t max_records);
  void Consume(const decode::BlockEnd& end, BatchStorage* storage);
  bool HandleFailure(const Plan& plan, ErrorCode code, bool batch_is_empty);
  bool LeaveOutPayload(const record::RecordSpan& span, uint64_t number);
  void CountBadPayload();
  void SkipRow(Status error);
  void CheckBad();
  void Advance();
  uint64_t NumberOfNext() const;
  bool Fail(Status status) {
    status_ = std::move(status);
    return false;
  }

  const std::vector<std::string>& files_;
  ReadOptions& options_;
  RecordStream* const stream_;
  ReadReport* const report_;
  decode::EntryOrder order_;
  Status status_;
  bool at_end_ = false;

  // The block being decoded, from record next_ on.
  std::optional<FileBlock> block_;
  size_t next_ = 0;
  uint64_t num_records_ = 0;
  uint64_t num_bytes_ = 0;
  uint64_t batch_bytes_ = 0;  // of payload in the batch being filled
  // Records with bad payloads left out of a file, which is the last one that
  // had any.
  uint32_t bad_file_ = 0;
  uint64_t bad_payloads_ = 0;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_BATCH_FILLER_H_
