// Builds the tensors of var_len and sparse features: sparse, in coordinate
// form, or padded.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>

#include "src/base/checked_math.h"
#include "src/decode/tensor/assembler.h"
#include "src/decode/tensor/cell.h"
#include "src/decode/tensor/coordinates.h"

namespace headrace::tensor {

int64_t* Assembler::AllocateIndices(size_t count) {
  size_t size;
  if (!CheckedMul(count, sizeof(int64_t), &size)) return nullptr;
  // A slab has enough slack after every array.
  return is_in_rest_ && count > 0 ? static_cast<int64_t*>(slabs_->Take(size))
                                  : Allocate<int64_t>(count + kCoordinateSlack);
}

bool Assembler::BuildVarLen(const plan::Output& output, Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  const size_t count = BuilderOf(output.slot).count;
  const void* values = column.values;
  if (!Narrow(output, &values, count, /*is_finished=*/output.pad_to == 0)) {
    return false;
  }
  SetLists(output, values, count, tensor);
  tensor->values = values;
  tensor->num_values = count;
  if (output.pad_to > 0) {
    const size_t width[] = {output.pad_to};
    tensor->kind = TensorKind::kDense;
    tensor->num_values = rows_ * output.pad_to;
    tensor->values = Pad(output, column.offsets, 1, output.pad_to, values);
    return tensor->values != nullptr && SetShape(width, {}, tensor);
  }
  tensor->kind = TensorKind::kSparse;
  const bool has_steps = output.in_sequence || grid_ != nullptr;
  const size_t rank = has_steps ? 3 : 2;
  auto* const indices = AllocateIndices(count * rank);
  if (indices == nullptr) return false;
  tensor->indices = {indices, count * rank};
  if (grid_ != nullptr) return PlaceInLists(column, indices, tensor);
  size_t longest[2] = {Longest(column.offsets, rows_), 0};
  if (output.in_sequence) {
    longest[1] = WriteStepCoordinates(column.offsets, column.step_offsets,
                                      rows_, indices);
  } else {
    WriteCoordinates(column.offsets, rows_, indices);
  }
  return SetShape(std::span(longest).first(rank - 1), {}, tensor);
}

// Writes coordinates for lists, whose places are like the steps of a feature
// list.
bool Assembler::PlaceInLists(const Column& column, int64_t* indices,
                             Tensor* tensor) {
  const int32_t* const offsets = ListOffsets();
  if (offsets == nullptr) return false;
  const size_t longest[] = {WriteStepCoordinates(offsets, column.offsets,
                                                 grid_->num_lists(), indices)};
  return SetShape(longest, {}, tensor);
}

// True if the values of every row are in the order of their indices.
bool Assembler::IsSorted(const plan::Output& output,
                         const int32_t* offsets) const {
  for (size_t row = 0; row < rows_; ++row) {
    for (int32_t i = offsets[row] + 1; i < offsets[row + 1]; ++i) {
      if (Precedes(output, static_cast<uint32_t>(i),
                   static_cast<uint32_t>(i - 1))) {
        return false;
      }
    }
  }
  return true;
}

bool Assembler::Precedes(const plan::Output& output, uint32_t a,
                         uint32_t b) const {
  for (const uint32_t slot : output.index_slots) {
    const auto* const indices =
        static_cast<const int64_t*>(ColumnOf(slot).values);
    if (indices[a] != indices[b]) return indices[a] < indices[b];
  }
  return false;
}

// Writes the coordinates of the row's value number `i`; returns their end.
int64_t* Assembler::WriteIndices(const plan::Output& output, size_t row,
                                 size_t i, int64_t* out) const {
  if (grid_ != nullptr) {
    *out++ = static_cast<int64_t>(row / grid_->places);
    row %= grid_->places;
  }
  *out++ = static_cast<int64_t>(row);
  for (const uint32_t slot : output.index_slots) {
    *out++ = static_cast<const int64_t*>(ColumnOf(slot).values)[i];
  }
  return out;
}

// Writes coordinates and values in order; values with equal coordinates keep
// their order (rule P3 of docs/semantics.md).
bool Assembler::SortSparse(const plan::Output& output, const Column& column,
                           int64_t* indices, const void** values) {
  if (output.already_sorted || IsSorted(output, column.offsets)) {
    for (size_t row = 0; row < rows_; ++row) {
      const Cell cell = RowCell(column, row);
      for (size_t i = cell.begin; i < cell.begin + cell.size; ++i) {
        indices = WriteIndices(output, row, i, indices);
      }
    }
    return true;
  }
  const size_t size = DTypeSize(output.to);
  auto* const order = Allocate<uint32_t>(Longest(column.offsets, rows_));
  uint8_t* out = AllocateOutValues(output.to, BuilderOf(output.slot).count);
  if (order == nullptr || out == nullptr) return false;
  const auto* const from = static_cast<const uint8_t*>(*values);
  *values = out;
  for (size_t row = 0; row < rows_; ++row) {
    const Cell cell = RowCell(column, row);
    std::iota(order, order + cell.size, static_cast<uint32_t>(cell.begin));
    // std::stable_sort allocates; comparing places makes any sort stable.
    std::sort(order, order + cell.size, [&](uint32_t a, uint32_t b) {
      return Precedes(output, a, b) || (a < b && !Precedes(output, b, a));
    });
    for (size_t i = 0; i < cell.size; ++i) {
      indices = WriteIndices(output, row, order[i], indices);
      std::memcpy(out, from + order[i] * size, size);
      out += size;
    }
  }
  return true;
}

bool Assembler::BuildSparse(const plan::Output& output, Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  const size_t count = BuilderOf(output.slot).count;
  const size_t rank = (grid_ ? 2 : 1) + output.index_slots.size();
  size_t coordinates;
  if (!CheckedMul(count, rank, &coordinates)) return false;
  auto* const indices = AllocateIndices(coordinates);
  tensor->kind = TensorKind::kSparse;
  tensor->values = column.values;
  if (indices == nullptr ||
      !Narrow(output, &tensor->values, count, /*is_finished=*/false) ||
      !SortSparse(output, column, indices, &tensor->values)) {
    return false;
  }
  tensor->num_values = count;
  tensor->indices = {indices, coordinates};
  SetLists(output, tensor->values, count, tensor);
  return SetShape({}, output.shape, tensor);
}

}  // namespace headrace::tensor
