// Decodes blocks of records into the columns of a batch.
//
// One dispatch to the best SIMD target a block; inside, everything inlines.

#ifndef HEADRACE_SRC_DECODE_DECODE_BLOCK_H_
#define HEADRACE_SRC_DECODE_DECODE_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "headrace/message.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/column/column_set.h"
#include "src/decode/entry_order.h"
#include "src/infer/late_features.h"
#include "src/plan/program.h"
#include "src/record/scanner.h"

namespace headrace::decode {

// Judges rows by what their values are for, which decoding does not know.
class RowCheck {
 public:
  virtual ~RowCheck() = default;

  // Whether rows whose dense slots are all filled need to be checked, too.
  virtual bool looks_at_every_row() const = 0;
  // The record has been walked, its row is open, and dense slots that it left
  // out have their defaults; where some are still not filled `dense_are_filled`
  // is false. kOk commits the row, any other code rolls it back. A committed
  // row may need memory when the batch is finished, which the columns are to
  // keep.
  virtual ErrorCode Check(column::ColumnSet* columns,
                          bool dense_are_filled) = 0;
};

struct BlockOptions {
  // Check each payload's CRC once its row has been decoded, while the bytes
  // are in cache. Nothing unverified is ever committed.
  bool verify_payload = false;
  // Check every byte of features outside the plan.
  bool verify_unselected = false;
  // A row with anything that would be counted as late is kWrongKind.
  bool strict_columns = false;
  // Null only for programs without tensors.
  RowCheck* check = nullptr;
  // The order holds what was learnt from earlier records, which were decoded
  // with the same options. It may be null for raw records alone.
  EntryOrder* order = nullptr;
};

// Why a row was not committed. Text is made from a second walk.
struct BlockEnd {
  // Rows committed; the record after them is the one at fault.
  size_t num_decoded = 0;
  // kOk: all records were decoded. kPayloadCrc or a row error: the next
  // record's fault. kLimit or kOutOfMemory: no room for its row.
  ErrorCode code = ErrorCode::kOk;
};

// Appends one row a record until one fails, whose row is rolled back. Each
// record has wire::kSlackBytes readable bytes after it. A code other than kOk
// and kPayloadCrc must not be believed before the record's CRC has been
// checked. `late` may be null when the program has neither collect_late nor
// columns of kind kNull.
BlockEnd DecodeBlock(const plan::Program& program,
                     std::span<const record::RecordSpan> records,
                     const BlockOptions& options, column::ColumnSet* columns,
                     infer::LateFeatures* late);

// What tensor::ExplainRow says of every row error needs a second walk, of which
// these are the parts that know columns. The first value of the message whose
// kind is wrong (rules C2 and C8), in words; kOk where none is.
ErrorInfo ExplainKinds(const plan::Program& program, const Message& message);
// The first feature that BlockOptions::strict_columns refuses; kOk where none
// is.
ErrorInfo ExplainLate(const plan::Program& program, const Message& message);
// kLimit and kOutOfMemory, in words.
ErrorInfo ExplainNoRoom(ErrorCode code);

// The SIMD targets that DecodeBlock is compiled for and the one it runs on.
std::vector<std::string> DecodeTargets();
std::string DecodeTarget();

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_DECODE_BLOCK_H_
