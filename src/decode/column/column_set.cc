#include "src/decode/column/column_set.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <numeric>

#include "src/base/checked_math.h"
#include "src/base/little_endian.h"

namespace headrace::column {
namespace {

constexpr uint32_t kFirstRows = 256;
constexpr size_t kFirstValues = 64;
constexpr size_t kCacheLine = 64;
// Maximum number of values per column: offsets have 32 bits, and twice the size
// of the values must fit a size_t.
constexpr size_t kMaxValues =
    std::min((size_t{1} << 31) - 1,
             std::numeric_limits<size_t>::max() / (2 * sizeof(int64_t)));
constexpr uint32_t kMaxRows = static_cast<uint32_t>(kMaxValues);

// The columns' arrays are adjacent and are written at the same row. An odd
// number of cache lines per array keeps them in different cache sets.
constexpr size_t OddLines(size_t size) {
  return ((size + kCacheLine - 1) / kCacheLine | 1) * kCacheLine;
}

// Most columns have no nulls, which memchr finds out faster than a count.
size_t CountNulls(const uint8_t* valid, size_t count) {
  if (count == 0 || std::memchr(valid, 0, count) == nullptr) return 0;
  return static_cast<size_t>(std::count(valid, valid + count, uint8_t{0}));
}

// A batch may need a little more than earlier ones did.
constexpr size_t Hint(size_t reached) { return reached + reached / 16; }

}  // namespace

void ColumnSet::Start(std::span<const plan::Slot> slots, bool keep_nulls) {
  reached_.resize(slots.size(), 0);
  steps_reached_.resize(slots.size(), 0);
  for (size_t i = 0; i < std::min(builders_.size(), slots.size()); ++i) {
    reached_[i] = std::max(reached_[i], builders_[i].count);
    steps_reached_[i] = std::max(steps_reached_[i], builders_[i].steps);
  }
  arena_.Reset();
  arena_.CountOutside(0);
  kept_memory_ = 0;
  kept_besides_ = 0;
  slots_ = slots;
  keep_nulls_ = keep_nulls;
  builders_.assign(slots.size(), Builder());
  places_.clear();
  for (size_t i = 0; i < slots.size(); ++i) {
    builders_[i].kind = slots[i].kind;
    // A single list has no other column to share arrays with.
    builders_[i].form =
        slots[i].form == plan::SlotForm::kList && slots.size() > 1
            ? plan::SlotForm::kRegular
            : slots[i].form;
    builders_[i].elements = slots[i].elements;
  }
  groups_.resize(kMaxGroups);
  group_values_.resize(kMaxGroupCells);
  group_slots_.resize(kMaxGroupCells);
  for (CellGroup& group : std::span(groups_).first(num_gathered_)) {
    group.end = group.num_cells = 0;
  }
  num_gathered_ = 0;
  columns_.assign(slots.size(), Column());
  rows_reached_ = std::max(rows_reached_, num_rows_);
  num_rows_ = 0;
  num_wrong_ = 0;
  num_filled_ = 0;
  row_capacity_ = std::max(rows_reached_, kFirstRows);
  no_offsets_ = nullptr;
  no_validity_ = nullptr;
  regular_offsets_ = nullptr;
  shared_ = {};
}

void ColumnSet::StartAfresh(std::span<const plan::Slot> slots,
                            bool keep_nulls) {
  arena_.Release();
  num_rows_ = 0;
  rows_reached_ = 0;
  builders_.clear();
  reached_.clear();
  steps_reached_.clear();
  Start(slots, keep_nulls);
}

void ColumnSet::PlaceValues(uint32_t slot, void* values, size_t capacity) {
  places_.resize(builders_.size());
  places_[slot] = {static_cast<uint8_t*>(values),
                   std::min(capacity, kMaxValues)};
}

uint64_t ColumnSet::ContentBytes() const {
  uint64_t bytes = 0;
  for (const Builder& builder : builders_) {
    bytes += builder.count * ValueSize(builder.kind);
    const size_t lists = (builder.own.offsets ? num_rows_ : 0) + builder.steps;
    bytes += lists * (sizeof(int32_t) + sizeof(uint8_t));
  }
  return bytes;
}

// Covers what Seal needs: two bitmaps per column, and the shared offsets.
uint64_t ColumnSet::MemoryOfSeal() const {
  return builders_.size() * (num_rows_ / 8 + 2 * uint64_t{Arena::kAlignment}) +
         arena_.used() / 32 + (num_rows_ + 1) * sizeof(int32_t) +
         Arena::kAlignment;
}

// A batch ends before a row that would take memory that earlier rows still
// need.
void* ColumnSet::AllocateForRow(size_t size) {
  if (num_rows_ > 0) {
    uint64_t kept = kept_memory() + 2 * MemoryOfSeal();
    if (other_) kept += other_->kept_memory() + 2 * other_->MemoryOfSeal();
    if (arena_.LeftAfter(size) < kept) return nullptr;
  }
  ++num_growths_;
  return arena_.Allocate(size);
}

bool ColumnSet::AllocateRows(RowArrays* rows) {
  auto* const offsets = static_cast<int32_t*>(
      AllocateForRow(OddLines((size_t{row_capacity_} + 1) * sizeof(int32_t))));
  if (offsets == nullptr) return false;
  auto* const valid =
      static_cast<uint8_t*>(AllocateForRow(OddLines(row_capacity_)));
  if (valid == nullptr) return false;
  *rows = {offsets, valid};
  return true;
}

// Moves the builder to new arrays with room for row_capacity_ rows. If there is
// no memory, the builder stays as it is.
bool ColumnSet::GiveRows(Builder* builder) {
  const bool shares = builder->form == plan::SlotForm::kRegular ||
                      builder->form == plan::SlotForm::kDense;
  if (shares && shared_.offsets == nullptr && !AllocateRows(&shared_)) {
    return false;
  }
  if (builder->form != plan::SlotForm::kDense) {
    RowArrays own;
    if (!AllocateRows(&own)) return false;
    own.offsets[0] = 0;
    if (!shares && builder->own.offsets != nullptr) {
      std::memcpy(own.offsets, builder->own.offsets,
                  (size_t{builder->next_row} + 1) * sizeof(int32_t));
      std::memcpy(own.valid, builder->own.valid, builder->next_row);
    }
    builder->own = own;
  }
  builder->rows = shares ? shared_ : builder->own;
  return true;
}

void ColumnSet::WriteOffsets(Builder* builder) {
  builder->form = plan::SlotForm::kList;
  builder->rows = builder->own;
  std::iota(builder->rows.offsets,
            builder->rows.offsets + builder->next_row + 1, 0);
  std::memset(builder->rows.valid, 1, builder->next_row);
}

bool ColumnSet::GrowRows() {
  if (row_capacity_ > kMaxRows / 2) return false;
  const uint32_t before = row_capacity_;
  row_capacity_ *= 2;
  ++num_growths_;
  shared_ = {};
  for (Builder& builder : builders_) {
    if (builder.rows.offsets != nullptr && !GiveRows(&builder)) {
      // The columns grown so far have spare room, the others keep what they
      // have; the set accepts no more rows.
      row_capacity_ = before;
      return false;
    }
  }
  return true;
}

bool ColumnSet::GrowValues(Builder* builder, size_t more) {
  size_t needed;
  if (!CheckedAdd(builder->count, more, &needed) || needed > kMaxValues) {
    return false;
  }
  const auto slot = static_cast<size_t>(builder - builders_.data());
  size_t capacity = std::max({needed, builder->capacity * 2,
                              builder->capacity == 0 ? Hint(reached_[slot]) : 0,
                              kFirstValues});
  capacity = std::min(capacity, kMaxValues);
  if (builder->capacity == 0 && slot < places_.size() &&
      needed <= places_[slot].capacity) {
    builder->values = places_[slot].values;
    builder->capacity = places_[slot].capacity;
    ++num_growths_;
    return true;
  }
  const size_t size = ValueSize(builder->kind);
  auto* values = static_cast<uint8_t*>(
      AllocateForRow(OddLines(capacity * size + kWriteSlack)));
  if (values == nullptr) return false;
  if (builder->count > 0) {
    std::memcpy(values, builder->values, builder->count * size);
  }
  builder->values = values;
  builder->capacity = capacity;
  return true;
}

bool ColumnSet::GrowSteps(Builder* builder) {
  if (builder->steps >= kMaxValues) return false;
  const auto slot = static_cast<size_t>(builder - builders_.data());
  const size_t capacity = std::min(
      std::max({builder->step_capacity * 2,
                builder->step_capacity == 0 ? Hint(steps_reached_[slot]) : 0,
                kFirstValues}),
      kMaxValues);
  auto* const offsets =
      static_cast<int32_t*>(AllocateForRow((capacity + 1) * sizeof(int32_t)));
  auto* const valid = static_cast<uint8_t*>(AllocateForRow(capacity));
  if (offsets == nullptr || valid == nullptr) return false;
  offsets[0] = 0;
  if (builder->steps > 0) {
    std::memcpy(offsets, builder->step_offsets,
                (builder->steps + 1) * sizeof(int32_t));
    std::memcpy(valid, builder->step_valid, builder->steps);
  }
  builder->step_offsets = offsets;
  builder->step_valid = valid;
  builder->step_capacity = capacity;
  return true;
}

// Makes the rows from next_row up to `row` null, because they lack the feature.
void ColumnSet::FillNulls(Builder* builder, uint32_t row) {
  if (builder->next_row == row) return;
  if (builder->form == plan::SlotForm::kRegular) WriteOffsets(builder);
  const auto end = static_cast<int32_t>(builder->form == plan::SlotForm::kSteps
                                            ? builder->steps
                                            : builder->count);
  for (uint32_t r = builder->next_row; r < row; ++r) {
    builder->rows.offsets[r + 1] = end;
  }
  std::memset(builder->rows.valid + builder->next_row, 0,
              row - builder->next_row);
  builder->next_row = row;
}

Builder* ColumnSet::OpenCell(uint32_t slot) {
  Builder* const builder = &builders_[slot];
  if (!CatchUp(builder)) return nullptr;
  if (builder->form == plan::SlotForm::kRegular) WriteOffsets(builder);
  builder->is_entered = true;
  return builder;
}

bool ColumnSet::Prepare(uint32_t slot, size_t more) {
  Builder* const builder = &builders_[slot];
  LeaveGroup(*builder);
  return !HasCell(*builder) && CatchUp(builder) && Reserve(builder, more);
}

void ColumnSet::Gather(uint32_t number, uint32_t first,
                       std::span<const uint32_t> slots) {
  CellGroup& group = groups_[number];
  EndGroup(&group);
  group.num_cells = static_cast<uint32_t>(slots.size());
  group.first = first;
  std::copy(slots.begin(), slots.end(), group_slots_.data() + first);
  num_gathered_ = std::max(num_gathered_, number + 1);
  Gather(number, num_rows_ + 1);
}

// Makes group `number` from the cells that the group lists, if all their
// columns have one value in each of `rows` rows; otherwise empties the group.
void ColumnSet::Gather(uint32_t number, uint32_t rows) {
  CellGroup& group = groups_[number];
  const auto slots =
      std::span(group_slots_).subspan(group.first, group.num_cells);
  group.row = rows;
  group.num_dense = 0;
  group.num_cells = 0;
  size_t room = std::numeric_limits<uint32_t>::max();
  for (size_t i = 0; i < slots.size(); ++i) {
    const Builder& builder = builders_[slots[i]];
    if (!builder.IsRegular(rows)) return;
    group.num_dense += builder.form == plan::SlotForm::kDense;
    group_values_[group.first + i] = builder.values;
    room = std::min(room, builder.capacity);
  }
  if (room == 0) return;
  group.num_cells = static_cast<uint32_t>(slots.size());
  group.end = static_cast<uint32_t>(room);
  for (const uint32_t slot : slots) {
    builders_[slot].next_row = Builder::kInGroup;
    builders_[slot].group = number;
    builders_[slot].state = CellState::kTyped;
  }
}

void ColumnSet::Settle() {
  for (CellGroup& group : std::span(groups_).first(num_gathered_)) {
    EndGroup(&group);
    group.num_cells = 0;
  }
  num_gathered_ = 0;
}

void ColumnSet::EndGroup(CellGroup* group) {
  if (group->end == 0) return;
  for (const uint32_t slot :
       std::span(group_slots_).subspan(group->first, group->num_cells)) {
    builders_[slot].next_row = group->row;
    builders_[slot].count = group->row;
  }
  group->end = 0;
}

// Brings the builder up to the open row; earlier rows that lack the cell become
// null.
bool ColumnSet::CatchUp(Builder* builder) {
  if (builder->rows.offsets == nullptr && !GiveRows(builder)) return false;
  if (builder->form != plan::SlotForm::kDense) FillNulls(builder, num_rows_);
  builder->next_row = num_rows_;
  return true;
}

// Removes what the open row has put in this cell. The row must have entered the
// cell before.
void ColumnSet::Forget(Builder* builder) {
  if (!builder->is_entered) {
    num_wrong_ -= builder->state == CellState::kWrong;
    if (builder->form == plan::SlotForm::kDense) {
      num_filled_ -= IsFilled(*builder);
    }
  }
  builder->count = CountBefore(*builder);
  builder->steps = StepsBefore(*builder);
  builder->next_row = num_rows_;
  builder->is_entered = true;
}

// Groups are kept, and groups that the row has ended are made again. Without
// groups the following rows would cost more than the one that is rolled back.
void ColumnSet::RollBackRow() {
  for (CellGroup& group : std::span(groups_).first(num_gathered_)) {
    if (group.end != 0 && group.row > num_rows_) group.row = num_rows_;
  }
  for (Builder& builder : builders_) {
    if (!HasCell(builder)) continue;
    if (builder.default_end == num_rows_ + 1) {
      --builder.num_defaults;
      builder.default_end = 0;
    }
    Forget(&builder);
    builder.is_entered = false;
  }
  for (uint32_t i = 0; i < num_gathered_; ++i) {
    if (groups_[i].end == 0 && groups_[i].num_cells > 0) Gather(i, num_rows_);
  }
  num_wrong_ = 0;
  num_filled_ = 0;
}

void ColumnSet::TakeBackRows(uint32_t rows) {
  Settle();
  const uint32_t taken = num_rows_ - rows;
  num_rows_ = rows;
  for (Builder& builder : builders_) {
    if (builder.next_row <= rows) continue;
    builder.count = CountBefore(builder);
    builder.steps = StepsBefore(builder);
    builder.next_row = rows;
    // Nothing records which rows had defaults; too low a number is safe.
    builder.num_defaults -= std::min(builder.num_defaults, taken);
    builder.default_end = 0;
  }
}

bool ColumnSet::HasFeature(uint32_t slot) const {
  const Builder& builder = builders_[slot];
  if (num_rows_ == 0 || builder.rows.offsets == nullptr) return false;
  if (builder.form == plan::SlotForm::kDense) {
    return builder.num_defaults < num_rows_;
  }
  if (builder.form == plan::SlotForm::kRegular) return true;
  const size_t known = std::min(builder.next_row, num_rows_);
  return std::memchr(builder.own.valid, 1, known) != nullptr;
}

const uint8_t* ColumnSet::PackBits(const uint8_t* valid, size_t count) {
  const size_t size = (count + 7) / 8;
  auto* bits = static_cast<uint8_t*>(arena_.Allocate(size));
  if (bits == nullptr) return nullptr;
  // Each byte is 0 or 1; the product gathers eight of them in its top byte.
  for (size_t i = 0; i < count / 8; ++i) {
    constexpr uint64_t kGather = 0x0102040810204080u;
    bits[i] = static_cast<uint8_t>(LoadLittle64(valid + 8 * i) * kGather >> 56);
  }
  if (count % 8 != 0) bits[count / 8] = 0;
  for (size_t i = count / 8 * 8; i < count; ++i) {
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | valid[i] << (i % 8));
  }
  return bits;
}

