// Random makes numbers that depend only on the seed, not on the machine. It
// uses integer arithmetic only, because standard distributions and mathematical
// functions differ between libraries.

#ifndef HEADRACE_SRC_SAMPLE_RANDOM_H_
#define HEADRACE_SRC_SAMPLE_RANDOM_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/base/split_mix.h"

namespace headrace::sample {

// A bijection that spreads every bit.
constexpr uint64_t Spread(uint64_t x) { return MixBits(x + kSplitMixStep); }

// SplitMix64, which may start in any state.
class Random {
 public:
  // Streams of one seed are independent of each other.
  Random(uint64_t seed, uint64_t stream)
      : state_(Spread(seed) ^ Spread(~stream)) {}

  uint64_t Next() {
    state_ += kSplitMixStep;
    return MixBits(state_);
  }
  // Returns a number in [0, bound); 0 < bound < 2^32. The bias of the product's
  // high half is below 2^-32.
  size_t Below(size_t bound) {
    return static_cast<size_t>((Next() >> 32) * bound >> 32);
  }
  // Returns a number in [low, high].
  int64_t Between(int64_t low, int64_t high) {
    return low +
           static_cast<int64_t>(Below(static_cast<size_t>(high - low) + 1));
  }
  bool OneIn(size_t n) { return Below(n) == 0; }

  // Returns a number in [1, high]: 1 to 2 is about as frequent as 2^19 to 2^20.
  // Ids and counts are distributed like this.
  uint64_t LogUniform(uint64_t high) {
    const auto bits = static_cast<size_t>(std::bit_width(high));
    while (true) {
      const uint64_t top = uint64_t{1} << Below(bits);
      const uint64_t value = top | (Next() & (top - 1));
      if (value <= high) return value;
    }
  }

  // Returns a sum of eight uniform numbers: nearly normal, with mean 0 and
  // deviation 1.07. It is exact in a double, so it is rounded only once.
  float Bell() {
    int64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
      const uint64_t bits = Next();
      sum += static_cast<int64_t>(bits >> 40) +
             static_cast<int64_t>(bits & 0xffffff);
    }
    constexpr int64_t kMean = 4 * int64_t{0xffffff};
    return static_cast<float>(static_cast<double>(sum - kMean) /
                              (int64_t{1} << 23) * 0.65625);
  }

 private:
  uint64_t state_;
};

}  // namespace headrace::sample

#endif  // HEADRACE_SRC_SAMPLE_RANDOM_H_
