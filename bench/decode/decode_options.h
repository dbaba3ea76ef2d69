
#ifndef HEADRACE_BENCH_DECODE_DECODE_OPTIONS_H_
#define HEADRACE_BENCH_DECODE_DECODE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench_data.h"

namespace headrace::bench {

inline constexpr size_t kUsualBatch = 256;

struct DecodeCase {
  const Shape* shape = nullptr;
  size_t file_bytes = 0;
  size_t batch_size = 0;
};

struct DecodeBenchOptions {
  std::vector<DecodeCase> cases;  // cases of one file stand together
  size_t rounds = 7;
  double min_time = 0.05;  // seconds per side and round
  uint64_t seed = 1;
  std::string target;  // empty: the best
  std::string json;    // empty: none
  bool require = false;
};

// Nothing, and a message on standard error, for what is not understood. Flags
// of Google Benchmark are taken so that all programs can be called alike:
// --benchmark_filter picks shapes, --benchmark_min_time is --min-time, the
// others mean nothing here.
std::optional<DecodeBenchOptions> ParseDecodeOptions(int argc, char** argv);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_DECODE_DECODE_OPTIONS_H_
