#include "src/column/column_set.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "src/base/checked_math.h"

namespace headrace::column {
namespace {

constexpr uint32_t kFirstRows = 256;
constexpr size_t kFirstValues = 64;
// Offsets are 32 bits wide.
constexpr size_t kMaxValues = (size_t{1} << 31) - 1;
constexpr uint32_t kMaxRows = (uint32_t{1} << 31) - 1;

}  // namespace

void ColumnSet::Start(std::span<const ColumnField> columns) {
  reached_.resize(columns.size(), 0);
  for (size_t i = 0; i < std::min(builders_.size(), columns.size()); ++i) {
    reached_[i] = std::max(reached_[i], builders_[i].count);
  }
  arena_.Reset();
  fields_ = columns;
  builders_.assign(columns.size(), Builder());
  for (size_t i = 0; i < columns.size(); ++i) {
    builders_[i].kind = columns[i].kind;
  }
  open_.clear();
  open_.reserve(columns.size());
  columns_.assign(columns.size(), Column());
  num_rows_ = 0;
  num_wrong_ = 0;
  row_capacity_ = std::max(row_capacity_, kFirstRows);
  no_offsets_ = nullptr;
  no_validity_ = nullptr;
}

void ColumnSet::StartAfresh(std::span<const ColumnField> columns) {
  arena_.Release();
  row_capacity_ = 0;
  builders_.clear();
  reached_.clear();
  Start(columns);
}

bool ColumnSet::AllocateRows(Builder* builder) {
  auto* offsets = static_cast<int32_t*>(
      arena_.Allocate((size_t{row_capacity_} + 1) * sizeof(int32_t)));
  auto* valid = static_cast<uint8_t*>(arena_.Allocate(row_capacity_));
  if (offsets == nullptr || valid == nullptr) return false;
  if (builder->offsets != nullptr) {
    std::memcpy(offsets, builder->offsets,
                (size_t{builder->next_row} + 1) * sizeof(int32_t));
    std::memcpy(valid, builder->valid, builder->next_row);
  } else {
    offsets[0] = 0;
  }
  builder->offsets = offsets;
  builder->valid = valid;
  return true;
}

bool ColumnSet::GrowRows() {
  if (row_capacity_ > kMaxRows / 2) return false;
  row_capacity_ *= 2;
  for (Builder& builder : builders_) {
    if (builder.offsets != nullptr && !AllocateRows(&builder)) {
      // The columns grown so far have more room than they need, the others
      // keep theirs; the set takes no further row.
      row_capacity_ /= 2;
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
  // What earlier batches needed, with room for this one to differ a little.
  const size_t hint = reached_[slot] + reached_[slot] / 8;
  size_t capacity = std::max({needed, builder->capacity * 2,
                              builder->capacity == 0 ? hint : 0, kFirstValues});
  capacity = std::min(capacity, kMaxValues);
  const size_t size = ValueSize(builder->kind);
  auto* values =
      static_cast<uint8_t*>(arena_.Allocate(capacity * size + kWriteSlack));
  if (values == nullptr) return false;
  if (builder->count > 0) {
    std::memcpy(values, builder->values, builder->count * size);
  }
  builder->values = values;
  builder->capacity = capacity;
  return true;
}

// Rows in between did not have the feature.
void ColumnSet::FillNulls(Builder* builder, uint32_t row) {
  const auto count = static_cast<int32_t>(builder->count);
  builder->null_count += row - builder->next_row;
  for (uint32_t r = builder->next_row; r < row; ++r) {
    builder->offsets[r + 1] = count;
    builder->valid[r] = 0;
  }
  builder->next_row = row;
}

Builder* ColumnSet::OpenCell(uint32_t slot) {
  Builder& builder = builders_[slot];
  if (builder.offsets == nullptr && !AllocateRows(&builder)) return nullptr;
  if (builder.next_row < num_rows_) FillNulls(&builder, num_rows_);
  builder.mark = builder.count;
  builder.state = CellState::kUnset;
  open_.push_back(slot);
  return &builder;
}

void ColumnSet::CommitRow() {
  assert(num_wrong_ == 0);
  for (const uint32_t slot : open_) {
    Builder& builder = builders_[slot];
    const bool valid = builder.state == CellState::kTyped;
    builder.offsets[num_rows_ + 1] = static_cast<int32_t>(builder.count);
    builder.valid[num_rows_] = valid;
    builder.null_count += !valid;
    builder.next_row = num_rows_ + 1;
    builder.state = CellState::kAbsent;
  }
  open_.clear();
  ++num_rows_;
}

void ColumnSet::RollBackRow() {
  for (const uint32_t slot : open_) {
    Builder& builder = builders_[slot];
    builder.count = builder.mark;
    builder.state = CellState::kAbsent;
  }
  open_.clear();
  num_wrong_ = 0;
}

bool ColumnSet::SealColumn(const Builder& builder, Column* column) {
  column->offsets = builder.offsets;
  column->values = builder.values;
  column->null_count = builder.null_count;
  if (builder.null_count == 0) return true;
  const size_t size = (size_t{num_rows_} + 7) / 8;
  auto* bits = static_cast<uint8_t*>(arena_.Allocate(size));
  if (bits == nullptr) return false;
  std::memset(bits, 0, size);
  for (size_t row = 0; row < num_rows_; ++row) {
    bits[row / 8] =
        static_cast<uint8_t>(bits[row / 8] | builder.valid[row] << (row % 8));
  }
  column->validity = bits;
  return true;
}

bool ColumnSet::Seal() {
  assert(open_.empty());
  for (size_t i = 0; i < builders_.size(); ++i) {
    Builder& builder = builders_[i];
    Column& column = columns_[i];
    column.name = fields_[i].name;
    column.kind = builder.kind;
    column.num_rows = num_rows_;
    if (builder.kind == Kind::kNull) {
      column.null_count = num_rows_;
      continue;
    }
    if (builder.offsets != nullptr) {
      FillNulls(&builder, num_rows_);
      if (!SealColumn(builder, &column)) return false;
      continue;
    }
    if (no_offsets_ == nullptr) {
      const size_t size = (size_t{num_rows_} + 1) * sizeof(int32_t);
      void* const zeros = arena_.Allocate(size);
      if (zeros == nullptr) return false;
      std::memset(zeros, 0, size);
      no_offsets_ = static_cast<const int32_t*>(zeros);
      no_validity_ = static_cast<const uint8_t*>(zeros);
    }
    column.offsets = no_offsets_;
    column.validity = num_rows_ > 0 ? no_validity_ : nullptr;
    column.null_count = num_rows_;
  }
  return true;
}

}  // namespace headrace::column
