// ColumnSet holds the columns of one batch while the batch is being filled.
//
// Each slot has one list column. A feature list has steps between its rows and
// its values; a dense slot has values only. A row is begun, filled cell by cell
// in any order of slots, then committed or rolled back whole. If a row enters a
// cell twice, the last entry counts. A cell that a row does not enter is null;
// it costs nothing until its column is touched again.
//
// All arrays come from one arena and have slack after them, so that writers may
// store whole vectors. When memory runs out, a reservation fails; the row can
// still be rolled back. Not thread-safe.

#ifndef HEADRACE_SRC_DECODE_COLUMN_COLUMN_SET_H_
#define HEADRACE_SRC_DECODE_COLUMN_COLUMN_SET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/types.h"
#include "src/base/memory/arena.h"
#include "src/plan/compile/program.h"

namespace headrace::column {

// Bytes after every array of values that writers may overwrite.
inline constexpr size_t kWriteSlack = 64 * sizeof(int64_t);

// The state of a cell of the row being filled.
enum class CellState : uint8_t { kAbsent, kUnset, kTyped, kWrong };

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

// Offsets say where each row's values end, validity whether the row has a cell.
struct RowArrays {
  int32_t* offsets = nullptr;  // row capacity + 1
  uint8_t* valid = nullptr;    // one byte per row, 0 or 1; see MarkUnset
};
// The validity of a row whose cell has no kind, in a set that marks such rows.
inline constexpr uint8_t kUnsetMark = 2;

// Cells that most rows have together, with one value each. The value of cell i
// is stored at ColumnSet::group_values()[first + i][row], and the group counts
// the rows of all its columns. The columns' builders are out of date until
// ColumnSet::Settle.
struct CellGroup {
  // Cells per group. One column that does not fit keeps the whole group from
  // being made, but fewer groups cost less.
  static constexpr size_t kMaxCells = 64;

  uint32_t row = 0;        // the next row
  uint32_t end = 0;        // rows that have room; 0: no group
  uint32_t num_dense = 0;  // cells of dense slots
  uint32_t num_cells = 0;
  uint32_t first = 0;
};

// A Builder is one column under construction, as plain data that decoding
// writes to. The members that every cell touches come first, in one cache line.
struct alignas(64) Builder {
  uint8_t* values = nullptr;  // capacity * ValueSize + kWriteSlack bytes
  // Null before the first cell. For kList and kSteps these are `own`, valid up
  // to next_row. Columns of other forms share a scratch pair that is written
  // but never read: separate arrays would cost two cache lines per column.
  RowArrays rows;
  size_t count = 0;  // values written
  size_t capacity = 0;
  // Rows whose cell is closed, including the open row's; or kInGroup.
  uint32_t next_row = 0;
  bool is_entered = false;  // the open row's cell is open
  Kind kind = Kind::kNull;
  plan::SlotForm form = plan::SlotForm::kList;
  CellState state = CellState::kAbsent;  // of the last closed cell
  uint32_t group = 0;                    // for kInGroup
  size_t elements = 0;                   // kDense: values per row

  RowArrays own;  // unused by kDense; kRegular needs them to become a kList
  // kDense: number of rows that have the default; the last of them is
  // default_end - 1.
  uint32_t num_defaults = 0;
  uint32_t default_end = 0;
  // kSteps: offsets and validity of the steps.
  int32_t* step_offsets = nullptr;
  uint8_t* step_valid = nullptr;
  size_t steps = 0;
  size_t step_capacity = 0;
  // Values, the first ones, that have been replaced by the results of functions
  // (tensor::MapInPlace), which are adjacent and of another type.
  size_t mapped = 0;

  static constexpr uint32_t kInGroup = std::numeric_limits<uint32_t>::max();

