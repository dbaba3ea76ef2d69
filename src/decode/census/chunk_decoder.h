// ChunkDecoder decodes a chunk of records at a time into its columns, which
// BlockCounter then counts. Not thread-safe; each thread has its own.

#ifndef HEADRACE_SRC_DECODE_CENSUS_CHUNK_DECODER_H_
#define HEADRACE_SRC_DECODE_CENSUS_CHUNK_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "headrace/message.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/example/entry_order.h"
#include "src/input/record/framer.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/late_features.h"

namespace headrace::census {

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

}  // namespace headrace::census

#endif  // HEADRACE_SRC_DECODE_CENSUS_CHUNK_DECODER_H_
