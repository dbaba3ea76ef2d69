#include "src/tensor/row_checker.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "src/tensor/cell.h"
#include "src/tensor/row_rules.h"

namespace headrace::tensor {
namespace {

using column::Builder;
using column::CellState;
using column::ColumnSet;
using plan::Output;

// Of two errors of one row, rule E2 says which is reported.
ErrorCode First(ErrorCode a, ErrorCode b) {
  if (a == ErrorCode::kOk || b == ErrorCode::kOk) {
    return a == ErrorCode::kOk ? b : a;
  }
  return std::min(a, b);
}

// Nothing can be wrong with a row of such an output.
bool TakesAnyRow(const Output& output) {
  if (output.from != output.to) return false;
  if (output.layout == Layout::kVarLen) {
    return output.pad_to == 0 || output.truncate;
  }
  return output.layout == Layout::kRagged && output.cuts.empty() &&
         output.uniform.empty();
}

// A dense output is decoded in place; once filled it is never looked at again.
bool IsDense(const plan::Program& program, const Output& output) {
  return output.from == output.to &&
         program.slots()[output.slot].form == plan::SlotForm::kDense;
}

// row_rules.h looks at the open row through an OpenRow.
class OpenRow {
 public:
  explicit OpenRow(const ColumnSet& columns) : columns_(columns) {}

  CellState Find(uint32_t slot) const {
    return columns_.state(columns_.builder(slot));
  }
  size_t Steps(uint32_t slot) const {
    return OpenSteps(columns_, columns_.builder(slot)).size;
  }
  Values ValuesOf(uint32_t slot, size_t step) const {
    const Builder& builder = columns_.builder(slot);
    const Cell cell = CellOf(builder, step);
    return {builder.values + cell.begin * column::ValueSize(builder.kind),
            cell.size};
  }
  // Most lists have no such step, so all are looked at without a branch first.
  size_t FindOtherStep(uint32_t slot, size_t size) const {
    const Builder& builder = columns_.builder(slot);
    const Cell steps = OpenSteps(columns_, builder);
    if (steps.size == 0) return 0;
    const int32_t* const offsets = builder.step_offsets + steps.begin;
    const auto size_at = [offsets](size_t step) {
      return static_cast<uint32_t>(offsets[step + 1] - offsets[step]);
    };
    const auto wanted = static_cast<uint32_t>(size);
    uint32_t differs = wanted != size;
    for (size_t i = 0; i < steps.size; ++i) differs |= size_at(i) ^ wanted;
    if (differs == 0) return steps.size;
    size_t step = 0;
    while (step < steps.size && size_at(step) == size) ++step;
    return step;
  }
  size_t BytesIn(uint32_t slot) const {
    const Builder& builder = columns_.builder(slot);
    const auto* const values =
        reinterpret_cast<const std::string_view*>(builder.values);
    return values[OpenCell(columns_, builder).begin].size();
  }

 private:
  Cell CellOf(const Builder& builder, size_t step) const {
    if (builder.form != plan::SlotForm::kSteps) {
      return OpenCell(columns_, builder);
    }
    return StepCell(builder, OpenSteps(columns_, builder).begin + step);
  }

