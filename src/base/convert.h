
#ifndef HEADRACE_SRC_BASE_CONVERT_H_
#define HEADRACE_SRC_BASE_CONVERT_H_

#include <cstddef>
#include <cstdint>

#include "headrace/types.h"

namespace headrace {

// The type on the wire of which Convert makes values of this type.
DType WireTypeOf(DType dtype);

// Finds the first of `count` values that `to` cannot hold, or gives `count`.
size_t FindUnfit(DType from, DType to, const void* values, size_t count);

// All `count` values fit `to`; narrower floats are rounded to even, NaNs stay
// NaNs, and a kBool is whether the integer is not 0. As kUint64 an int64 below
// 0 becomes the number of the same bits.
void Convert(DType from, DType to, const void* values, size_t count, void* out);

// Makes kBools of bytes as other programs write them: whether a byte is not 0.
void NormalizeBools(uint8_t* bools, size_t count);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_CONVERT_H_
