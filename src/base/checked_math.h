// Arithmetic on sizes that input may have chosen. The functions return false on
// overflow.

#ifndef HEADRACE_SRC_BASE_CHECKED_MATH_H_
#define HEADRACE_SRC_BASE_CHECKED_MATH_H_

#include <cstddef>
#include <cstdint>

namespace headrace {

inline bool CheckedAdd(size_t a, size_t b, size_t* sum) {
  return !__builtin_add_overflow(a, b, sum);
}

// `b` may be larger than the largest size_t.
inline bool CheckedMul(size_t a, uint64_t b, size_t* product) {
  return !__builtin_mul_overflow(a, b, product);
}

// `unit` is a power of two.
inline bool RoundUp(size_t size, size_t unit, size_t* rounded) {
  if (!CheckedAdd(size, unit - 1, rounded)) return false;
  *rounded &= ~(unit - 1);
  return true;
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_CHECKED_MATH_H_
