// ColumnSet: the columns of one batch while it is being filled.
//
// One list column a slot. Rows are begun, filled cell by cell in any order of
// slots, and then committed or rolled back whole. A cell may be entered more
// than once; the last time counts. Cells that a row does not enter are null,
// and cost nothing until their column is touched again.
//
// Every array lies in one arena and has slack after it, so that writers may
// store whole vectors. When memory runs out a reservation fails; the row can
// still be rolled back. Not thread-safe.

#ifndef HEADRACE_SRC_COLUMN_COLUMN_SET_H_
#define HEADRACE_SRC_COLUMN_COLUMN_SET_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/types.h"
#include "src/base/arena.h"

namespace headrace::column {

// Bytes after every array of values that writers may overwrite.
inline constexpr size_t kWriteSlack = 64 * sizeof(int64_t);

// How the cell of the row being filled stands.
enum class CellState : uint8_t { kAbsent, kUnset, kTyped, kWrong };

// Bytes of one value.
constexpr size_t ValueSize(Kind kind) {
  switch (kind) {
    case Kind::kBytes:
      return sizeof(std::string_view);
    case Kind::kFloat:
      return sizeof(float);
    case Kind::kInt64:
      return sizeof(int64_t);
    case Kind::kNull:
      break;
  }
  return 0;
}

// One column under construction. Plain data: decode writes into it.
struct Builder {
  uint8_t* values = nullptr;   // capacity * ValueSize + kWriteSlack bytes
  int32_t* offsets = nullptr;  // row capacity + 1, valid up to next_row
  uint8_t* valid = nullptr;    // one byte a row
  size_t count = 0;            // values written
  size_t capacity = 0;
  size_t mark = 0;        // count at the start of the open row
  uint32_t next_row = 0;  // rows whose cell is closed
  Kind kind = Kind::kNull;
  CellState state = CellState::kAbsent;  // of the open row
  uint32_t null_count = 0;               // among closed rows
};

class ColumnSet {
 public:
  explicit ColumnSet(uint64_t budget) : arena_(budget) {}

  // Empties the set and gives it these columns, which must outlive its use.
  // Memory of earlier batches is kept, and the sizes that they reached.
  void Start(std::span<const ColumnField> columns);
  // As Start, but forgets both: what earlier batches needed must not stand in
  // the way of a row that would fit alone.
  void StartAfresh(std::span<const ColumnField> columns);

  uint32_t num_rows() const { return num_rows_; }

  // --- One row: BeginRow, cells, then CommitRow or RollBackRow.

  // False when there is no memory for another row.
  bool BeginRow() { return num_rows_ < row_capacity_ || GrowRows(); }

  // Opens the cell of `slot`, forgetting what this row already put there.
  // Null when there is no memory.
  Builder* EnterCell(uint32_t slot) {
    Builder& builder = builders_[slot];
    if (builder.state != CellState::kAbsent) {
      if (builder.state == CellState::kWrong) --num_wrong_;
      builder.count = builder.mark;
      return &builder;
    }
    return OpenCell(slot);
  }

  // Closes the cell that EnterCell opened.
  void LeaveCell(Builder* builder, CellState state) {
    builder->state = state;
    if (state == CellState::kWrong) ++num_wrong_;
  }

  // Cells of the open row that hold another kind than their column.
  uint32_t num_wrong() const { return num_wrong_; }

  void CommitRow();
  void RollBackRow();

  // Room for `more` values at builder->values; false when there is none.
  bool Reserve(Builder* builder, size_t more) {
    return more <= builder->capacity - builder->count ||
           GrowValues(builder, more);
  }

  // --- The finished batch.

  // Closes all columns. False when there is no memory. The set takes no more
  // rows until the next Start.
  bool Seal();
  std::span<const Column> columns() const { return columns_; }

  // After a failed reservation: true when the machine has no memory, false
  // when the budget or the 32-bit offsets set the limit.
  bool out_of_memory() const { return arena_.out_of_memory(); }

 private:
  Builder* OpenCell(uint32_t slot);
  bool AllocateRows(Builder* builder);
  bool GrowRows();
  bool GrowValues(Builder* builder, size_t more);
  void FillNulls(Builder* builder, uint32_t row);
  bool SealColumn(const Builder& builder, Column* column);

  Arena arena_;
  std::span<const ColumnField> fields_;
  std::vector<Builder> builders_;
  std::vector<uint32_t> open_;   // slots entered by the open row
  std::vector<size_t> reached_;  // most values of a slot in earlier batches
  std::vector<Column> columns_;
  uint32_t num_rows_ = 0;
  uint32_t row_capacity_ = 0;
  uint32_t num_wrong_ = 0;
  // For columns that no row of the batch has: all offsets 0, all rows null.
  const int32_t* no_offsets_ = nullptr;
  const uint8_t* no_validity_ = nullptr;
};

}  // namespace headrace::column

#endif  // HEADRACE_SRC_COLUMN_COLUMN_SET_H_