  const ColumnSet& columns_;
};

}  // namespace

// The open row counts, too.
uint64_t RowChecker::LongestOf(const ColumnSet& columns,
                               const Checked& checked) {
  const Output& output = *checked.output;
  if (output.layout != Layout::kFixedLenSequence) return 0;
  const Builder& builder = columns.builder(output.slot);
  const size_t open = output.in_sequence
                          ? OpenSteps(columns, builder).size * output.elements
                          : OpenCell(columns, builder).size;
  return std::max<uint64_t>(checked.longest, open);
}

void RowChecker::Start(const plan::Program& program) {
  dense_.clear();
  checked_.clear();
  counted_.clear();
  for (const Output& output : program.outputs()) {
    if (IsDense(program, output)) {
      dense_.push_back(&output);
    } else {
      (TakesAnyRow(output) ? counted_ : checked_)
          .push_back({.output = &output});
    }
  }
  most_counted_growths_ = 0;
  LookAfter(checked_.empty() && counted_.empty() ? kNoRow : kEveryRow);
}

ErrorCode RowChecker::CheckOutput(const ColumnSet& columns, Checked* checked) {
  const OpenRow row(columns);
  checked->new_rows = 0;
  const Fault fault =
      CheckLayout(row, *checked->output,
                  [&](size_t, size_t rows) { checked->new_rows += rows; });
  return First(fault.code(), CheckRange(row, *checked->output).code());
}

RowChecker::Extent RowChecker::ExtentOf(const ColumnSet& columns,
                                        const Checked& checked) {
  const Builder& builder = columns.builder(checked.output->slot);
  return {.rows = columns.num_rows() + 1.0,
          .values = static_cast<double>(columns.Count(builder)),
          .steps = static_cast<double>(builder.steps),
          .longest = static_cast<double>(LongestOf(columns, checked))};
}

// An extent of any rows for which the columns need not grow.
RowChecker::Extent RowChecker::RoomOf(const ColumnSet& columns,
                                      const Checked& checked) {
  const Builder& builder = columns.builder(checked.output->slot);
  return {.rows = static_cast<double>(columns.row_capacity()),
          .values = static_cast<double>(builder.capacity),
          .steps = static_cast<double>(builder.step_capacity)};
}

// The output's tensor takes these bytes besides its columns. A double is exact
// enough, and products cannot overflow it.
double RowChecker::CostOf(const Checked& checked, const Extent& extent) {
  const Output& output = *checked.output;
  const auto [rows, values, steps, longest] = extent;
  const auto size = static_cast<double>(DTypeSize(output.to));
  const double narrowed = output.from != output.to ? 2 * values * size : 0;
  switch (output.layout) {
    case Layout::kFixedLen:
      return narrowed + rows * static_cast<double>(output.elements) * size;
    case Layout::kFixedLenSequence:
      return narrowed + rows * (longest * size + sizeof(int64_t));
    case Layout::kVarLen:
      return narrowed + (output.pad_to > 0
                             ? rows * static_cast<double>(output.pad_to) * size
                             : values * (output.in_sequence ? 24 : 16));
    case Layout::kSparse: {
      // Sorting needs the coordinates, the values and their places.
      const auto rank = static_cast<double>(output.index_slots.size() + 1);
      return narrowed + values * (8 * rank + size + 4);
    }
    case Layout::kRagged:
      break;
  }
  const auto levels = static_cast<double>(output.cuts.size() + 2);
  return narrowed + 8 * (levels * rows + steps +
                         static_cast<double>(checked.rows + checked.new_rows));
}

// Gives what the tensors take with the open row, or a larger number that is
// still a small part of the budget. HUGE_VAL means too many rows.
double RowChecker::BytesOfTensors(const ColumnSet& columns) {
  double bytes = 0;
  for (const Checked& checked : checked_) {
    if (checked.rows + checked.new_rows > kMaxRows) return HUGE_VAL;
    bytes += CostOf(checked, ExtentOf(columns, checked));
  }
  if (counted_.empty()) return bytes;
  if (most_counted_growths_ != columns.num_growths()) {
    most_counted_growths_ = columns.num_growths();
    most_counted_ = 0;
    for (const Checked& counted : counted_) {
      most_counted_ += CostOf(counted, RoomOf(columns, counted));
    }
  }
  constexpr double kLittle = 0.125;
  if (bytes + most_counted_ <=
      kLittle * static_cast<double>(columns.memory_left())) {
    // Until the columns grow this is enough for any rows.
    if (checked_.empty()) LookAfter(columns.num_growths());
    return bytes + most_counted_;
  }
  for (const Checked& counted : counted_) {
    bytes += CostOf(counted, ExtentOf(columns, counted));
  }
  return bytes;
}

// Dense tensors grow with the longest row, and a few bytes of row ids name
// billions of rows. So whether tensors fit must be known before a row is taken.
ErrorCode RowChecker::Check(ColumnSet* columns, bool dense_are_filled) {
  ErrorCode code = ErrorCode::kOk;
  if (!dense_are_filled) {
    for (const Output* output : dense_) {
      code = First(code, CheckFixedLen(OpenRow(*columns), *output).code());
    }
  }
  for (Checked& checked : checked_) {
    code = First(code, CheckOutput(*columns, &checked));
  }
  if (code != ErrorCode::kOk) return code;
  const double bytes = BytesOfTensors(*columns);
  // A chunk's rest that is too small for the next array is lost, so arrays may
  // need twice their bytes; a batch's only row may try with less.
  const auto left = static_cast<double>(columns->memory_left());
  if (bytes > left || (2 * bytes > left && columns->num_rows() > 0)) {
    return ErrorCode::kLimit;
  }
  columns->KeepMemory(static_cast<uint64_t>(std::min(2 * bytes, left)));
  for (Checked& checked : checked_) {
    checked.rows += checked.new_rows;
    checked.longest = LongestOf(*columns, checked);
  }
  return ErrorCode::kOk;
}

}  // namespace headrace::tensor
