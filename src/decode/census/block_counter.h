// BlockCounter counts properties of records, a block at a time; derived classes
// define which properties. It decodes records whose features are already known
// into columns, where most properties can be counted for all rows together. It
// walks the other records one by one: records with a new feature, a feature of
// a different kind, or damage. Not thread-safe; each thread has its own.

#ifndef HEADRACE_SRC_DECODE_CENSUS_BLOCK_COUNTER_H_
#define HEADRACE_SRC_DECODE_CENSUS_BLOCK_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "headrace/message.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/decode/census/block_census.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/example/entry_order.h"
#include "src/input/record/framer.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/census.h"
#include "src/plan/infer/late_features.h"

namespace headrace::census {

// ChunkDecoder decodes a chunk of records at a time into its columns, which
// BlockCounter then counts.
class ChunkDecoder {
 public:
  // Records are copied unless they have padding.
  explicit ChunkDecoder(bool padded_input);

  // Starts a chunk of records, fewer than 2^32 bytes in all. The columns become
  // the program's; they must have no rows.
  void Start(const std::shared_ptr<const plan::Program>& program,
             std::span<const NumberedRecord> records);
  // Decodes the records from `first` on, until one does not fit the columns
  // exactly.
  decode::BlockEnd Decode(size_t first);
  // Drops the rows, so that their room can be used again.
  void Clear();

  const column::ColumnSet& columns() const { return columns_; }
  uint32_t num_rows() const { return columns_.num_rows(); }

 private:
  void MakeSpans(std::span<const NumberedRecord> records);

  const bool padded_input_;
  std::shared_ptr<const plan::Program> program_;
  decode::EntryOrder order_;
  column::ColumnSet columns_;
  infer::LateFeatures late_;
  std::vector<record::RecordSpan> spans_;
  std::vector<uint8_t> copy_;
};

class BlockCounter {
 public:
  using Refused = BlockCensus::Refused;

  explicit BlockCounter(bool padded_input) : decoder_(padded_input) {}
  BlockCounter(const BlockCounter&) = delete;
  BlockCounter& operator=(const BlockCounter&) = delete;
  virtual ~BlockCounter() = default;

  // Does what BlockCensus::Add does. After kOutOfMemory, some of the records
  // may have been counted.
  Status Add(std::span<const NumberedRecord> records, const Refused& refused);

 protected:
  // Counts one record. Its error is passed to `refused`.
  virtual Status Walk(const NumberedRecord& record) = 0;
  // Counts these rows, one per record. The columns are those of the last plan.
  virtual void CountRows(const column::ColumnSet& columns,
                         std::span<const NumberedRecord* const> records) = 0;

  // The columns known so far, and how many of them have a kind. Neither number
  // ever decreases.
  virtual size_t num_columns() const = 0;
  virtual uint64_t num_kinds() const = 0;
  virtual std::vector<ColumnField> columns() const = 0;
  virtual MessageType message() const = 0;
  // Called after a plan of columns() was made.
  virtual void NotePlan(const plan::Program& /*program*/) {}

  // False while records must be walked to be counted.
  virtual bool MayDecode() const { return true; }
  // Called with records that were decoded into rows.
  virtual void NoteDecoded(std::span<const NumberedRecord> /*records*/) {}
  // True if all records must be counted in order, including walked ones.
  virtual bool NeedsOrder() const { return false; }
  // True if these rows must be dropped and their records walked.
  virtual bool MustWalk(const column::ColumnSet& /*columns*/) const {
    return false;
  }

 private:
  // Adjacent records of one call of Add.
  struct Chunk {
    std::span<const NumberedRecord> records;
    size_t first = 0;  // index of its first record in the call
    size_t bytes = 0;
    bool walks_rest = false;
    bool is_tried = false;  // decoding was tried
    size_t num_walked = 0;
  };

  static Chunk NextChunk(std::span<const NumberedRecord> records, size_t first);
  Status AddChunk(Chunk* chunk);
  Status AddRecords(Chunk* chunk);
  void Review(const Chunk& chunk);
  Status Decode(Chunk* chunk, size_t* next);
  Status WalkOne(Chunk* chunk, size_t i);
  Status FinishRows(Chunk* chunk);
  bool MayDecode(const Chunk& chunk) const;
  bool NeedsPlan() const;
  void MakePlan();

  const Refused* refused_ = nullptr;  // of the current call

  std::shared_ptr<const plan::Program> program_;  // null before the first plan
  uint64_t known_ = 0;  // columns and kinds when the plan was made
  // Since the plan was made: records that were walked, and records that fitted
  // it.
  uint64_t num_walked_ = 0;
  uint64_t num_fitting_ = 0;
  uint64_t wait_ = 0;  // records to walk before another plan is made

  // Chunks to walk before decoding is tried again.
  uint32_t num_given_up_ = 0;
  uint32_t num_in_vain_ = 0;  // chunks in a row whose decoding did not pay

  ChunkDecoder decoder_;
  std::vector<const NumberedRecord*> rows_;  // records of the decoder's rows
  std::vector<const NumberedRecord*> finished_;
};

}  // namespace headrace::census

#endif  // HEADRACE_SRC_DECODE_CENSUS_BLOCK_COUNTER_H_
