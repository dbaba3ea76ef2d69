// In a race, sides that do the same job run in turns in one process.

#ifndef HEADRACE_BENCH_RACE_H_
#define HEADRACE_BENCH_RACE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/decode_report.h"
#include "headrace/status.h"

namespace headrace::bench {

// A pass over the whole file gives the number of its records.
struct Side {
  std::string name;
  std::function<Result<uint64_t>()> pass;
};

// Each side makes two passes to warm up; then come `rounds`, in each of which
// every side runs for `min_time` seconds. Sets the sides, clock and share of
// `result`. A pass that fails measures nothing: the program ends.
void RunRace(const std::vector<Side>& sides, size_t rounds, double min_time,
             ShapeResult* result);

struct RaceOptions {
  size_t mib = 0;
  size_t rounds = 0;
};

// main of a program with the options --mib=N and --rounds=N, which `options`
// has the defaults of; returns its exit code. `usage` begins with "usage:
// NAME".
int RunRaceProgram(int argc, char** argv, const char* name, const char* usage,
                   RaceOptions options,
                   const std::function<Status(const RaceOptions&)>& run);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_RACE_H_
