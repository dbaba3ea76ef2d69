// The results of bench_decode become a table and JSON, and are held against the
// figures that must not be lost.

#ifndef HEADRACE_BENCH_DECODE_REPORT_H_
#define HEADRACE_BENCH_DECODE_REPORT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"

namespace headrace::bench {

// Each round has a sample of the processor seconds of one pass over the file;
// round i of all sides ran together.
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
  double clock = 0;      // cycles per second
  double cpu_share = 0;  // processor time per wall time
  std::vector<SideResult> sides = {};

  // Null where that side did not run.
  const SideResult* Find(std::string_view side) const;
  // The unit is 10^9 bytes of file per second.
  Spread Rate(std::string_view side) const;
  // Says how many times faster `fast` is than `slow`, round by round.
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

// Each side of the shape has a line.
void PrintShape(const ShapeResult& result);

// Each shape has a line, first those that were decoded, then those that were
// inflated; where a side did not run there is a dash.
void PrintTable(const std::vector<ShapeResult>& results);

// Shapes that ran in batches of the usual size must have these figures. True
// when all do.
bool PrintRequirements(const std::vector<ShapeResult>& results);

// False when the file cannot be written.
bool WriteJson(const std::string& path, const MachineFacts& facts,
               const std::vector<ShapeResult>& results);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_DECODE_REPORT_H_
