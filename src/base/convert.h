// Conversions of numbers to narrower types.

#ifndef HEADRACE_SRC_BASE_CONVERT_H_
#define HEADRACE_SRC_BASE_CONVERT_H_

#include <cstddef>

#include "headrace/types.h"

namespace headrace {

// The first of `count` values of type `from` that `to` cannot hold, or `count`.
size_t FindUnfit(DType from, DType to, const void* values, size_t count);

// Writes `count` values of type `to`, which all fit; floats are rounded to
// even. NaNs stay NaNs.
void Convert(DType from, DType to, const void* values, size_t count, void* out);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_CONVERT_H_
