// A Cell is the part of a slot's column that belongs to one row, or to one
// step.

#ifndef HEADRACE_SRC_DECODE_TENSOR_CELL_H_
#define HEADRACE_SRC_DECODE_TENSOR_CELL_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/decode/column/column_set.h"

namespace headrace::tensor {

// The values, or the steps, [begin, begin + size) of a builder.
struct Cell {
  size_t begin = 0;
  size_t size = 0;
};

inline std::span<const int64_t> Int64s(const column::Builder& builder,
                                       Cell cell) {
  if (cell.size == 0) return {};
  return {reinterpret_cast<const int64_t*>(builder.values) + cell.begin,
          cell.size};
}

// Returns the values of a step. Steps are numbered across the batch, not from
// the beginning of their row.
inline Cell StepCell(const column::Builder& builder, size_t step) {
  const auto begin = static_cast<size_t>(builder.step_offsets[step]);
  const auto end = static_cast<size_t>(builder.step_offsets[step + 1]);
  return {begin, end - begin};
}

// Return the values, or the steps, of the open row.
inline Cell OpenCell(const column::ColumnSet& columns,
                     const column::Builder& builder) {
  const size_t count = columns.Count(builder);
  if (!columns.HasCell(builder)) return {count, 0};
  const size_t begin = columns.CountBefore(builder);
  return {begin, count - begin};
}
inline Cell OpenSteps(const column::ColumnSet& columns,
                      const column::Builder& builder) {
  if (!columns.HasCell(builder)) return {builder.steps, 0};
  const size_t begin = columns.StepsBefore(builder);
  return {begin, builder.steps - begin};
}

// Returns the values of a row of a sealed column; for a feature list, its
// steps.
inline Cell RowCell(const Column& column, size_t row) {
  const auto begin = static_cast<size_t>(column.offsets[row]);
  return {begin, static_cast<size_t>(column.offsets[row + 1]) - begin};
}

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_CELL_H_
