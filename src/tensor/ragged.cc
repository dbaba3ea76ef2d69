// Ragged tensors have values and row splits.

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>

#include "src/tensor/assembler.h"
#include "src/tensor/cell.h"
#include "src/tensor/row_rules.h"

namespace headrace::tensor {
namespace {

// Row splits are int32 or int64, as the output asks.
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
  auto* const out = Allocate<int64_t>(size);
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

// levels[0] gets the rows of each cell; each cut has a level of its own.
bool Assembler::CutRows(const plan::Output& output,
                        std::span<RowSplits> levels) {
  const size_t cuts = output.cuts.size();
  // counts[k] is how many rows cut k makes, counts[cuts] units of the
  // innermost.
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

bool Assembler::BuildRagged(const plan::Output& output, Tensor* tensor) {
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

}  // namespace headrace::tensor
