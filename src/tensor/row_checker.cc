#include "src/tensor/row_checker.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "src/base/checked_math.h"
#include "src/base/convert.h"
#include "src/tensor/cell.h"
#include "src/tensor/partition.h"

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

// Decoded in place and never looked at again.
bool IsDone(const plan::Program& program, const Output& output) {
  return output.from == output.to &&
         program.slots()[output.slot].form == plan::SlotForm::kDense;
}

// The partitions of a row, or of step `step` of it.
std::span<const int64_t> PartitionOf(const ColumnSet& columns,
                                     const plan::Cut& cut, bool in_sequence,
                                     size_t step) {
  if (cut.slot == plan::kNoSlot) return {};
  const Builder& builder = columns.builder(cut.slot);
  if (!in_sequence) return Int64s(builder, OpenCell(columns, builder));
  return Int64s(builder,
                StepCell(builder, OpenSteps(columns, builder).begin + step));
}

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
  checked_.clear();
  counted_.clear();
  for (const Output& output : program.outputs()) {
    if (IsDone(program, output)) continue;
    (IsPlain(output) ? counted_ : checked_).push_back({.output = &output});
  }
}

ErrorCode RowChecker::CheckFixedLen(const ColumnSet& columns,
                                    const Output& output) const {
  const Builder& builder = columns.builder(output.slot);
  if (builder.form == plan::SlotForm::kDense) return ErrorCode::kOk;
  const CellState state = columns.state(builder);
  const bool is_there = state == CellState::kTyped ||
                        (state == CellState::kUnset && output.unset_is_empty);
  if (!is_there) {
    return output.default_values != nullptr ? ErrorCode::kOk
                                            : ErrorCode::kMissingFeature;
  }
  const Cell cell = OpenCell(columns, builder);
  if (!output.reinterpret) {
    return cell.size == output.elements ? ErrorCode::kOk
                                        : ErrorCode::kWrongCount;
  }
  if (cell.size != 1) return ErrorCode::kWrongCount;
  const auto* const values =
      reinterpret_cast<const std::string_view*>(builder.values);
  return values[cell.begin].size() == output.elements * DTypeSize(output.to)
             ? ErrorCode::kOk
             : ErrorCode::kWrongCount;
}

ErrorCode RowChecker::CheckSequence(const ColumnSet& columns,
                                    const Output& output) const {
  const Builder& builder = columns.builder(output.slot);
  if (!output.in_sequence) {
    return OpenCell(columns, builder).size % output.elements == 0
               ? ErrorCode::kOk
               : ErrorCode::kWrongCount;
  }
  if (!columns.HasCell(builder) && !output.allow_missing) {
    return ErrorCode::kMissingFeature;
  }
  const Cell steps = OpenSteps(columns, builder);
  for (size_t i = 0; i < steps.size; ++i) {
    if (StepCell(builder, steps.begin + i).size != output.elements) {
      return ErrorCode::kWrongCount;
    }
  }
  return ErrorCode::kOk;
}

ErrorCode RowChecker::CheckSparse(const ColumnSet& columns,
                                  const Output& output) const {
  const size_t size = OpenCell(columns, columns.builder(output.slot)).size;
  for (size_t i = 0; i < output.index_slots.size(); ++i) {
    const Builder& builder = columns.builder(output.index_slots[i]);
    const Cell cell = OpenCell(columns, builder);
    if (cell.size != size) return ErrorCode::kBadSparseIndex;
    if (!output.check_indices) continue;
    const int64_t bound = output.shape[i];
    for (const int64_t index : Int64s(builder, cell)) {
      if (index < 0 || (bound >= 0 && index >= bound)) {
        return ErrorCode::kBadSparseIndex;
      }
    }
  }
  return ErrorCode::kOk;
}

ErrorCode RowChecker::CheckRagged(const ColumnSet& columns, Checked* checked) {
  const Output& output = *checked->output;
  checked->new_rows = 0;
  if (output.cuts.empty() && output.uniform.empty()) return ErrorCode::kOk;
  const Builder& values = columns.builder(output.slot);
  const Cell steps = output.in_sequence ? OpenSteps(columns, values)
                                        : Cell{.begin = 0, .size = 1};
  for (const plan::Cut& cut : output.cuts) {
    if (output.in_sequence && cut.slot != plan::kNoSlot &&
        OpenSteps(columns, columns.builder(cut.slot)).size != steps.size) {
      return ErrorCode::kBadPartition;
    }
  }
  for (size_t i = 0; i < steps.size; ++i) {
    size_t inner = output.in_sequence ? StepCell(values, steps.begin + i).size
                                      : OpenCell(columns, values).size;
    if (inner % output.uniform_product != 0) return ErrorCode::kBadPartition;
    inner /= output.uniform_product;
    checked->new_rows += inner;
    for (size_t k = output.cuts.size(); k-- > 0;) {
      const plan::Cut& cut = output.cuts[k];
      const auto partition = PartitionOf(columns, cut, output.in_sequence, i);
      if (!CountRows(cut, partition, inner, &inner)) {
        return ErrorCode::kBadPartition;
      }
      checked->new_rows += inner;
    }
  }
  return ErrorCode::kOk;
}

ErrorCode RowChecker::CheckOutput(const ColumnSet& columns, Checked* checked) {
  const Output& output = *checked->output;
  ErrorCode code = ErrorCode::kOk;
  switch (output.layout) {
    case Layout::kFixedLen:
      code = CheckFixedLen(columns, output);
      break;
    case Layout::kFixedLenSequence:
      code = CheckSequence(columns, output);
      break;
    case Layout::kVarLen:
      if (output.pad_to > 0 && !output.truncate &&
          OpenCell(columns, columns.builder(output.slot)).size >
              output.pad_to) {
        code = ErrorCode::kWrongCount;
      }
      break;
    case Layout::kSparse:
      code = CheckSparse(columns, output);
      break;
    case Layout::kRagged:
      code = CheckRagged(columns, checked);
      break;
  }
  if (output.from == output.to || output.from == DType::kBytes) return code;
  const Builder& builder = columns.builder(output.slot);
  const Cell cell = OpenCell(columns, builder);
  if (FindUnfit(output.from, output.to,
                builder.values + cell.begin * DTypeSize(output.from),
                cell.size) < cell.size) {
    code = First(code, ErrorCode::kWrongKind);
  }
  return code;
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
ErrorCode RowChecker::Check(ColumnSet* columns, ErrorCode pending) {
  for (Checked& checked : checked_) {
    pending = First(pending, CheckOutput(*columns, &checked));
  }
  if (pending != ErrorCode::kOk) return pending;
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
