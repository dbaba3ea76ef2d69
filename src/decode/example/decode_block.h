// Decodes blocks of records into the columns of a batch.
//
// Each block is dispatched once to the best SIMD target; everything below the
// dispatch inlines.

#ifndef HEADRACE_SRC_DECODE_EXAMPLE_DECODE_BLOCK_H_
#define HEADRACE_SRC_DECODE_EXAMPLE_DECODE_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/message.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/entry_order.h"
#include "src/input/record/scanner.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/late_features.h"

namespace headrace::decode {

// A RowCheck judges rows by rules that decoding does not know: what the values
// are used for.
class RowCheck {
 public:
  virtual ~RowCheck() = default;

  // True if even a row whose dense slots are all filled needs the check. A row
  // that can fail only by taking too much memory needs the check only after
  // columns have grown.
  bool LooksAtFilled(const column::ColumnSet& columns) const {
    return columns.num_growths() > seen_growths_;
  }
  // Judges the open row, which holds its whole record and the defaults of dense
  // slots that the record lacks; `dense_are_filled` is false if some dense
  // slots still lack values. kOk commits the row, any other code rolls it back.
  // Must make the columns set aside the memory that committed rows need when
  // the batch is finished.
  virtual ErrorCode Check(column::ColumnSet* columns,
                          bool dense_are_filled) = 0;

 protected:
  static constexpr uint64_t kNoRow = ~uint64_t{0};
  static constexpr uint64_t kEveryRow = 0;
  void LookAfter(uint64_t growths) { seen_growths_ = growths; }

 private:
  uint64_t seen_growths_ = kEveryRow;
};

struct ListRows;

// A record without a row: its error concerns no other record (IsRowError).
struct BadRow {
  size_t index = 0;  // in the block
  ErrorCode code = ErrorCode::kOk;
};

struct BlockOptions {
  // Check each payload's CRC once its row has been decoded, while the bytes are
  // in cache. No unverified row is ever committed.
  bool verify_payload = false;
  // Check every byte of features outside the plan.
  bool verify_unselected = false;
  // Fail with kWrongKind for a row with a feature that would count as late.
  bool strict_columns = false;
  // Prefetch each record while the previous one is decoded, because the records
  // are not adjacent in memory.
  bool scattered = false;
  // Null only for programs without tensors.
  RowCheck* check = nullptr;
  // The rows of the Examples of lists; null if the program has no lists.
  ListRows* lists = nullptr;
  // Remembers earlier records, which must have been decoded with the same
  // options. Null only for raw records.
  EntryOrder* order = nullptr;
  // Intact records with a row error are passed over and added here until there
  // are `most_bad_rows`; the next one ends the block. If null, the first row
  // error ends the block.
  std::vector<BadRow>* bad_rows = nullptr;
  uint64_t most_bad_rows = ~uint64_t{0};
  // Rows after which the block ends, even if records are left.
  size_t most_rows = ~size_t{0};
};

// BlockEnd says why a block ended. A second walk of the record makes the text
// of the error.
struct BlockEnd {
  // Records that were committed or passed over; the next one is at fault.
  size_t num_decoded = 0;
  // kOk: all records were decoded. kPayloadCrc or a row error: the next
  // record's fault. kLimit or kOutOfMemory: no room for its row.
  ErrorCode code = ErrorCode::kOk;
};

// Appends one row per record until a record fails, and rolls back its row;
// BlockOptions::bad_rows says which failures do not end the block. Each record
// must have wire::kSlackBytes readable bytes after it. Callers must not trust
// codes other than kOk and kPayloadCrc before they have checked the record's
// CRC. `late` may be null if the program has neither collect_late nor columns
// of kind kNull.
BlockEnd DecodeBlock(const plan::Program& program,
                     std::span<const record::RecordSpan> records,
                     const BlockOptions& options, column::ColumnSet* columns,
                     infer::LateFeatures* late);

// Does what ParseMessage does, for a message with `depth` messages around it.
Result<Message> ParseNested(std::string_view payload, MessageType type,
                            int depth);
// If a malformed record, which was read as `type`, looks like a list of
// Examples, adds a hint to its error.
void HintAtElwc(std::string_view payload, MessageType type, ErrorInfo* error);

// Describes the first value of the message whose kind is wrong (rules C2 and C8
// of docs/semantics.md); returns kOk if there is none. tensor::ExplainRow calls
// this.
ErrorInfo ExplainKinds(const plan::Program& program, const Message& message);
// Describes the first feature that BlockOptions::strict_columns refuses;
// returns kOk if there is none.
ErrorInfo ExplainLate(const plan::Program& program, const Message& message);
// `code` is kLimit or kOutOfMemory.
ErrorInfo ExplainNoRoom(ErrorCode code);

// Return the names of the SIMD targets that DecodeBlock is compiled for, and
// the one that it runs on.
std::vector<std::string> DecodeTargets();
std::string DecodeTarget();

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_DECODE_BLOCK_H_
