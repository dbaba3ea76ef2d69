// ColumnSet is the columns of one batch while it is being filled.
//
// A slot has one list column; a feature list has steps between its rows and its
// values, and a dense slot nothing except values. Rows are begun, filled cell
// by cell in any order of slots, and then committed or rolled back whole. If a
// cell is entered again, the last time counts. Cells that a row does not enter
// are null, and cost nothing until their column is touched again.
//
// Every array lies in one arena and has slack after it, so that writers may
// store whole vectors. When memory runs out a reservation fails; the row can
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

// Writers may overwrite this many bytes after every array of values.
inline constexpr size_t kWriteSlack = 64 * sizeof(int64_t);

// The cell of the row being filled is in one of these states.
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

// Offsets say where each row's values end, validity whether it has a cell.
struct RowArrays {
  int32_t* offsets = nullptr;  // row capacity + 1
  uint8_t* valid = nullptr;    // one byte per row, 0 or 1; see MarkUnset
};
// Validity of a row whose cell has no kind, in a set that marks those.
inline constexpr uint8_t kUnsetMark = 2;

enum class Closing : uint8_t {
  kDispatchOnForm,
  // Does the same for every form except kSteps. Where the next column may be
  // any, stores that tell nothing new cost less than a branch on the form.
  kBranchless,
};

// Cells that rows mostly have together, with one value each. Row after row the
// values of cell i are stored at ColumnSet::group_values()[first + i][row], and
// the group counts the rows of all its columns; their builders know nothing of
// it until ColumnSet::Settle.
struct CellGroup {
  // One column that cannot be in it, and there is no group; the fewer groups,
  // the less they cost.
  static constexpr size_t kMaxCells = 64;

  uint32_t row = 0;        // that comes next
  uint32_t end = 0;        // rows that there is room for; 0: no group
  uint32_t num_dense = 0;  // cells of dense slots
  uint32_t num_cells = 0;
  uint32_t first = 0;
};

// A Builder is one column under construction, as plain data that decode writes
// into. What every cell touches comes first, in one line of the cache.
struct alignas(64) Builder {
  uint8_t* values = nullptr;  // capacity * ValueSize + kWriteSlack bytes
  // Null before the first cell. For kList and kSteps these are `own`, valid up
  // to next_row. Columns of other forms share a scratch pair, which is written
  // and never read: arrays of their own would cost two lines of the cache each.
  RowArrays rows;
  size_t count = 0;  // values written
  size_t capacity = 0;
  // Rows whose cell is closed, the open row's included; or kInGroup.
  uint32_t next_row = 0;
  bool is_entered = false;  // the open row's cell is open
  Kind kind = Kind::kNull;
  plan::SlotForm form = plan::SlotForm::kList;
  CellState state = CellState::kAbsent;  // of the cell that was closed last
  uint32_t group = 0;                    // for kInGroup
  size_t elements = 0;                   // kDense: values per row

  RowArrays own;  // unused by kDense; kRegular keeps it for becoming a kList
  // kDense: this many rows have the default; the last one is default_end - 1.
  uint32_t num_defaults = 0;
  uint32_t default_end = 0;
  // kSteps has offsets and validity of its steps, too.
  int32_t* step_offsets = nullptr;
  uint8_t* step_valid = nullptr;
  size_t steps = 0;
  size_t step_capacity = 0;

  static constexpr uint32_t kInGroup = std::numeric_limits<uint32_t>::max();

