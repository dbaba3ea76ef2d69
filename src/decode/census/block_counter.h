// BlockCounter counts something of records, a block at a time. It decodes those
// whose features are known by then into columns, of which much can be counted
// at once for all rows; the others, such as those with a new feature, another
// kind, or damage, are walked one by one. Derived classes say what is counted.
// Not thread-safe; threads have one each.

#ifndef HEADRACE_SRC_DECODE_CENSUS_BLOCK_COUNTER_H_
#define HEADRACE_SRC_DECODE_CENSUS_BLOCK_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/decode/census/block_census.h"
#include "src/decode/census/chunk_decoder.h"
#include "src/decode/column/column_set.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/census.h"

namespace headrace::census {

class BlockCounter {
 public:
  using Refused = BlockCensus::Refused;

  explicit BlockCounter(bool padded_input) : decoder_(padded_input) {}
  BlockCounter(const BlockCounter&) = delete;
  BlockCounter& operator=(const BlockCounter&) = delete;
  virtual ~BlockCounter() = default;

  // As BlockCensus::Add. After kOutOfMemory part of it may have been counted.
  Status Add(std::span<const NumberedRecord> records, const Refused& refused);

 protected:
  // Counts one record, which fails with what `refused` hears of.
  virtual Status Walk(const NumberedRecord& record) = 0;
  // Counts these rows, one for each of the records. Their columns are those of
  // the last plan.
  virtual void CountRows(const column::ColumnSet& columns,
                         std::span<const NumberedRecord* const> records) = 0;

  // The columns that are known so far, and how many of them have a kind. None
  // is ever forgotten.
  virtual size_t num_columns() const = 0;
  virtual uint64_t num_kinds() const = 0;
  virtual std::vector<ColumnField> columns() const = 0;
  virtual MessageType message() const = 0;
  // A plan of columns() was made.
  virtual void NotePlan(const plan::Program& /*program*/) {}

  // False while only walking can tell what is counted.
  virtual bool MayDecode() const { return true; }
  // These records will have rows.
  virtual void NoteDecoded(std::span<const NumberedRecord> /*records*/) {}
  // Whether rows must be counted in the order of their records, those that are
  // walked included.
  virtual bool NeedsOrder() const { return false; }
  // Whether these rows must be forgotten, and their records walked.
  virtual bool MustWalk(const column::ColumnSet& /*columns*/) const {
    return false;
  }

 private:
  // Some records of a call.
  struct Chunk {
    std::span<const NumberedRecord> records;
    size_t first = 0;  // index of the first one in the call
    size_t bytes = 0;
    bool walks_rest = false;
    bool is_tried = false;  // decoding is
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

  const Refused* refused_ = nullptr;  // of the call

  std::shared_ptr<const plan::Program> program_;  // null before the first plan
  uint64_t known_ = 0;  // columns and kinds when the plan was made
  // Since the plan was made so many records were walked, or fitted it.
  uint64_t num_walked_ = 0;
  uint64_t num_fitting_ = 0;
  uint64_t wait_ = 0;  // so many are walked before another plan is made

  // So many chunks are walked before decoding is tried again.
  uint32_t num_given_up_ = 0;
  uint32_t num_in_vain_ = 0;  // chunks that were tried one after another

  ChunkDecoder decoder_;
  std::vector<const NumberedRecord*> rows_;  // of the decoder
  std::vector<const NumberedRecord*> finished_;
};

}  // namespace headrace::census

#endif  // HEADRACE_SRC_DECODE_CENSUS_BLOCK_COUNTER_H_
