// Functions of numbers, value by value. They never fail and return the same
// bits on all processors.

#ifndef HEADRACE_SRC_PLAN_FUNCTION_NUMBER_FUNCTIONS_H_
#define HEADRACE_SRC_PLAN_FUNCTION_NUMBER_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace headrace::function {

// Each function stores values.size() results in `out`, which may be the values
// themselves where the types are the same.

// Counts the boundaries that are not above the value; all of them for NaN.
// Boundaries ascend.
void BucketizeFloats(std::span<const float> values,
                     std::span<const float> boundaries, int64_t* out);

// x < lo ? lo : x > hi ? hi : x. Values between the two keep their bits, and so
// do NaNs; lo <= hi.
void ClipFloats(std::span<const float> values, float lo, float hi, float* out);
void ClipInts(std::span<const int64_t> values, int64_t lo, int64_t hi,
              int64_t* out);

// Rounds a float64 approximation of log(1 + x) once. It is the nearest float
// but for seven values of x, where it is the float on the other side of the
// middle, as with a correctly rounded float64. Below -1 it is the NaN
// 0x7fc00000, at -1 it is -inf; NaNs keep their bits.
void Log1pFloats(std::span<const float> values, float* out);

// (x - mean) / std, rounded after each operation.
void ScaleFloats(std::span<const float> values, float mean, float std,
                 float* out);

}  // namespace headrace::function

#endif  // HEADRACE_SRC_PLAN_FUNCTION_NUMBER_FUNCTIONS_H_
