// RandomState generates bits for choices that must be equal on every machine,
// and need not be hard to guess (Marsaglia, "Xorshift RNGs", 2003).

#ifndef HEADRACE_SRC_STATS_SKETCH_RANDOM_STATE_H_
#define HEADRACE_SRC_STATS_SKETCH_RANDOM_STATE_H_

#include <bit>
#include <cstdint>

namespace headrace::stats {

struct RandomState {
  uint64_t bits = 0x9E3779B97F4A7C15;  // never 0

  uint64_t Next() {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    return bits;
  }
  // Mixes another state into this one.
  void Merge(const RandomState& other) {
    bits ^= std::rotl(other.bits, 17);
    if (bits == 0) bits = 1;
  }
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_RANDOM_STATE_H_