bool ColumnSet::SealSteps(const Builder& builder, Column* column) {
  if (builder.kind == Kind::kNull) {
    column->step_null_count = builder.steps;
    return true;
  }
  if (builder.step_offsets == nullptr) {
    column->step_offsets = NoOffsets();
    return column->step_offsets != nullptr;
  }
  column->step_offsets = builder.step_offsets;
  if (!keep_nulls_) return true;
  const uint8_t* const valid = builder.step_valid;
  column->step_null_count = CountNulls(valid, builder.steps);
  if (column->step_null_count == 0) return true;
  column->step_validity = PackBits(valid, builder.steps);
  return column->step_validity != nullptr;
}

bool ColumnSet::SealColumn(const Builder& builder, Column* column) {
  if (column->in_sequence && !SealSteps(builder, column)) return false;
  column->values = builder.values;
  if (builder.form == plan::SlotForm::kRegular) {
    column->offsets = RegularOffsets(builder);
    return true;
  }
  column->offsets = builder.rows.offsets;
  if (!keep_nulls_) return true;
  column->null_count = CountNulls(builder.rows.valid, num_rows_);
  if (column->null_count == 0) return true;
  column->validity = PackBits(builder.rows.valid, num_rows_);
  return column->validity != nullptr;
}

const int32_t* ColumnSet::NoOffsets() {
  if (no_offsets_ == nullptr) {
    const size_t size = (size_t{num_rows_} + 1) * sizeof(int32_t);
    void* const zeros = arena_.Allocate(size);
    if (zeros == nullptr) return nullptr;
    std::memset(zeros, 0, size);
    no_offsets_ = static_cast<const int32_t*>(zeros);
    no_validity_ = static_cast<const uint8_t*>(zeros);
  }
  return no_offsets_;
}

