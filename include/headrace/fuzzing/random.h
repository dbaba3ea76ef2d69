// Pseudorandom choices for the mutators.

#ifndef HEADRACE_FUZZING_RANDOM_H_
#define HEADRACE_FUZZING_RANDOM_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cstddef>
#include <cstdint>
#include <string>

namespace headrace::fuzzing {

// SplitMix64: the same choices for the same seed, everywhere. Not thread-safe.
class Choice {
 public:
  explicit Choice(uint64_t seed) : state_(seed) {}

  uint64_t Bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In [0, bound); bound > 0.
  size_t Below(size_t bound) { return static_cast<size_t>(Bits() % bound); }
  bool OneIn(size_t n) { return Below(n) == 0; }
  // Returns an integer; all widths are equally likely.
  uint64_t Integer() { return Bits() >> Below(64); }
  std::string Bytes(size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(Bits());
    return bytes;
  }

 private:
  uint64_t state_;
};

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZING_RANDOM_H_