  // True if `row` does not have the cell yet and there is room for one value;
  // false for a column in a group.
  bool IsOpen(uint32_t row) const {
    return __builtin_expect(next_row == row, 1) &&
           __builtin_expect(count != capacity, 1);
  }
  // Closes the cell of `row`. The column now has `values_now` values; for
  // kRegular that must be one more than before. Every cell outside a group is
  // closed here. Adds 1 to *num_filled if a dense cell is filled.
  [[gnu::always_inline]] void Close(size_t values_now, CellState as,
                                    uint32_t row, size_t* num_filled) {
    const bool is_typed = as == CellState::kTyped;
    count = values_now;
    next_row = row + 1;
    state = as;
    if (form == plan::SlotForm::kRegular) [[likely]] {
      return;
    }
    if (form == plan::SlotForm::kDense) {
      *num_filled += is_typed && IsFilled(row);
      return;
    }
    const size_t end = form == plan::SlotForm::kSteps ? steps : values_now;
    rows.offsets[row + 1] = static_cast<int32_t>(end);
    rows.valid[row] = is_typed;
  }
  // True if each of `num_rows` rows has one value, and the builder is up to
  // date.
  bool IsRegular(uint32_t num_rows) const {
    const bool is_dense = form == plan::SlotForm::kDense && elements == 1;
    return (is_dense || form == plan::SlotForm::kRegular) &&
           next_row == num_rows && count == num_rows;
  }
  // True if a typed cell of a dense slot has all its values; false for other
  // forms.
  bool IsFilled(uint32_t row) const {
    return count == (size_t{row} + 1) * elements;
  }
};

class ColumnSet {
 public:
  explicit ColumnSet(uint64_t budget) : arena_(budget) {}

  // Empties the set and starts a batch of these slots, which must outlive the
  // batch. Keeps the memory of earlier batches and the sizes that they reached.
  // Without `keep_nulls` a null row becomes an empty one.
  void Start(std::span<const plan::Slot> slots, bool keep_nulls);
  // Does the same, but drops the memory and sizes of earlier batches: they must
  // not take the room of a row that would fit by itself.
  void StartAfresh(std::span<const plan::Slot> slots, bool keep_nulls);
  // Counts memory of the caller against the budget, until the next Start.
  void CountOutside(uint64_t size) { arena_.CountOutside(size); }
  // Lets the values of a dense slot begin at `values`, which has room for
  // `capacity` values and kWriteSlack bytes. If a row has too many values, all
  // values of the slot move to the set's own memory. Call before the first row.
  void PlaceValues(uint32_t slot, void* values, size_t capacity);

  // From now on marks cells without a kind with kUnsetMark; otherwise they look
  // like null cells. A set that marks cells must not be sealed.
  void MarkUnset() { unset_mark_ = kUnsetMark; }

  uint32_t num_rows() const { return num_rows_; }

  // For each row call BeginRow, then fill cells, then CommitRow or RollBackRow.

  // Returns false if there is no memory for another row.
  bool BeginRow() { return num_rows_ < row_capacity_ || GrowRows(); }

  // Opens the cell of `slot` and forgets what this row has already put there.
  // Returns null if there is no memory.
  Builder* EnterCell(uint32_t slot) {
    Builder& builder = builders_[slot];
    LeaveGroup(builder);
    if (!HasCell(builder)) return OpenCell(slot);
    Forget(&builder);
    if (builder.form == plan::SlotForm::kRegular) WriteOffsets(&builder);
    return &builder;
  }

  void LeaveCell(Builder* builder, CellState state) {
    num_wrong_ += state == CellState::kWrong;
    builder->is_entered = false;
    builder->Close(builder->count, state, num_rows_, &num_filled_);
    if (state == CellState::kUnset)
      builder->rows.valid[num_rows_] = unset_mark_;
  }

  bool HasCell(const Builder& builder) const {
    return builder.is_entered || HasClosedCell(builder);
  }
  // Returns the cell's state in the open row; kUnset between EnterCell and
  // LeaveCell.
  CellState state(const Builder& builder) const {
    if (HasClosedCell(builder)) return builder.state;
    return builder.is_entered ? CellState::kUnset : CellState::kAbsent;
  }
  // Returns the number of values in the column, including the open row's.
  size_t Count(const Builder& builder) const {
    return builder.next_row == Builder::kInGroup ? groups_[builder.group].row
                                                 : builder.count;
  }
  // CountBefore returns the number of values in the rows before the open one,
  // StepsBefore the number of steps. The cell must be entered.
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

