// WritePadded writes rows of different sizes as the rows of a padded tensor.

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
  // Bytes of each padded row: longer rows are cut, shorter ones filled.
  size_t row_size = 0;
  const uint8_t* fill = nullptr;  // kFillSize bytes: one value, repeated
};
inline constexpr size_t kFillSize = 64;

// Bytes that WritePadded may read after the values, and overwrite after its
// output.
inline constexpr size_t kPaddingSlack = 64;

// Size of a tensor, in bytes, from which streaming stores pay. They do not read
// the old content first, which is faster only if no cache has it: tensors of
// this size mostly push each other out of the caches.
inline constexpr size_t kStreamSize = size_t{16} << 20;

// Writes the padded tensor to `out`, a multiple of 64. If `streams`, no cache
// holds the tensor afterwards.
void WritePadded(const Padding& padding, bool streams, uint8_t* out);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_PADDING_H_
