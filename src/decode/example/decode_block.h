// Decodes blocks of records into the columns of a batch.
//
// Each block is dispatched once to the best SIMD target; inside, all inlines.

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

// A RowCheck judges rows by what their values are for; decoding does not know.
class RowCheck {
 public:
  virtual ~RowCheck() = default;

  // A row whose dense slots are all filled needs the check, too. Where nothing
  // can be wrong with a row but the memory that it takes, it does only after
  // columns have grown.
  bool LooksAtFilled(const column::ColumnSet& columns) const {
    return columns.num_growths() > seen_growths_;
  }
  // The open row has all of its record, and defaults in dense slots that the
  // record lacks; `dense_are_filled` is false where some still lack values. kOk
  // commits the row, any other code rolls it back. The columns must keep the
  // memory that committed rows need when the batch is finished.
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

// A record that has no row, as its error is its own (IsRowError).
struct BadRow {
  size_t index = 0;  // in the block
  ErrorCode code = ErrorCode::kOk;
};

struct BlockOptions {
  // Check each payload's CRC once its row has been decoded, while the bytes
  // are in cache. Nothing unverified is ever committed.
  bool verify_payload = false;
  // Every byte of features outside the plan is checked.
  bool verify_unselected = false;
  // A row with a feature that would be counted as late is kWrongKind.
  bool strict_columns = false;
  // Records do not follow one another in memory, so the bytes of each are asked
  // for while the one before is decoded.
  bool scattered = false;
  // `check` is null only for programs without tensors.
  RowCheck* check = nullptr;
  // The rows of the Examples of lists; null unless the program has lists.
  ListRows* lists = nullptr;
  // The order remembers earlier records, which were decoded with the same
  // options. It may be null for raw records alone.
  EntryOrder* order = nullptr;
  // Intact records with an error of their row are passed over and added here,
  // as long as it has fewer than `most_bad_rows`; the next one ends the block.
  // Null: each does.
  std::vector<BadRow>* bad_rows = nullptr;
  uint64_t most_bad_rows = ~uint64_t{0};
  // The block ends when it has given so many rows, wherever it is.
  size_t most_rows = ~size_t{0};
};

// BlockEnd says why a row was not committed; a second walk makes the text.
struct BlockEnd {
  // So many records were committed or passed over; the next one is at fault.
  size_t num_decoded = 0;
  // kOk: all records were decoded. kPayloadCrc or a row error: the next
  // record's fault. kLimit or kOutOfMemory: no room for its row.
  ErrorCode code = ErrorCode::kOk;
};

// Appends one row per record until a record fails, whose row is rolled back;
// BlockOptions::bad_rows says which failures do not end the block.
// Each record has wire::kSlackBytes readable bytes after it. Codes other than
// kOk and kPayloadCrc must not be believed before the record's CRC has been
// checked. `late` may be null when the program has neither collect_late nor
// columns of kind kNull.
BlockEnd DecodeBlock(const plan::Program& program,
                     std::span<const record::RecordSpan> records,
                     const BlockOptions& options, column::ColumnSet* columns,
                     infer::LateFeatures* late);

// ParseMessage of a message that has `depth` messages around it.
Result<Message> ParseNested(std::string_view payload, MessageType type,
                            int depth);
// Adds to the error of a malformed record, which was read as `type`, that it
// looks like a list of Examples, if it does.
void HintAtElwc(std::string_view payload, MessageType type, ErrorInfo* error);

// Gives the first value of the message whose kind is wrong (rules C2 and C8),
// in words; kOk where none is. tensor::ExplainRow calls it.
ErrorInfo ExplainKinds(const plan::Program& program, const Message& message);
// Gives the first feature that BlockOptions::strict_columns refuses, in words;
// kOk where none is.
ErrorInfo ExplainLate(const plan::Program& program, const Message& message);
// `code` is kLimit or kOutOfMemory.
ErrorInfo ExplainNoRoom(ErrorCode code);

// DecodeBlock is compiled for these SIMD targets and runs on DecodeTarget().
std::vector<std::string> DecodeTargets();
std::string DecodeTarget();

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_DECODE_BLOCK_H_