  // src/decode/example/entry_reader-inl.h fills cells without EnterCell:

  Builder* builders() { return builders_.data(); }
  // Makes a cell ready for `more` values: its next_row is the open row, and it
  // has the capacity. Returns false if the open row already has the cell or
  // there is no memory; EnterCell shows which.
  bool Prepare(uint32_t slot, size_t more);
  // Closes, as kTyped, a cell that was filled after Prepare.
  void ClosePrepared(Builder* builder, size_t values_now) {
    if (builder->form == plan::SlotForm::kRegular &&
        values_now != size_t{num_rows_} + 1) {
      WriteOffsets(builder);
    }
    builder->Close(values_now, CellState::kTyped, num_rows_, &num_filled_);
  }
  // Groups of cells per set.
  static constexpr uint32_t kMaxGroups = 128;
  CellGroup* groups() { return groups_.data(); }
  // Cells of all groups together. A caller of Gather must give each group its
  // own range of them.
  static constexpr uint32_t kMaxGroupCells = 2048;
  uint8_t* const* group_values() const { return group_values_.data(); }
  const uint32_t* group_slots() const { return group_slots_.data(); }
  // Makes these cells, which the open row has just closed, the cells of the
  // group if every column has one value per row. There are at most
  // CellGroup::kMaxCells.
  void Gather(uint32_t group, uint32_t first, std::span<const uint32_t> slots);
  // Ends all groups. Until then the builder of a column in a group does not
  // know its number of rows and values, but Count, HasCell, state and
  // CountBefore are right.
  void Settle();
  // True if the open row's cell of a dense slot is closed and has all its
  // values; false if that is not known.
  bool IsKnownToBeFilled(uint32_t slot) const {
    const Builder& builder = builders_[slot];
    return HasClosedCell(builder) &&
           (builder.next_row == Builder::kInGroup || IsFilled(builder));
  }
  // Counts `more` filled dense cells that were closed without the set.
  void AddFilled(size_t more) { num_filled_ += more; }

  // Notes that the open row's cell, which is dense and closed, is a default.
  void NoteDefault(uint32_t slot) {
    ++builders_[slot].num_defaults;
    builders_[slot].default_end = num_rows_ + 1;
  }

  // Returns false if there is no memory.
  bool EndStep(Builder* builder, bool valid) {
    if (builder->steps == builder->step_capacity && !GrowSteps(builder)) {
      return false;
    }
    builder->step_valid[builder->steps] = valid;
    builder->step_offsets[++builder->steps] =
        static_cast<int32_t>(builder->count);
    return true;
  }

  // Counts the cells of the open row whose kind is not that of their column.
  uint32_t num_wrong() const { return num_wrong_; }
  // Counts the dense cells of the open row that have all their values.
  size_t num_filled() const { return num_filled_; }

  void CommitRow() {
    ++num_rows_;
    num_filled_ = 0;
  }
  void RollBackRow();
  // Removes committed rows until `rows` are left; no row may be open.
  void TakeBackRows(uint32_t rows);

  // Makes room for `more` values; returns false if there is no memory.
  bool Reserve(Builder* builder, size_t more) {
    return more <= builder->capacity - builder->count ||
           GrowValues(builder, more);
  }

  // Returns memory for the open row that lives as long as the columns; null if
  // no memory is left, or if earlier rows need what is left.
  void* AllocateForRow(size_t size);

