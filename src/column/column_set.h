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

// Where the values of each row end, and whether it has any.
struct RowArrays {
  int32_t* offsets = nullptr;  // row capacity + 1
  uint8_t* valid = nullptr;    // one byte a row, 0 or 1
};

// Whether Builder::Close goes by the form of the column.
enum class Closing : uint8_t {
  kByForm,
  // It does the same for every form but kSteps. Where the next column may be
  // any, stores that tell nothing new cost less than a branch on the form.
  kBlindly,
};

// One column under construction. Plain data: decode writes into it. What every
// cell touches comes first, in one line of the cache.
struct alignas(64) Builder {
  uint8_t* values = nullptr;  // capacity * ValueSize + kWriteSlack bytes
  // Null before the first cell. Of kList and kSteps they are `own`, and valid
  // up to next_row. Columns of the other forms share one pair of arrays, which
  // is written and never read: pairs of their own would cost two lines of the
  // cache each, and tell nothing new.
  RowArrays rows;
  size_t count = 0;  // values written
  size_t capacity = 0;
  uint32_t next_row = 0;  // rows whose cell is closed, the open row's included
  bool is_entered = false;  // the open row's cell is open
  Kind kind = Kind::kNull;
  plan::SlotForm form = plan::SlotForm::kList;
  CellState state = CellState::kAbsent;  // of the cell closed last
  size_t elements = 0;                   // kDense: values of every row

  RowArrays own;  // unless kDense; of kRegular, memory for when it is a kList
  // kDense: how many rows have the default, and 1 + the last one.
  uint32_t num_defaults = 0;
  uint32_t default_end = 0;
  // kSteps, as above, of the steps.
  int32_t* step_offsets = nullptr;
  uint8_t* step_valid = nullptr;
  size_t steps = 0;
  size_t step_capacity = 0;