// All kRegular columns share these offsets, written when the first is sealed.
const int32_t* ColumnSet::RegularOffsets(const Builder& builder) {
  if (regular_offsets_ == nullptr) {
    int32_t* const offsets = builder.rows.offsets;
    std::iota(offsets, offsets + num_rows_ + 1, 0);
    regular_offsets_ = offsets;
  }
  return regular_offsets_;
}

bool ColumnSet::Seal() {
  assert(unset_mark_ == 0);
  for (size_t i = 0; i < builders_.size(); ++i) {
    Builder& builder = builders_[i];
    Column& column = columns_[i];
    column.name = slots_[i].key;
    column.kind = builder.kind;
    column.in_sequence = slots_[i].in_sequence;
    column.num_rows = num_rows_;
    if (builder.form == plan::SlotForm::kDense) {
      column.values = builder.values;
      continue;
    }
    if (builder.kind == Kind::kNull && !column.in_sequence) {
      column.null_count = num_rows_;
      continue;
    }
    if (builder.own.offsets != nullptr) {
      FillNulls(&builder, num_rows_);
      if (!SealColumn(builder, &column)) return false;
      continue;
    }
    column.offsets = NoOffsets();
    if (column.offsets == nullptr) return false;
    if (column.in_sequence && builder.kind != Kind::kNull) {
      column.step_offsets = column.offsets;
    }
    if (!keep_nulls_) continue;
    column.validity = num_rows_ > 0 ? no_validity_ : nullptr;
    column.null_count = num_rows_;
  }
  return true;
}

}  // namespace headrace::column
