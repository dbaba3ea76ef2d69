// Builds ragged tensors: values and row splits.

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>

#include "src/decode/tensor/assembler.h"
#include "src/decode/tensor/cell.h"
#include "src/decode/tensor/ragged_rules.h"

namespace headrace::tensor {
namespace {

// Writes row splits as int32 or int64, whichever the output has.
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

}  // namespace

bool Assembler::WidenSplits(const int32_t* offsets, size_t size, bool wide,
                            RowSplits* splits) {
  *splits = {offsets, size, wide};
  if (!wide) return true;
  auto* const out = static_cast<int64_t*>(AllocateOut(size * sizeof(int64_t)));
  if (out == nullptr) return false;
  std::copy_n(offsets, size, out);
  splits->data = out;
  return true;
}

std::span<const int64_t> Assembler::PartitionOf(const plan::Output& output,
                                                const plan::Cut& cut,
                                                size_t row, size_t step) const {
  if (cut.slot == plan::kNoSlot) return {};
  const column::Builder& builder = BuilderOf(cut.slot);
  const Cell cell = RowCell(ColumnOf(cut.slot), row);
  if (!output.in_sequence) return Int64s(builder, cell);
  return Int64s(builder, StepCell(builder, cell.begin + step));
}

// Calls on_cell(row, step, values) once per row, or per step.
template <class OnCell>
void Assembler::ForEachCell(const plan::Output& output, OnCell&& on_cell) {
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

// Returns the shape of the array in value number `i` of the row.
ArrayShape Assembler::ArrayOf(const plan::Output& output, size_t row,
                              size_t i) const {
  const plan::RaggedShape& shape = output.ragged;
  if (output.item_shape_slot != plan::kNoSlot) {
    const Cell numbers = RowCell(ColumnOf(output.item_shape_slot), row);
    return {shape,
            ShapeNumbers(output,
                         Int64s(BuilderOf(output.item_shape_slot), numbers), i),
            /*derived=*/0};
  }
  if (!shape.has_unknown_arrays) return {shape, {}, /*derived=*/0};
  const Column& column = ColumnOf(output.slot);
  if (dimensions_ != nullptr) {
    const size_t rank = shape.dimensions.size() - shape.array_begin;
    return {shape, DimensionsOf(RowCell(column, row).begin + i, rank),
            /*derived=*/0};
  }
  const auto* const values =
      static_cast<const std::string_view*>(column.values);
  return {
      shape,
      {},
      values[RowCell(column, row).begin + i].size() / ArrayUnit(output, {})};
}

// Appends the splits of the levels that partitions and lengths cut. counts[k]
// is the number of rows, or items, of level k in the cell.
template <class Writers>
void Assembler::AppendCell(const plan::Output& output, size_t row, size_t step,
                           size_t values, const size_t* counts,
                           Writers* writers) const {
  const plan::RaggedShape& shape = output.ragged;
  const size_t levels = std::min(shape.num_levels, shape.array_begin);
  if (levels == 0) return;
  writers[0].Append(writers[0].last() + static_cast<int64_t>(counts[0]));
  for (size_t k = 1; k < levels; ++k) {
    const int64_t base = writers[k].last();
    if (k <= output.cuts.size()) {
      const plan::Cut& cut = output.cuts[k - 1];
      ForEachLimit(cut, PartitionOf(output, cut, row, step), counts[k],
                   counts[k - 1],
                   [&](int64_t limit) { writers[k].Append(base + limit); });
      continue;
    }
    const auto length =
        static_cast<int64_t>(LengthOf(shape, k, DerivedLength(shape, values)));
    for (size_t i = 0; i < counts[k - 1]; ++i) {
      writers[k].Append(writers[k].last() + length);
    }
  }
}

// Appends the splits of the levels of arrays. In each dimension of an array all
// rows have the same length.
template <class Writers>
void Assembler::AppendArrays(const plan::Output& output, size_t row,
                             size_t values, Writers* writers) const {
  const plan::RaggedShape& shape = output.ragged;
  for (size_t value = 0; value < values; ++value) {
    const ArrayShape array = ArrayOf(output, row, value);
    for (size_t k = shape.array_begin; k < shape.num_levels; ++k) {
      const size_t i = k - shape.array_begin;
      const auto length = static_cast<int64_t>(array[i]);
      for (size_t rows = array.Product(i); rows > 0; --rows) {
        writers[k].Append(writers[k].last() + length);
      }
    }
  }
}

// Makes the splits of all levels from two passes over the cells: the first one
// counts, the second one writes. levels[0] has the rows of each cell.
bool Assembler::CutRows(const plan::Output& output,
                        std::span<RowSplits> levels) {
  const plan::RaggedShape& shape = output.ragged;
  const size_t num_levels = shape.num_levels;
  // counts[k] is the number of rows of level k in a cell, totals[k] in the
  // batch.
  auto* const counts = Allocate<size_t>(num_levels);
  auto* const totals = Allocate<size_t>(num_levels);
  if (counts == nullptr || totals == nullptr) return false;
  const auto count_cell = [&](size_t row, size_t step, size_t values) {
    CutCell(
        output, values,
        [&](const plan::Cut& cut) {
          return PartitionOf(output, cut, row, step);
        },
        [counts](size_t k, size_t rows) { counts[k] = rows; });
  };
  std::fill_n(totals, num_levels, size_t{0});
  size_t cells = 0;
  ForEachCell(output, [&](size_t row, size_t step, size_t values) {
    ++cells;
    count_cell(row, step, values);
    for (size_t k = 0; k < std::min(num_levels, shape.array_begin); ++k) {
      totals[k] += counts[k];
    }
    for (size_t value = 0; value < values && num_levels > shape.array_begin;
         ++value) {
      const ArrayShape array = ArrayOf(output, row, value);
      for (size_t k = shape.array_begin; k < num_levels; ++k) {
        totals[k] += array.Product(k + 1 - shape.array_begin);
      }
    }
  });

  auto* const writers = Allocate<SplitWriter>(num_levels);
  if (writers == nullptr) return false;
  const size_t split_size = output.int64_splits ? 8 : 4;
  for (size_t k = 0; k < num_levels; ++k) {
    const size_t size = (k == 0 ? cells : totals[k - 1]) + 1;
    void* const data = columns_->Allocate(size * split_size);
    if (data == nullptr) return false;
    new (&writers[k]) SplitWriter(data, output.int64_splits);
  }
  ForEachCell(output, [&](size_t row, size_t step, size_t values) {
    count_cell(row, step, values);
    AppendCell(output, row, step, values, counts, writers);
    if (num_levels > shape.array_begin) {
      AppendArrays(output, row, values, writers);
    }
  });
  for (size_t k = 0; k < num_levels; ++k) levels[k] = writers[k].splits();
  return true;
}

bool Assembler::BuildRagged(const plan::Output& output, Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  tensor->kind = TensorKind::kRagged;
  tensor->values = column.values;
  tensor->num_values = BuilderOf(output.slot).count;
  if (output.reinterpret && !Reinterpret(output, tensor)) return false;
  if (!Narrow(output, &tensor->values, tensor->num_values,
              /*is_finished=*/true)) {
    return false;
  }
  tensor->shape = output.ragged.item();
  const bool plain = output.ragged.is_plain();
  if (plain) {
    SetLists(output, tensor->values, tensor->num_values, tensor);
  }
  const size_t outer = output.in_sequence || grid_ != nullptr ? 1 : 0;
  const size_t num_levels = outer + output.ragged.num_levels;
  auto* const levels = Allocate<RowSplits>(num_levels);
  if (levels == nullptr) return false;
  tensor->row_splits = {levels, num_levels};
  if (grid_ != nullptr) {
    const int32_t* const offsets = ListOffsets();
    if (offsets == nullptr || !WidenSplits(offsets, grid_->ends.size(),
                                           output.int64_splits, &levels[0])) {
      return false;
    }
  }
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
                           &levels[outer]);
}

}  // namespace headrace::tensor