  // Whether `row` does not have the cell yet, and there is room for one value.
  bool IsOpen(uint32_t row) const {
    return __builtin_expect(next_row == row, 1) &&
           __builtin_expect(count != capacity, 1);
  }
  // Closes the cell of `row`, in which there are values up to the number
  // `values_now`: every cell of every column is closed here. Of kRegular the
  // cell has one value. Counts a dense slot that then holds what it must.
  template <Closing how>
  [[gnu::always_inline]] void Close(size_t values_now, CellState as,
                                    uint32_t row, size_t* num_filled) {
    const bool is_typed = as == CellState::kTyped;
    count = values_now;
    next_row = row + 1;
    state = as;
    size_t end = values_now;
    if constexpr (how == Closing::kByForm) {
      if (form == plan::SlotForm::kRegular) [[likely]] {
        return;
      }
      if (form == plan::SlotForm::kDense) {
        *num_filled += is_typed && IsFilled(row);
        return;
      }
      if (form == plan::SlotForm::kSteps) end = steps;
    } else {
      *num_filled += IsFilled(row);
    }
    rows.offsets[row + 1] = static_cast<int32_t>(end);
    rows.valid[row] = is_typed;
  }
  // True for a typed cell of a dense slot that holds what it must, false for
  // other forms.
  bool IsFilled(uint32_t row) const {
    return count == (size_t{row} + 1) * elements;
  }
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
    if (!HasCell(builder)) return OpenCell(slot);
    Forget(&builder);
    if (builder.form == plan::SlotForm::kRegular) WriteOffsets(&builder);
    return &builder;
  }

  // Closes the cell that EnterCell opened.
  void LeaveCell(Builder* builder, CellState state) {
    num_wrong_ += state == CellState::kWrong;
    builder->is_entered = false;
    builder->Close<Closing::kByForm>(builder->count, state, num_rows_,
                                     &num_filled_);
  }

  // Whether the open row has entered this cell.
  bool HasCell(const Builder& builder) const {
    return builder.is_entered || builder.next_row > num_rows_;
  }
  // Of the open row; between EnterCell and LeaveCell, kUnset.
  CellState state(const Builder& builder) const {
    if (builder.next_row > num_rows_) return builder.state;
    return builder.is_entered ? CellState::kUnset : CellState::kAbsent;
  }
  // Values, and steps, of the rows before the open one. The cell is entered.
  size_t CountBefore(const Builder& builder) const {
    switch (builder.form) {
      case plan::SlotForm::kDense:
        return num_rows_ * builder.elements;
      case plan::SlotForm::kRegular:
        return num_rows_;
      case plan::SlotForm::kList:
        return static_cast<size_t>(builder.rows.offsets[num_rows_]);
      case plan::SlotForm::kSteps:
        break;
    }
    const size_t steps = StepsBefore(builder);
    return steps == 0 ? 0 : static_cast<size_t>(builder.step_offsets[steps]);
  }
  size_t StepsBefore(const Builder& builder) const {
    return builder.form == plan::SlotForm::kSteps
               ? static_cast<size_t>(builder.rows.offsets[num_rows_])
               : 0;
  }

  // --- For decoding entries of the usual form (decode/entry_reader-inl.h),
  // which fills cells on its own:

  Builder* builders() { return builders_.data(); }
  // Makes a cell that the open row does not have yet fit to be filled with
  // `more` values: its next_row is the open row, and it has the capacity. False
  // where the row has it, or without memory; EnterCell says which.
  bool Prepare(uint32_t slot, size_t more);
  // Closes a cell that has been made fit by Prepare and filled, typed.
  void ClosePrepared(Builder* builder, size_t values_now) {
    if (builder->form == plan::SlotForm::kRegular &&
        values_now != size_t{num_rows_} + 1) {
      WriteOffsets(builder);
    }
    builder->Close<Closing::kByForm>(values_now, CellState::kTyped, num_rows_,
                                     &num_filled_);
  }
  // After cells were closed without the set: `more` dense ones hold what they
  // must.
  void AddFilled(size_t more) { num_filled_ += more; }

  // The open row's cell, dense and closed, holds the default.
  void NoteDefault(uint32_t slot) {
    ++builders_[slot].num_defaults;
    builders_[slot].default_end = num_rows_ + 1;
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
  // Dense cells of the open row that hold as many values as they must.
  size_t num_filled() const { return num_filled_; }

  void CommitRow() {
    ++num_rows_;
    num_filled_ = 0;
  }
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
  // Of what is left, rows from now on leave so much alone: it is what becomes
  // of the rows before them.
  void KeepMemory(uint64_t size) { kept_memory_ = size; }
  uint64_t memory_used() const { return arena_.used(); }
  // Of the rows so far: bytes of their values, offsets and validity.
  uint64_t ContentBytes() const;

  // Whether a row of the batch has the feature of this slot.
  bool HasFeature(uint32_t slot) const;

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
  // What the rows of a column count.
  static size_t RowEnd(const Builder& builder) {
    return builder.form == plan::SlotForm::kSteps ? builder.steps
                                                  : builder.count;
  }
  // Of a dense cell that is closed.
  bool IsFilled(const Builder& builder) const {
    return builder.state == CellState::kTyped && builder.IsFilled(num_rows_);
  }
  void Forget(Builder* builder);
  // From kRegular to kList.
  static void WriteOffsets(Builder* builder);
  Builder* OpenCell(uint32_t slot);
  bool CatchUp(Builder* builder);
  bool AllocateRows(RowArrays* rows);
  bool GiveRows(Builder* builder);
  void* AllocateForRow(size_t size);
  bool GrowRows();
  bool GrowValues(Builder* builder, size_t more);
  bool GrowSteps(Builder* builder);
  void FillNulls(Builder* builder, uint32_t row);
  bool SealColumn(const Builder& builder, Column* column);
  bool SealSteps(const Builder& builder, Column* column);
  const uint8_t* PackBits(const uint8_t* valid, size_t count);
  const int32_t* NoOffsets();
  const int32_t* RegularOffsets(const Builder& builder);

  Arena arena_;
  uint64_t kept_memory_ = 0;
  std::span<const plan::Slot> slots_;
  bool keep_nulls_ = true;
  std::vector<Builder> builders_;
  // Most values and steps of a slot in earlier batches.
  std::vector<size_t> reached_;
  std::vector<size_t> steps_reached_;
  std::vector<Column> columns_;
  uint32_t num_rows_ = 0;
  uint32_t row_capacity_ = 0;
  uint32_t rows_reached_ = 0;  // in earlier batches
  uint32_t num_wrong_ = 0;
  size_t num_filled_ = 0;
  // For columns that no row of the batch has: all offsets 0, all rows null.
  const int32_t* no_offsets_ = nullptr;
  const uint8_t* no_validity_ = nullptr;
  RowArrays shared_;
  // For columns that have one value in every row; once some have been sealed.
  const int32_t* regular_offsets_ = nullptr;
};

}  // namespace headrace::column

#endif  // HEADRACE_SRC_COLUMN_COLUMN_SET_H_
