#include "src/tensor/assemble.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <span>
#include <string_view>

#include "src/base/checked_math.h"
#include "src/base/convert.h"
#include "src/tensor/cell.h"
#include "src/tensor/partition.h"
#include "src/tensor/repeat.h"
#include "src/tensor/row_rules.h"

namespace headrace::tensor {
namespace {

using column::Builder;
using column::ColumnSet;
using plan::Output;

// Longest of the cells that `offsets` cut.
size_t Longest(const int32_t* offsets, size_t cells) {
  int32_t longest = 0;
  for (size_t i = 0; i < cells; ++i) {
    longest = std::max(longest, offsets[i + 1] - offsets[i]);
  }
  return static_cast<size_t>(longest);
}

// Row splits under construction, of either type.
class SplitWriter {
 public:
  SplitWriter(void* data, bool wide) : data_(data), wide_(wide) { Append(0); }

  void Append(int64_t split) {
    if (wide_) {
      static_cast<int64_t*>(data_)[size_++] = split;
    } else {
      static_cast<int32_t*>(data_)[size_++] = static_cast<int32_t>(split);
    }
    last_ = split;
  }
  int64_t last() const { return last_; }
  RowSplits splits() const { return {data_, size_, wide_}; }

 private:
  void* data_;
  bool wide_;
  size_t size_ = 0;
  int64_t last_ = 0;
};

class Assembler {
 public:
  Assembler(const plan::Program& program, ColumnSet* columns)
      : program_(program), columns_(columns), rows_(columns->num_rows()) {}

  bool Build(const Output& output, Tensor* tensor);

 private:
  const Column& ColumnOf(uint32_t slot) const {
    return columns_->columns()[slot];
  }
  const Builder& BuilderOf(uint32_t slot) const {
    return columns_->builder(slot);
  }

  template <class T>
  T* Allocate(size_t count) {
    size_t size;
    if (!CheckedMul(count, sizeof(T), &size)) return nullptr;
    return static_cast<T*>(columns_->Allocate(size));
  }
  uint8_t* AllocateValues(DType dtype, size_t count) {
    size_t size;
    if (!CheckedMul(count, DTypeSize(dtype), &size)) return nullptr;
    return static_cast<uint8_t*>(columns_->Allocate(size));
  }
  bool SetShape(size_t first, std::span<const size_t> next,
                std::span<const int64_t> rest, Tensor* tensor);
  bool Narrow(const Output& output, const void** values, size_t count);
  void SetLists(const Output& output, const void* values, size_t count,
                Tensor* tensor);

  bool BuildFixedLen(const Output& output, Tensor* tensor);
  void BuildReinterpreted(const Output& output, uint8_t* out) const;
  bool BuildSequence(const Output& output, const void* values, Tensor* tensor);
  bool BuildListSequence(const Output& output, const void* values,
                         Tensor* tensor);
  const void* Pad(const Output& output, const int32_t* offsets,
                  size_t per_offset, size_t width, const void* values);
  bool BuildVarLen(const Output& output, Tensor* tensor);
  bool BuildSparse(const Output& output, Tensor* tensor);
  bool IsSorted(const Output& output, const int32_t* offsets) const;
  bool Precedes(const Output& output, uint32_t a, uint32_t b) const;
  bool SortSparse(const Output& output, const Column& column, int64_t* indices,
                  const void** values);
  bool BuildRagged(const Output& output, Tensor* tensor);
  bool WidenSplits(const int32_t* offsets, size_t size, bool wide,
                   RowSplits* splits);
  bool CutRows(const Output& output, std::span<RowSplits> levels);
  template <class OnCell>
  void ForEachCell(const Output& output, OnCell&& on_cell);
  std::span<const int64_t> PartitionOf(const Output& output,
                                       const plan::Cut& cut, size_t row,
                                       size_t step) const;

