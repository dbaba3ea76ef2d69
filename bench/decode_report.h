// What bench_decode measured, as a table, as JSON, and held against the
// figures that must not be lost.

#ifndef HEADRACE_BENCH_DECODE_REPORT_H_
#define HEADRACE_BENCH_DECODE_REPORT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"

namespace headrace::bench {

// Processor seconds of one pass over the file, one sample a round; round i of
// all sides ran together.
struct SideResult {
  std::string name;
  std::vector<double> seconds;
};

struct ShapeResult {
  std::string shape;
  size_t file_bytes = 0;
  size_t batch_size = 0;
  size_t num_records = 0;
  size_t num_features = 0;
  double clock = 0;      // cycles a second
  double cpu_share = 0;  // of the wall time, how much the process got
  std::vector<SideResult> sides = {};

  // Null where that side did not run.
  const SideResult* Find(std::string_view side) const;
  // Bytes of file a second, in units of 10^9.
  Spread Rate(std::string_view side) const;
  // How many times faster `fast` is than `slow`, round by round.
  Spread Ratio(std::string_view fast, std::string_view slow) const;
  double CyclesPerFeature(std::string_view side) const;
};

struct MachineFacts {
  std::string version;
  std::string compiler;
  std::string target;
  std::string crc;
  std::string protobuf;
};

// Everything about one shape, a line a side.
void PrintShape(const ShapeResult& result);

// One line a shape, first those that were decoded, then those that were
// inflated; where a side did not run there is a dash.
void PrintTable(const std::vector<ShapeResult>& results);

// The figures that must hold, of those shapes that ran in batches of the usual
// size. True when all do.
bool PrintRequirements(const std::vector<ShapeResult>& results);

// False when the file cannot be written.
bool WriteJson(const std::string& path, const MachineFacts& facts,
               const std::vector<ShapeResult>& results);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_DECODE_REPORT_H_
