// Casts values of records, and results of functions, to the type of a group
// (rule B4). src/base/convert.h converts values to the type of a tensor, which
// never turns integers into floats.

#ifndef HEADRACE_SRC_PLAN_FUNCTION_CAST_H_
#define HEADRACE_SRC_PLAN_FUNCTION_CAST_H_

#include <cstddef>
#include <cstdint>

#include "headrace/types.h"

namespace headrace::function {

// Returns whether values of `from`, kInt64 or kFloat, may be cast to `to`: no
// floats to integers, and nothing to bytes.
bool CanCast(DType from, DType to);

// Returns the index of the first value that `to` cannot hold, or `count`. An
// integer type holds its range, kBool every integer, a float all but finite
// numbers that would become infinite. If `exact`, a float holds only integers
// that it does not round.
size_t FindUncastable(DType from, DType to, bool exact, const void* values,
                      size_t count);

// Casts `count` values. Integers are rounded to floats to nearest, ties to
// even; to 16-bit floats by way of kFloat, so they are rounded twice. Integers
// must fit an integer type; finite numbers that a 16-bit float cannot hold
// become infinite.
void Cast(DType from, DType to, const void* values, size_t count, void* out);

}  // namespace headrace::function

#endif  // HEADRACE_SRC_PLAN_FUNCTION_CAST_H_