  const plan::Program& program_;
  ColumnSet* const columns_;
  const size_t rows_;
};

bool Assembler::SetShape(size_t first, std::span<const size_t> next,
                         std::span<const int64_t> rest, Tensor* tensor) {
  const size_t rank = 1 + next.size() + rest.size();
  auto* const shape = Allocate<int64_t>(rank);
  if (shape == nullptr) return false;
  int64_t* out = shape;
  *out++ = static_cast<int64_t>(first);
  for (const size_t dimension : next) *out++ = static_cast<int64_t>(dimension);
  std::copy(rest.begin(), rest.end(), out);
  tensor->shape = {shape, rank};
  return true;
}

// Replaces values of the wire's type by those of the tensor's.
bool Assembler::Narrow(const Output& output, const void** values,
                       size_t count) {
  if (output.from == output.to || output.reinterpret) return true;
  uint8_t* const narrow = AllocateValues(output.to, count);
  if (narrow == nullptr) return false;
  Convert(output.from, output.to, *values, count, narrow);
  *values = narrow;
  return true;
}

void Assembler::SetLists(const Output& output, const void* values, size_t count,
                         Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  tensor->row_offsets = column.offsets;
  tensor->step_offsets = column.step_offsets;
  tensor->list_values = values;
  tensor->num_list_values = count;
}

// ---------------------------------------------------------------------- Dense

void Assembler::BuildReinterpreted(const Output& output, uint8_t* out) const {
  const Column& column = ColumnOf(output.slot);
  const auto* const values =
      static_cast<const std::string_view*>(column.values);
  const size_t size = output.elements * DTypeSize(output.to);
  for (size_t row = 0; row < rows_ && size > 0; ++row) {
    std::memcpy(out + row * size, values[RowCell(column, row).begin].data(),
                size);
  }
}

bool Assembler::BuildFixedLen(const Output& output, Tensor* tensor) {
  const size_t count = rows_ * output.elements;
  const Column& column = ColumnOf(output.slot);
  tensor->num_values = count;
  tensor->values = column.values;
  if (output.reinterpret) {
    uint8_t* const out = AllocateValues(output.to, count);
    if (out == nullptr) return false;
    BuildReinterpreted(output, out);
    tensor->values = out;
  } else if (BuilderOf(output.slot).form != plan::SlotForm::kDense) {
    // Others read the key too, so defaults have no place among its values.
    const size_t size = DTypeSize(output.from) * output.elements;
    uint8_t* const out = AllocateValues(output.from, count);
    if (out == nullptr) return false;
    for (size_t row = 0; row < rows_ && size > 0; ++row) {
      const Cell cell = RowCell(column, row);
      std::memcpy(out + row * size,
                  cell.size > 0
                      ? static_cast<const uint8_t*>(column.values) +
                            cell.begin * DTypeSize(output.from)
                      : static_cast<const uint8_t*>(output.default_values),
                  size);
    }
    tensor->values = out;
  }
  return Narrow(output, &tensor->values, count) &&
         SetShape(rows_, {}, output.shape, tensor);
}

// Rows of `width` values, the rest of each filled with the default. Row r has
// the values [offsets[r], offsets[r + 1]) times `per_offset`.
const void* Assembler::Pad(const Output& output, const int32_t* offsets,
                           size_t per_offset, size_t width,
                           const void* values) {
  const size_t size = DTypeSize(output.to);
  size_t count;
  if (!CheckedMul(rows_, width, &count)) return nullptr;
  uint8_t* const padded = AllocateValues(output.to, count);
  if (padded == nullptr) return nullptr;
  alignas(16) uint8_t fill[16] = {};
  if (output.from == DType::kBytes) new (fill) std::string_view();
  if (output.default_values != nullptr) {
    if (output.from == output.to) {
      std::memcpy(fill, output.default_values, size);
    } else {
      Convert(output.from, output.to, output.default_values, 1, fill);
    }
  }
  for (size_t row = 0; row < rows_; ++row) {
    const size_t begin = static_cast<size_t>(offsets[row]) * per_offset;
    const size_t end = static_cast<size_t>(offsets[row + 1]) * per_offset;
    const size_t kept = std::min(end - begin, width);
    uint8_t* out = padded + row * width * size;
    if (kept > 0) {
      std::memcpy(out, static_cast<const uint8_t*>(values) + begin * size,
                  kept * size);
    }
    Repeat(fill, size, width - kept, out + kept * size);
  }
  return padded;
}

bool Assembler::BuildSequence(const Output& output, const void* values,
                              Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  const size_t count = BuilderOf(output.slot).count;
  const size_t width = Longest(column.offsets, rows_);
  const size_t units[] = {width / output.elements};
  SetLists(output, values, count, tensor);
  tensor->num_values = rows_ * width;
  // Rows that are all of the same length are dense already.
  tensor->values = count == rows_ * width
                       ? values
                       : Pad(output, column.offsets, 1, width, values);
  return (tensor->values != nullptr || tensor->num_values == 0) &&
         SetShape(rows_, units, output.shape, tensor);
}

// Of a feature list every step has `elements` values.
bool Assembler::BuildListSequence(const Output& output, const void* values,
                                  Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  const size_t count = BuilderOf(output.slot).count;
  const size_t steps[] = {Longest(column.offsets, rows_)};
  const size_t width = steps[0] * output.elements;
  SetLists(output, values, count, tensor);
  auto* const lengths = Allocate<int64_t>(rows_);
  if (lengths == nullptr) return false;
  for (size_t row = 0; row < rows_; ++row) {
    lengths[row] = static_cast<int64_t>(RowCell(column, row).size);
  }
  tensor->lengths = {lengths, rows_};
  tensor->num_values = rows_ * width;
  tensor->values = count == rows_ * width ? values
                                          : Pad(output, column.offsets,
                                                output.elements, width, values);
  return (tensor->values != nullptr || tensor->num_values == 0) &&
         SetShape(rows_, steps, output.shape, tensor);
}

// ------------------------------------------------------------------------ COO

bool Assembler::BuildVarLen(const Output& output, Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  const size_t count = BuilderOf(output.slot).count;
  const void* values = column.values;
  if (!Narrow(output, &values, count)) return false;
  SetLists(output, values, count, tensor);
  tensor->values = values;
  tensor->num_values = count;
  if (output.pad_to > 0) {
    const size_t width[] = {output.pad_to};
    tensor->kind = TensorKind::kDense;
    tensor->num_values = rows_ * output.pad_to;
    tensor->values = Pad(output, column.offsets, 1, output.pad_to, values);
    return tensor->values != nullptr && SetShape(rows_, width, {}, tensor);
  }
  tensor->kind = TensorKind::kSparse;
  const size_t rank = output.in_sequence ? 3 : 2;
  auto* const indices = Allocate<int64_t>(count * rank);
  if (indices == nullptr) return false;
  int64_t* out = indices;
  size_t longest[2] = {Longest(column.offsets, rows_), 0};
  for (size_t row = 0; row < rows_; ++row) {
    const Cell cell = RowCell(column, row);
    if (!output.in_sequence) {
      for (size_t i = 0; i < cell.size; ++i) {
        *out++ = static_cast<int64_t>(row);
        *out++ = static_cast<int64_t>(i);
      }
      continue;
    }
    for (size_t step = 0; step < cell.size; ++step) {
      const int32_t* const step_offsets =
          column.step_offsets + cell.begin + step;
      const auto size = static_cast<size_t>(step_offsets[1] - step_offsets[0]);
      longest[1] = std::max(longest[1], size);
      for (size_t i = 0; i < size; ++i) {
        *out++ = static_cast<int64_t>(row);
        *out++ = static_cast<int64_t>(step);
        *out++ = static_cast<int64_t>(i);
      }
    }
  }
  tensor->indices = {indices, count * rank};
  return SetShape(rows_, std::span(longest).first(rank - 1), {}, tensor);
}

// Whether the values of each row are in the order of their indices.
bool Assembler::IsSorted(const Output& output, const int32_t* offsets) const {
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

bool Assembler::Precedes(const Output& output, uint32_t a, uint32_t b) const {
  for (const uint32_t slot : output.index_slots) {
    const auto* const indices =
        static_cast<const int64_t*>(ColumnOf(slot).values);
    if (indices[a] != indices[b]) return indices[a] < indices[b];
  }
  return false;
}

// Writes the coordinates, and the values in their order; equal coordinates keep
// the order they have (rule P3).
bool Assembler::SortSparse(const Output& output, const Column& column,
                           int64_t* indices, const void** values) {
  const size_t longest = Longest(column.offsets, rows_);
  auto* const order = Allocate<uint32_t>(longest);
  if (order == nullptr) return false;
  const bool sorted = output.already_sorted || IsSorted(output, column.offsets);
  const size_t size = DTypeSize(output.to);
  uint8_t* out_values = nullptr;
  if (!sorted) {
    out_values = AllocateValues(output.to, BuilderOf(output.slot).count);
    if (out_values == nullptr) return false;
  }
  const auto* const from = static_cast<const uint8_t*>(*values);
  if (!sorted) *values = out_values;
  for (size_t row = 0; row < rows_; ++row) {
    const Cell cell = RowCell(column, row);
    std::iota(order, order + cell.size, static_cast<uint32_t>(cell.begin));
    if (!sorted) {
      // Ties by place make any sort a stable one; std::stable_sort allocates.
      std::sort(order, order + cell.size, [&](uint32_t a, uint32_t b) {
        return Precedes(output, a, b) || (a < b && !Precedes(output, b, a));
      });
    }
    for (size_t i = 0; i < cell.size; ++i) {
      *indices++ = static_cast<int64_t>(row);
      for (const uint32_t slot : output.index_slots) {
        *indices++ =
            static_cast<const int64_t*>(ColumnOf(slot).values)[order[i]];
      }
      if (sorted) continue;
      std::memcpy(out_values, from + order[i] * size, size);
      out_values += size;
    }
  }
  return true;
}

bool Assembler::BuildSparse(const Output& output, Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  const size_t count = BuilderOf(output.slot).count;
  const size_t rank = 1 + output.index_slots.size();
  size_t coordinates;
  if (!CheckedMul(count, rank, &coordinates)) return false;
  auto* const indices = Allocate<int64_t>(coordinates);
  tensor->kind = TensorKind::kSparse;
  tensor->values = column.values;
  if (indices == nullptr || !Narrow(output, &tensor->values, count) ||
      !SortSparse(output, column, indices, &tensor->values)) {
    return false;
  }
  tensor->num_values = count;
  tensor->indices = {indices, coordinates};
  SetLists(output, tensor->values, count, tensor);
  return SetShape(rows_, {}, output.shape, tensor);
}

// --------------------------------------------------------------------- Ragged

bool Assembler::WidenSplits(const int32_t* offsets, size_t size, bool wide,
                            RowSplits* splits) {
  *splits = {offsets, size, wide};
  if (!wide) return true;
  auto* const out = Allocate<int64_t>(size);
  if (out == nullptr) return false;
  std::copy_n(offsets, size, out);
  splits->data = out;
  return true;
}

std::span<const int64_t> Assembler::PartitionOf(const Output& output,
                                                const plan::Cut& cut,
                                                size_t row, size_t step) const {
  if (cut.slot == plan::kNoSlot) return {};
  const Builder& builder = BuilderOf(cut.slot);
  const Cell cell = RowCell(ColumnOf(cut.slot), row);
  if (!output.in_sequence) return Int64s(builder, cell);
  return Int64s(builder, StepCell(builder, cell.begin + step));
}

// Calls on_cell(row, step, values) for the values of each row, or of each step.
template <class OnCell>
void Assembler::ForEachCell(const Output& output, OnCell&& on_cell) {
  const Column& column = ColumnOf(output.slot);
  for (size_t row = 0; row < rows_; ++row) {
    const Cell cell = RowCell(column, row);
    if (!output.in_sequence) {
      on_cell(row, size_t{0}, cell.size);
      continue;
    }
    for (size_t step = 0; step < cell.size; ++step) {
      on_cell(row, step,
              StepCell(BuilderOf(output.slot), cell.begin + step).size);
    }
  }
}

// Fills levels[0], the rows of each cell, and one level for each cut.
bool Assembler::CutRows(const Output& output, std::span<RowSplits> levels) {
  const size_t cuts = output.cuts.size();
  // counts[k]: rows that cut k makes; counts[cuts]: units of the innermost.
  auto* const counts = Allocate<size_t>(cuts + 1);
  auto* const totals = Allocate<size_t>(cuts + 1);
  if (counts == nullptr || totals == nullptr) return false;
  const auto count_cell = [&](size_t row, size_t step, size_t values) {
    CutCell(
        output, values,
        [&](const plan::Cut& cut) {
          return PartitionOf(output, cut, row, step);
        },
        [counts](size_t k, size_t rows) { counts[k] = rows; });
  };
  std::fill_n(totals, cuts + 1, size_t{0});
  size_t cells = 0;
  ForEachCell(output, [&](size_t row, size_t step, size_t values) {
    ++cells;
    count_cell(row, step, values);
    for (size_t k = 0; k <= cuts; ++k) totals[k] += counts[k];
  });

  auto* const writers = Allocate<SplitWriter>(cuts + 1);
  if (writers == nullptr) return false;
  const size_t split_size = output.int64_splits ? 8 : 4;
  for (size_t k = 0; k <= cuts; ++k) {
    const size_t size = (k == 0 ? cells : totals[k - 1]) + 1;
    void* const data = columns_->Allocate(size * split_size);
    if (data == nullptr) return false;
    new (&writers[k]) SplitWriter(data, output.int64_splits);
  }
  ForEachCell(output, [&](size_t row, size_t step, size_t values) {
    count_cell(row, step, values);
    writers[0].Append(writers[0].last() + static_cast<int64_t>(counts[0]));
    for (size_t k = 0; k < cuts; ++k) {
      const plan::Cut& cut = output.cuts[k];
      const int64_t base = writers[k + 1].last();
      ForEachLimit(cut, PartitionOf(output, cut, row, step), counts[k + 1],
                   counts[k],
                   [&](int64_t limit) { writers[k + 1].Append(base + limit); });
    }
  });
  for (size_t k = 0; k <= cuts; ++k) levels[k] = writers[k].splits();
  return true;
}

bool Assembler::BuildRagged(const Output& output, Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  tensor->kind = TensorKind::kRagged;
  tensor->values = column.values;
  tensor->num_values = BuilderOf(output.slot).count;
  if (!Narrow(output, &tensor->values, tensor->num_values)) return false;
  tensor->shape = output.uniform;
  const bool plain = output.cuts.empty() && output.uniform.empty();
  if (plain) {
    SetLists(output, tensor->values, tensor->num_values, tensor);
  }
  const size_t outer = output.in_sequence ? 1 : 0;
  const size_t num_levels = outer + 1 + output.cuts.size();
  auto* const levels = Allocate<RowSplits>(num_levels);
  if (levels == nullptr) return false;
  tensor->row_splits = {levels, num_levels};
  if (output.in_sequence && !WidenSplits(column.offsets, rows_ + 1,
                                         output.int64_splits, &levels[0])) {
    return false;
  }
  if (!plain) {
    return CutRows(output, {levels + outer, num_levels - outer});
  }
  return output.in_sequence
             ? WidenSplits(column.step_offsets, column.num_steps() + 1,
                           output.int64_splits, &levels[1])
             : WidenSplits(column.offsets, rows_ + 1, output.int64_splits,
                           &levels[0]);
}

bool Assembler::Build(const Output& output, Tensor* tensor) {
  const TensorField& field = program_.tensors()[output.field];
  tensor->name = field.feature.name;
  tensor->dtype = output.to;
  tensor->in_sequence = output.in_sequence;
  switch (output.layout) {
    case Layout::kFixedLen:
      return BuildFixedLen(output, tensor);
    case Layout::kFixedLenSequence: {
      const void* values = ColumnOf(output.slot).values;
      if (!Narrow(output, &values, BuilderOf(output.slot).count)) return false;
      return output.in_sequence ? BuildListSequence(output, values, tensor)
                                : BuildSequence(output, values, tensor);
    }
    case Layout::kVarLen:
      return BuildVarLen(output, tensor);
    case Layout::kSparse:
      return BuildSparse(output, tensor);
    case Layout::kRagged:
      break;
  }
  return BuildRagged(output, tensor);
}

}  // namespace

bool Assemble(const plan::Program& program, ColumnSet* columns,
              std::vector<Tensor>* tensors) {
  tensors->assign(program.outputs().size(), Tensor());
  Assembler assembler(program, columns);
  for (size_t i = 0; i < tensors->size(); ++i) {
    if (!assembler.Build(program.outputs()[i], &(*tensors)[i])) return false;
  }
  return true;
}

}  // namespace headrace::tensor