  uint32_t num_slots() const { return static_cast<uint32_t>(builders_.size()); }
  const Builder& builder(uint32_t slot) const { return builders_[slot]; }
  // Returns the number of rows that the columns have room for.
  uint32_t row_capacity() const { return row_capacity_; }
  // Increases whenever there is more room for rows, values or steps; never 0.
  uint64_t num_growths() const { return num_growths_; }
  // Returns the bytes of the budget that are left for tensors of the columns.
  uint64_t memory_left() const { return arena_.left(); }
  // Sets aside `size` bytes of the budget for tensors of the rows so far; later
  // rows must not use them.
  void KeepMemory(uint64_t size) { kept_memory_ = size; }
  // Does the same for tensors that depend on more than this set's rows.
  void KeepBesides(uint64_t size) { kept_besides_ = size; }
  uint64_t kept_memory() const { return kept_memory_ + kept_besides_; }
  // Makes one batch of two sets: neither uses the bytes that the other one has
  // set aside. `other` must live as long as this set is used.
  void ShareBudget(const ColumnSet* other) {
    arena_.ShareBudget(&other->arena_);
    other_ = other;
  }
  uint64_t memory_used() const { return arena_.used(); }
  // Counts the bytes of values, offsets and validity of the rows so far.
  uint64_t ContentBytes() const;

  // True if any row of the batch has the feature.
  bool HasFeature(uint32_t slot) const;

  // Closes all columns; returns false if there is no memory. The set accepts no
  // more rows until the next Start.
  bool Seal();
  std::span<const Column> columns() const { return columns_; }
  // Returns memory that lives as long as the columns; null if no memory is
  // left.
  void* Allocate(size_t size) { return arena_.Allocate(size); }

  // After a failed reservation: true if the machine is out of memory, false if
  // the budget or the 32-bit offsets are the limit.
  bool out_of_memory() const { return arena_.out_of_memory(); }

 private:
  bool HasClosedCell(const Builder& builder) const {
    if (builder.next_row <= num_rows_) return false;
    return builder.next_row != Builder::kInGroup ||
           groups_[builder.group].row > num_rows_;
  }
  // The dense cell must be closed.
  bool IsFilled(const Builder& builder) const {
    return builder.state == CellState::kTyped && builder.IsFilled(num_rows_);
  }
  void Gather(uint32_t number, uint32_t rows);
  void EndGroup(CellGroup* group);
  void LeaveGroup(const Builder& builder) {
    if (builder.next_row == Builder::kInGroup) {
      EndGroup(&groups_[builder.group]);
    }
  }
  void Forget(Builder* builder);
  // Turns a kRegular column into a kList.
  static void WriteOffsets(Builder* builder);
  Builder* OpenCell(uint32_t slot);
  bool CatchUp(Builder* builder);
  bool AllocateRows(RowArrays* rows);
  bool GiveRows(Builder* builder);
  uint64_t MemoryOfSeal() const;
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
  uint64_t kept_besides_ = 0;
  const ColumnSet* other_ = nullptr;
  std::span<const plan::Slot> slots_;
  bool keep_nulls_ = true;
  uint8_t unset_mark_ = 0;
  // Memory for the values of slots, instead of the arena's; empty without any.
  struct Place {
    uint8_t* values = nullptr;
    size_t capacity = 0;
  };
  std::vector<Place> places_;
  std::vector<Builder> builders_;
  std::vector<CellGroup> groups_;
  std::vector<uint8_t*> group_values_;
  std::vector<uint32_t> group_slots_;
  uint32_t num_gathered_ = 0;  // groups since the last Settle
  // The maximum number of values and steps of each slot in earlier batches.
  std::vector<size_t> reached_;
  std::vector<size_t> steps_reached_;
  std::vector<Column> columns_;
  uint32_t num_rows_ = 0;
  uint32_t row_capacity_ = 0;
  uint32_t rows_reached_ = 0;  // maximum of earlier batches
  uint64_t num_growths_ = 1;
  uint32_t num_wrong_ = 0;
  size_t num_filled_ = 0;
  // For columns that no row of the batch has: all offsets 0, all rows null.
  const int32_t* no_offsets_ = nullptr;
  const uint8_t* no_validity_ = nullptr;
  RowArrays shared_;
  // For columns with one value in every row; null until the first is sealed.
  const int32_t* regular_offsets_ = nullptr;
};

}  // namespace headrace::column

#endif  // HEADRACE_SRC_DECODE_COLUMN_COLUMN_SET_H_
