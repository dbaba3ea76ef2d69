// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014). docs/formats/order.md and sample data depend on its
// numbers: they never change.

#ifndef HEADRACE_SRC_BASE_SPLIT_MIX_H_
#define HEADRACE_SRC_BASE_SPLIT_MIX_H_

#include <cstdint>

namespace headrace {

inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;

// The finaliser is a bijection: every bit of x changes about half of the
// result's bits.
constexpr uint64_t MixBits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_SPLIT_MIX_H_
