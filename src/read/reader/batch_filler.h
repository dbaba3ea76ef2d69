// BatchFiller makes batches on the caller's thread, from blocks of the stream.
//
// It applies the policies for damage and for bad rows, and counts the regions
// and rows that are skipped, including those of BatchPipeline. Not thread-safe.

#ifndef HEADRACE_SRC_READ_READER_BATCH_FILLER_H_
#define HEADRACE_SRC_READ_READER_BATCH_FILLER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/decode/example/decode_block.h"
#include "src/read/batch/batch_storage.h"
#include "src/read/reader/unexplained_rows.h"
#include "src/read/stream/record_stream.h"

namespace headrace::reader {

// Smallest and largest batch size that kAutoBatchSize may choose. The choice is
// based on the first kMinRows rows.
inline constexpr size_t kMinRows = 16;
inline constexpr size_t kMaxRows = 1024;

class BatchFiller {
 public:
  // All arguments must outlive the filler. If options->batch_size is
  // kAutoBatchSize, the filler replaces it with its choice.
  BatchFiller(const std::vector<std::string>& files, ReadOptions* options,
              RecordStream* stream, ReadReport* report)
      : files_(files),
        options_(*options),
        stream_(stream),
        report_(report),
        most_rows_(options->batch_size == kAutoBatchSize
                       ? kMaxRows
                       : options->batch_size) {}

  // Adds rows until the batch is full, the input ends or an error occurs, then
  // seals the batch. Returns an error only if the batch gets no memory of the
  // allocator or cannot be sealed; status() has all other errors.
  Status Fill(const Plan& plan, BatchStorage* storage,
              infer::LateFeatures* late);
  // Returns the unread records of its block to the stream, so that the pipeline
  // can take them.
  void GiveBack();

  // The rows for which each batch asks the allocator for memory.
  size_t most_rows() const { return most_rows_; }
  // The error that ended reading, or success.
  const Status& status() const { return status_; }
  bool at_end() const { return at_end_; }
  // Records and bytes that this filler itself has read.
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }

  // The functions from here on also serve batches that the pipeline made.
  //
  // Returns whether `more_regions` would exceed options.max_bad.
  bool IsTooBad(uint64_t more_regions) const;
  // Adds regions to the report. Call it, like AddSkipped, in the order of the
  // batches.
  void AddRegions(Skipped&& left_out);
  // Counts record `i` of the block, which has this span, as a skipped row.
  void AddSkipped(const plan::Program& program, const FileBlock& block,
                  size_t i, const record::RecordSpan& span, ErrorCode code);
  // Adds the errors of skipped rows to the report.
  void ExplainSkipped();

 private:
  void ChooseBatchSize(const column::ColumnSet& columns);
  Status WithFile(const Status& sealed, const BatchStorage& storage) const;
  bool NextBlock(size_t max_records);
  size_t RecordsToAsk(size_t rows_left) const;
  decode::BlockEnd Decode(size_t count, size_t most_rows, BatchStorage* storage,
                          infer::LateFeatures* late);
  void Consume(const decode::BlockEnd& end, BatchStorage* storage);
  void TakeRows(size_t count, BatchStorage* storage);
  bool HandleFailure(ErrorCode code, bool batch_is_empty);
  bool LeaveOutPayload(const record::RecordSpan& span, uint64_t number);
  void SkipRow(ErrorCode code);
  RowPlace PlaceOfNext() const;
  void CheckBad();
  void Advance();
  uint64_t NumberOfNext() const {
    return record::NumberAfter(block_->block.first_record, next_);
  }
  bool Fail(Status status) {
    status_ = std::move(status);
    return false;
  }

  const std::vector<std::string>& files_;
  ReadOptions& options_;
  RecordStream* const stream_;
  ReadReport* const report_;
  const size_t most_rows_;
  decode::EntryOrder order_;
  Status status_;
  bool at_end_ = false;

  // Decoding continues at record next_ of this block.
  std::optional<FileBlock> block_;
  size_t next_ = 0;
  uint64_t num_records_ = 0;
  uint64_t num_bytes_ = 0;
  uint64_t batch_bytes_ = 0;  // payload bytes of the batch being filled
  std::vector<decode::BadRow> bad_rows_;  // of the records just decoded
  // Skipped rows that are not in the report yet, and the program that decoded
  // them.
  UnexplainedRows unexplained_;
  const plan::Program* program_ = nullptr;
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_BATCH_FILLER_H_
