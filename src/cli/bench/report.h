// The results of `headrace bench` as JSON and for people.

#ifndef HEADRACE_SRC_CLI_BENCH_REPORT_H_
#define HEADRACE_SRC_CLI_BENCH_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "headrace/reader.h"

namespace headrace::cli {

enum BenchStage : size_t { kRead, kFrameCrc, kDecode, kAll, kNumBenchStages };

struct StageTimes {
  uint64_t bytes = 0;  // per pass, of the uncompressed streams
  uint64_t records = 0;
  std::vector<double> seconds;  // one per pass, at least one
};

struct BenchResult {
  std::vector<std::string> files;
  uint64_t bytes = 0;  // of the uncompressed streams, with framing
  uint64_t records = 0;
  size_t num_columns = 0;  // columns or tensors of the plan
  bool is_compressed = false;
  std::string target;
  uint64_t threads = 1;
  double clock = 0;  // cycles per second
  std::vector<LateFeature> late = {};
  std::array<StageTimes, kNumBenchStages> stages = {};

  uint64_t num_features() const { return records * num_columns; }
};

// Fields that would divide by zero are null.
std::string BenchJson(const BenchResult& result);

// Returns a table of the stages, what bounds the speed, and where it was
// measured.
std::string BenchText(const BenchResult& result, size_t width, bool color);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_BENCH_REPORT_H_
