// These functions write the coordinates of the values of lists: the place of
// each value in a sparse tensor whose first dimension is the rows.

#ifndef HEADRACE_SRC_DECODE_TENSOR_COORDINATES_H_
#define HEADRACE_SRC_DECODE_TENSOR_COORDINATES_H_

#include <cstddef>
#include <cstdint>

namespace headrace::tensor {

// Number of integers after the output that may be overwritten.
inline constexpr size_t kCoordinateSlack = 8;

// Row r has the values [offsets[r], offsets[r + 1]). Writes for each value its
// row and its place in the row.
void WriteCoordinates(const int32_t* offsets, size_t rows, int64_t* out);

// Row r has the steps [offsets[r], offsets[r + 1]), and step s the values
// [step_offsets[s], step_offsets[s + 1]). Writes for each value its row, its
// step in the row, and its place in the step. Returns the size of the longest
// step.
size_t WriteStepCoordinates(const int32_t* offsets, const int32_t* step_offsets,
                            size_t rows, int64_t* out);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_COORDINATES_H_
