#include "src/cli/bench/measure.h"

#include <cstdint>
#include <utility>

namespace headrace::cli {
namespace {

constexpr size_t kUnrolled = 64;

// The compiler must not know the step: some processors add a constant while
// renaming, at no cost.
template <size_t... kIndex>
uint64_t Chain(size_t rounds, uint64_t step, std::index_sequence<kIndex...>) {
  uint64_t sum = 0;
  const auto add = [&](size_t) {
    sum += step;
    asm volatile("" : "+r"(sum));
  };
  asm volatile("" : "+r"(step));
  for (size_t i = 0; i < rounds; ++i) (add(kIndex), ...);
  return sum;
}

}  // namespace

double MeasureClock() {
  constexpr size_t kRounds = 10000;
  double best = 1e9;
  for (int i = 0; i < 25; ++i) {
    uint64_t sum = 0;
    best = std::min(best, SecondsOf([&] {
                      sum = Chain(kRounds, 1,
                                  std::make_index_sequence<kUnrolled>());
                    }));
    asm volatile("" : : "r"(sum));
  }
  return static_cast<double>(kRounds * kUnrolled) / best;
}

}  // namespace headrace::cli
