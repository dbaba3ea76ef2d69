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

// Of two findings about one row, the one that is reported (rule E2).
ErrorCode First(ErrorCode a, ErrorCode b) {
  if (a == ErrorCode::kOk || b == ErrorCode::kOk) {
    return a == ErrorCode::kOk ? b : a;
  }
  return std::min(a, b);
}

// What is made of a list without looking at it. Its tensor takes at most
// kPlainCost bytes for each byte of its column, and kPlainRowCost for each row.
bool IsPlain(const Output& output) {
  if (output.from != output.to) return false;
  if (output.layout == Layout::kVarLen) return output.pad_to == 0;
  return output.layout == Layout::kRagged && output.cuts.empty() &&
         output.uniform.empty();
}
constexpr double kPlainCost = 6;  // three coordinates for a float
constexpr double kPlainRowCost = 16;

// Decoded in place and never looked at again where it is filled.
bool IsDense(const plan::Program& program, const Output& output) {
  return output.from == output.to &&
         program.slots()[output.slot].form == plan::SlotForm::kDense;
}

// The open row, as row_rules.h looks at rows.
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

// Values of the longest row of a sequence, with the open one.
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
      (IsPlain(output) ? counted_ : checked_).push_back({.output = &output});
    }
  }
}

ErrorCode RowChecker::CheckOutput(const ColumnSet& columns, Checked* checked) {
  const OpenRow row(columns);
  checked->new_rows = 0;
  const Fault fault =
      CheckLayout(row, *checked->output,
                  [&](size_t, size_t rows) { checked->new_rows += rows; });
  return First(fault.code(), CheckRange(row, *checked->output).code());
}

// Bytes that the output's tensor takes besides its columns, with the open row.
// A double is exact enough, and products cannot overflow it.
double RowChecker::CostOf(const ColumnSet& columns, const Checked& checked) {
  const Output& output = *checked.output;
  const Builder& builder = columns.builder(output.slot);
  const double rows = columns.num_rows() + 1.0;
  const auto values = static_cast<double>(builder.count);
  const auto size = static_cast<double>(DTypeSize(output.to));
  const double narrowed = output.from != output.to ? 2 * values * size : 0;
  switch (output.layout) {
    case Layout::kFixedLen:
      return narrowed + rows * static_cast<double>(output.elements) * size;
    case Layout::kFixedLenSequence:
      return narrowed +
             rows * (static_cast<double>(LongestOf(columns, checked)) * size +
                     sizeof(int64_t));
    case Layout::kVarLen:
      return narrowed + (output.pad_to > 0
                             ? rows * static_cast<double>(output.pad_to) * size
                             : values * (output.in_sequence ? 24 : 16));
    case Layout::kSparse: {
      // The coordinates, and the values and their places while they are sorted.
      const auto rank = static_cast<double>(output.index_slots.size() + 1);
      return narrowed + values * (8 * rank + size + 4);
    }
    case Layout::kRagged:
      break;
  }
  const auto levels = static_cast<double>(output.cuts.size() + 2);
  return narrowed + 8 * (levels * rows +
                         static_cast<double>(checked.rows + checked.new_rows +
                                             builder.steps));
}

// What the tensors of the rows so far and of the open one take, or a little of
// the budget that is more. Infinite where one has too many rows.
double RowChecker::BytesOfTensors(const ColumnSet& columns) const {
  double bytes = 0;
  for (const Checked& checked : checked_) {
    if (checked.rows + checked.new_rows > kMaxRows) return HUGE_VAL;
    bytes += CostOf(columns, checked);
  }
  if (counted_.empty()) return bytes;
  const double bound = kPlainCost * static_cast<double>(columns.memory_used()) +
                       kPlainRowCost * (columns.num_rows() + 1.0) *
                           static_cast<double>(counted_.size());
  constexpr double kLittle = 0.125;
  if (bytes + bound <= kLittle * static_cast<double>(columns.memory_left())) {
    return bytes + bound;
  }
  for (const Checked& counted : counted_) bytes += CostOf(columns, counted);
  return bytes;
}

// Dense tensors grow with the longest row, and row ids of few bytes name
// billions of rows, so whether the tensors fit has to be known before a row is
// taken.
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
  // Arrays do not fill chunks without a rest, which is less than the array that
  // follows, so they need twice their bytes; a row alone may try.
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