  // True where `row` lacks the cell, and there is room for one value; false for
  // a column that is in a group.
  bool IsOpen(uint32_t row) const {
    return __builtin_expect(next_row == row, 1) &&
           __builtin_expect(count != capacity, 1);
  }
  // Closes the cell of `row`; the column then has `values_now` values, and for
  // kRegular one more than before. Every cell of every column is closed here.
  // Counts a dense slot that then holds what it must.
  template <Closing how>
  [[gnu::always_inline]] void Close(size_t values_now, CellState as,
                                    uint32_t row, size_t* num_filled) {
    const bool is_typed = as == CellState::kTyped;
    count = values_now;
    next_row = row + 1;
    state = as;
    size_t end = values_now;
    if constexpr (how == Closing::kDispatchOnForm) {
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
  // All of so many rows have one value, and the builder knows of it.
  bool IsRegular(uint32_t num_rows) const {
    const bool is_dense = form == plan::SlotForm::kDense && elements == 1;
    return (is_dense || form == plan::SlotForm::kRegular) &&
           next_row == num_rows && count == num_rows;
  }
  // True for a typed cell of a dense slot that holds what it must; false for
  // other forms.
  bool IsFilled(uint32_t row) const {
    return count == (size_t{row} + 1) * elements;
  }
};

class ColumnSet {
 public:
  explicit ColumnSet(uint64_t budget) : arena_(budget) {}

  // Empties the set and gives it these slots, which must outlive its use. The
  // memory of earlier batches is kept, and so are the sizes that they reached.
  // Without `keep_nulls` a null row becomes an empty one.
  void Start(std::span<const plan::Slot> slots, bool keep_nulls);
  // Start without that memory and those sizes: what earlier batches needed must
  // not take the room of a row that would fit alone.
  void StartAfresh(std::span<const plan::Slot> slots, bool keep_nulls);

  // From now on cells without a kind are told from null ones, which else are
  // alike. Such a set is never sealed.
  void MarkUnset() { unset_mark_ = kUnsetMark; }

  uint32_t num_rows() const { return num_rows_; }

  // One row is BeginRow, then cells, then CommitRow or RollBackRow.

  // False when there is no memory for another row.
  bool BeginRow() { return num_rows_ < row_capacity_ || GrowRows(); }

  // Opens the cell of `slot`, forgetting what this row already put there. Null
  // when there is no memory.
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
    builder->Close<Closing::kDispatchOnForm>(builder->count, state, num_rows_,
                                             &num_filled_);
    if (state == CellState::kUnset)
      builder->rows.valid[num_rows_] = unset_mark_;
  }

  bool HasCell(const Builder& builder) const {
    return builder.is_entered || HasClosedCell(builder);
  }
  // The state is that in the open row; between EnterCell and LeaveCell, kUnset.
  CellState state(const Builder& builder) const {
    if (HasClosedCell(builder)) return builder.state;
    return builder.is_entered ? CellState::kUnset : CellState::kAbsent;
  }
  // The column has this many values, those of the open row included.
  size_t Count(const Builder& builder) const {
    return builder.next_row == Builder::kInGroup ? groups_[builder.group].row
                                                 : builder.count;
  }
  // Rows before the open one have this many values or steps. The cell is
  // entered.
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

  // decode/entry_reader-inl.h fills cells on its own, with these:

  Builder* builders() { return builders_.data(); }
  // Makes a cell ready for `more` values: its next_row is the open row, and it
  // has the capacity. False where the open row has the cell already, or without
  // memory; EnterCell says which.
  bool Prepare(uint32_t slot, size_t more);
  // Closes a cell that Prepare made ready and that was then filled, as kTyped.
  void ClosePrepared(Builder* builder, size_t values_now) {
    if (builder->form == plan::SlotForm::kRegular &&
        values_now != size_t{num_rows_} + 1) {
      WriteOffsets(builder);
    }
    builder->Close<Closing::kDispatchOnForm>(values_now, CellState::kTyped,
                                             num_rows_, &num_filled_);
  }
  // So many groups of cells may be there.
  static constexpr uint32_t kMaxGroups = 128;
  CellGroup* groups() { return groups_.data(); }
  // All groups together have places for so many cells. Whoever makes groups
  // gives each its own.
  static constexpr uint32_t kMaxGroupCells = 2048;
  uint8_t* const* group_values() const { return group_values_.data(); }
  const uint32_t* group_slots() const { return group_slots_.data(); }
  // The open row has just closed these cells, at most CellGroup::kMaxCells. If
  // all are of columns that have one value a row, they become the group.
  void Gather(uint32_t group, uint32_t first, std::span<const uint32_t> slots);
  // Ends all groups. Until then a builder in a group does not know how many
  // rows and values it has; Count, HasCell, state and CountBefore do.
  void Settle();
  // True where the open row's cell of a dense slot is closed and holds as many
  // values as it must; false where that is not known.
  bool IsKnownToBeFilled(uint32_t slot) const {
    const Builder& builder = builders_[slot];
    return HasClosedCell(builder) &&
           (builder.next_row == Builder::kInGroup || IsFilled(builder));
  }
  // Cells were closed without the set, and `more` dense ones hold what they
  // must.
  void AddFilled(size_t more) { num_filled_ += more; }

  // The open row's cell is dense and closed.
  void NoteDefault(uint32_t slot) {
    ++builders_[slot].num_defaults;
    builders_[slot].default_end = num_rows_ + 1;
  }

  // False when there is no memory.
  bool EndStep(Builder* builder, bool valid) {
    if (builder->steps == builder->step_capacity && !GrowSteps(builder)) {
      return false;
    }
    builder->step_valid[builder->steps] = valid;
    builder->step_offsets[++builder->steps] =
        static_cast<int32_t>(builder->count);
    return true;
  }

  // These cells of the open row hold another kind than their column.
  uint32_t num_wrong() const { return num_wrong_; }
  // These dense cells of the open row hold as many values as they must.
  size_t num_filled() const { return num_filled_; }

  void CommitRow() {
    ++num_rows_;
    num_filled_ = 0;
  }
  void RollBackRow();
  // Takes back committed rows until `rows` are left; no row may be open.
  void TakeBackRows(uint32_t rows);

  // Room is needed at builder->values; false when there is none.
  bool Reserve(Builder* builder, size_t more) {
    return more <= builder->capacity - builder->count ||
           GrowValues(builder, more);
  }

  // The open row gets memory that lives as long as the columns. Null when there
  // is none, or the rows before it need the rest.
  void* AllocateForRow(size_t size);

  uint32_t num_slots() const { return static_cast<uint32_t>(builders_.size()); }
  const Builder& builder(uint32_t slot) const { return builders_[slot]; }
  // The columns have room for this many rows.
  uint32_t row_capacity() const { return row_capacity_; }
  // This number grows whenever there is more room for rows, values or steps; it
  // is never 0.
  uint64_t num_growths() const { return num_growths_; }
  // The budget still has this much for tensors made of the columns.
  uint64_t memory_left() const { return arena_.left(); }
  // From now on rows leave this much alone, for what becomes of the rows before
  // them.
  void KeepMemory(uint64_t size) { kept_memory_ = size; }
  // Does the same for what does not depend on rows of this set alone.
  void KeepBesides(uint64_t size) { kept_besides_ = size; }
  uint64_t kept_memory() const { return kept_memory_ + kept_besides_; }
  // Two sets make one batch: each also leaves alone what the other one keeps.
  // The other one must live as long as this one is used.
  void ShareBudget(const ColumnSet* other) {
    arena_.ShareBudget(&other->arena_);
    other_ = other;
  }
  uint64_t memory_used() const { return arena_.used(); }
  // Counts the bytes of values, offsets and validity of the rows so far.
  uint64_t ContentBytes() const;

  // True if any row of the batch has the feature.
  bool HasFeature(uint32_t slot) const;

  // Closes all columns. False when there is no memory. The set takes no more
  // rows until the next Start.
  bool Seal();
  std::span<const Column> columns() const { return columns_; }
  // The memory lives as long as the columns; null when there is none.
  void* Allocate(size_t size) { return arena_.Allocate(size); }

  // After a failed reservation: true when the machine has no memory, false when
  // the budget or the 32-bit offsets set the limit.
  bool out_of_memory() const { return arena_.out_of_memory(); }

 private:
  static size_t RowEnd(const Builder& builder) {
    return builder.form == plan::SlotForm::kSteps ? builder.steps
                                                  : builder.count;
  }
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
  std::vector<Builder> builders_;
  std::vector<CellGroup> groups_;
  std::vector<uint8_t*> group_values_;
  std::vector<uint32_t> group_slots_;
  uint32_t num_gathered_ = 0;  // groups since the last Settle
  // Earlier batches had this many values and steps of a slot.
  std::vector<size_t> reached_;
  std::vector<size_t> steps_reached_;
  std::vector<Column> columns_;
  uint32_t num_rows_ = 0;
  uint32_t row_capacity_ = 0;
  uint32_t rows_reached_ = 0;  // by earlier batches
  uint64_t num_growths_ = 1;
  uint32_t num_wrong_ = 0;
  size_t num_filled_ = 0;
  // No row of the batch has these columns: all offsets are 0, all rows null.
  const int32_t* no_offsets_ = nullptr;
  const uint8_t* no_validity_ = nullptr;
  RowArrays shared_;
  // Every row has one value of these columns; null until one was sealed.
  const int32_t* regular_offsets_ = nullptr;
};

}  // namespace headrace::column

#endif  // HEADRACE_SRC_DECODE_COLUMN_COLUMN_SET_H_
