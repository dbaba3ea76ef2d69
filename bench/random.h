// Random numbers that are the same everywhere, for data to measure on.

#ifndef HEADRACE_BENCH_RANDOM_H_
#define HEADRACE_BENCH_RANDOM_H_

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace headrace::bench {

// xoshiro256++ seeded through splitmix64: fast enough to fill 64 MiB at once,
// and without the library-dependent distributions of <random>.
class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15u;
      uint64_t z = seed;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
      z = (z ^ z >> 27) * 0x94d049bb133111ebu;
      word = z ^ z >> 31;
    }
  }

  uint64_t Next() {
    const uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // In [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  // In [0, bound), bound at most 2^32.
  uint64_t Below(uint64_t bound) { return (Next() >> 32) * bound >> 32; }

  // In [1, bound], uniform in the logarithm: most ids are small.
  int64_t LogUniform(int64_t bound) {
    const double top = std::log(static_cast<double>(bound) + 1);
    const auto value = static_cast<int64_t>(std::exp(Unit() * top));
    return value < bound ? value : bound;
  }

 private:
  uint64_t state_[4];
};

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_RANDOM_H_
