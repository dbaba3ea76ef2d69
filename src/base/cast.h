// Casts values of records to the type of a group of features (rule B4 of
// docs/semantics.md). convert.h converts values to the type of a tensor, which
// never turns integers into floats.

#ifndef HEADRACE_SRC_BASE_CAST_H_
#define HEADRACE_SRC_BASE_CAST_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "headrace/types.h"

namespace headrace {

// Returns whether values of `from`, kInt64 or kFloat, may be cast to `to`: no
// floats to integers, and nothing to bytes.
bool CanCast(DType from, DType to);

// Returns the index of the first value that `to` cannot hold, or `count`. An
// integer type holds its range, kBool every integer, a float all but finite
// numbers that would become infinite. If `exact`, a float holds only integers
// that it does not round.
size_t FindUncastable(DType from, DType to, bool exact, const void* values,
                      size_t count);

// Returns whether FindUncastable finds none, whatever the values are.
bool CastsAll(DType from, DType to, bool exact);

// A range of values that a type holds. It always holds infinities and NaNs.
struct CastRange {
  bool is_of_floats = false;
  int64_t least = 0;  // of integers
  int64_t most = 0;
  float limit = 0;  // of floats: every smaller magnitude fits

  bool Holds(int64_t value) const { return value >= least && value <= most; }
  bool Holds(float value) const {
    const float magnitude = std::fabs(value);
    return !(magnitude >= limit) || std::isinf(magnitude);
  }
};

// Returns the range of values that FindUncastable accepts; empty if they are
// no range.
std::optional<CastRange> RangeOf(DType from, DType to, bool exact);

// Rounds `count` integers to the nearest floats, ties to even. `values` and
// `out` must not overlap.
void RoundToFloat(const int64_t* values, size_t count, float* out);

// Casts `count` values. Integers are rounded to floats to nearest, ties to
// even; to 16-bit floats by way of kFloat, so they are rounded twice. Integers
// must fit an integer type; finite numbers that a 16-bit float cannot hold
// become infinite. `values` and `out` must not overlap.
void Cast(DType from, DType to, const void* values, size_t count, void* out);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_CAST_H_
