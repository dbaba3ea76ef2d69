// Measures time, clock and spread, for `headrace bench` and the programs in
// bench/.

#ifndef HEADRACE_SRC_CLI_BENCH_MEASURE_H_
#define HEADRACE_SRC_CLI_BENCH_MEASURE_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace headrace::cli {

// Returns the current cycles per second, from a chain of dependent additions
// that take one cycle each. It runs for about 5 ms.
double MeasureClock();

template <class Function>
double SecondsOf(Function&& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
};

// There must be at least one sample.
inline Spread SpreadOf(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const size_t middle = samples.size() / 2;
  const double median = samples.size() % 2 != 0
                            ? samples[middle]
                            : (samples[middle - 1] + samples[middle]) / 2;
  return {median, samples.front(), samples.back()};
}

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_BENCH_MEASURE_H_
