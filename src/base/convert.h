
#ifndef HEADRACE_SRC_BASE_CONVERT_H_
#define HEADRACE_SRC_BASE_CONVERT_H_

#include <cstddef>

#include "headrace/types.h"

namespace headrace {

// Finds the first of `count` values that `to` cannot hold, or gives `count`.
size_t FindUnfit(DType from, DType to, const void* values, size_t count);

// All `count` values fit `to`; floats are rounded to even, NaNs stay NaNs.
void Convert(DType from, DType to, const void* values, size_t count, void* out);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_CONVERT_H_
