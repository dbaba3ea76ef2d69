// Converts values from their type on the wire to the dtype of a column.

#ifndef HEADRACE_SRC_BASE_CONVERT_H_
#define HEADRACE_SRC_BASE_CONVERT_H_

#include <cstddef>
#include <cstdint>

#include "headrace/types.h"

namespace headrace {

// Returns the type on the wire from which Convert makes values of this type.
DType WireTypeOf(DType dtype);

// Returns the index of the first value that `to` cannot hold, or `count`.
size_t FindUnfit(DType from, DType to, const void* values, size_t count);

// Converts `count` values, all of which fit `to`. Narrower floats are rounded
// to nearest, ties to even; NaNs stay NaNs; a kBool is true if the integer is
// not 0. An int64 below 0 becomes the kUint64 with the same bits.
void Convert(DType from, DType to, const void* values, size_t count, void* out);

// Turns bytes that other programs wrote into kBools: true if not 0.
void NormalizeBools(uint8_t* bools, size_t count);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_CONVERT_H_
