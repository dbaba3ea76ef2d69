// WritePadded makes rows of different sizes the rows of a padded tensor.

#ifndef HEADRACE_SRC_DECODE_TENSOR_PADDING_H_
#define HEADRACE_SRC_DECODE_TENSOR_PADDING_H_

#include <cstddef>
#include <cstdint>

namespace headrace::tensor {

struct Padding {
  // Row r has the units [offsets[r], offsets[r + 1]).
  const int32_t* offsets = nullptr;
  size_t rows = 0;
  size_t unit_size = 0;  // bytes
  const uint8_t* values = nullptr;
  // Rows have this many bytes afterwards: what is longer is cut, what is
  // shorter filled.
  size_t row_size = 0;
  const uint8_t* fill = nullptr;  // kFillSize bytes: a value again and again
};
inline constexpr size_t kFillSize = 64;

// WritePadded may read so many bytes behind the values, and overwrite as many
// behind what it writes.
inline constexpr size_t kPaddingSlack = 64;

// Stores that do not read what was there before are faster only where that is
// no longer in any cache: tensors of this size mostly push each other out.
inline constexpr size_t kStreamSize = size_t{16} << 20;

// `out` is a multiple of 64. Where it `streams`, the tensor is in no cache
// afterwards.
void WritePadded(const Padding& padding, bool streams, uint8_t* out);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_PADDING_H_
