// ColumnSet: the columns of one batch while it is being filled.
//
// One list column a slot; a feature list has steps between its rows and its
// values, and a dense slot nothing but values. Rows are begun, filled cell by
// cell in any order of slots, and then committed or rolled back whole. A cell
// may be entered more than once; the last time counts. Cells that a row does
// not enter are null, and cost nothing until their column is touched again.
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
#include "headrace/types.h"
#include "src/base/arena.h"
#include "src/plan/program.h"

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
  uint8_t* valid = nullptr;    // one byte a row; null when nulls are not kept
  size_t count = 0;            // values written
  size_t capacity = 0;
  size_t mark = 0;        // count at the start of the open row
  uint32_t next_row = 0;  // rows whose cell is closed
  Kind kind = Kind::kNull;
  plan::SlotForm form = plan::SlotForm::kList;
  CellState state = CellState::kAbsent;  // of the open row
  uint32_t null_count = 0;               // among closed rows
  // kSteps, as above, of the steps.
  int32_t* step_offsets = nullptr;
  uint8_t* step_valid = nullptr;
  size_t steps = 0;
  size_t step_capacity = 0;
  size_t step_mark = 0;
};

class ColumnSet {
 public:
  explicit ColumnSet(uint64_t budget) : arena_(budget) {}

  // Empties the set and gives it these slots, which must outlive its use.
  // Memory of earlier batches is kept, and the sizes that they reached. Unless
  // nulls are kept, a null row becomes an empty one.
  void Start(std::span<const plan::Slot> slots, bool keep_nulls);
  // As Start, but forgets both: what earlier batches needed must not stand in
  // the way of a row that would fit alone.
  void StartAfresh(std::span<const plan::Slot> slots, bool keep_nulls);

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
      builder.steps = builder.step_mark;
      return &builder;
    }
    return OpenCell(slot);
  }

  // Closes the cell that EnterCell opened.
  void LeaveCell(Builder* builder, CellState state) {
    builder->state = state;
    if (state == CellState::kWrong) ++num_wrong_;
  }

  // Ends a step of a feature list; false when there is no memory.
  bool EndStep(Builder* builder, bool valid) {
    if (builder->steps == builder->step_capacity && !GrowSteps(builder)) {
      return false;
    }
    builder->step_valid[builder->steps] = valid;
    builder->step_offsets[++builder->steps] =
        static_cast<int32_t>(builder->count);
    return true;
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

  // The slot as it stands in the open row, or after Seal in the batch.
  const Builder& builder(uint32_t slot) const { return builders_[slot]; }
  // What the budget still has for tensors made of the columns.
  uint64_t memory_left() const { return arena_.left(); }
  uint64_t memory_used() const { return arena_.used(); }

  // --- The finished batch.

  // Closes all columns. False when there is no memory. The set takes no more
  // rows until the next Start.
  bool Seal();
  std::span<const Column> columns() const { return columns_; }
  // Memory that lives as long as the columns; null when there is none.
  void* Allocate(size_t size) { return arena_.Allocate(size); }

  // After a failed reservation: true when the machine has no memory, false
  // when the budget or the 32-bit offsets set the limit.
  bool out_of_memory() const { return arena_.out_of_memory(); }

 private:
  Builder* OpenCell(uint32_t slot);
  bool AllocateRows(Builder* builder);
  bool GrowRows();
  bool GrowValues(Builder* builder, size_t more);
  bool GrowSteps(Builder* builder);
  void FillNulls(Builder* builder, uint32_t row);
  bool SealColumn(const Builder& builder, Column* column);
  bool SealSteps(const Builder& builder, Column* column);
  const uint8_t* PackBits(const uint8_t* valid, size_t count);
  const int32_t* NoOffsets();

  Arena arena_;
  std::span<const plan::Slot> slots_;
  bool keep_nulls_ = true;
  std::vector<Builder> builders_;
  std::vector<uint32_t> open_;  // slots entered by the open row
  // Most values and steps of a slot in earlier batches.
  std::vector<size_t> reached_;
  std::vector<size_t> steps_reached_;
  std::vector<Column> columns_;
  uint32_t num_rows_ = 0;
  uint32_t row_capacity_ = 0;
  uint32_t rows_reached_ = 0;  // in earlier batches
  uint32_t num_wrong_ = 0;
  // For columns that no row of the batch has: all offsets 0, all rows null.
  const int32_t* no_offsets_ = nullptr;
  const uint8_t* no_validity_ = nullptr;
};

}  // namespace headrace::column

#endif  // HEADRACE_SRC_COLUMN_COLUMN_SET_H_
