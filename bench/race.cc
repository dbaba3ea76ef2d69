#include "bench/race.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "bench/measure.h"

namespace headrace::bench {
namespace {

void RunPass(const Side& side, uint64_t num_records) {
  const Result<uint64_t> count = side.pass();
  if (count.ok() && *count == num_records) return;
  std::fprintf(
      stderr, "%s: %s\n", side.name.c_str(),
      count.ok() ? "records are missing" : count.status().ToString().c_str());
  std::exit(1);
}

}  // namespace

void RunRace(const std::vector<Side>& sides, size_t rounds, double min_time,
             ShapeResult* result) {
  std::vector<size_t> passes;
  for (const Side& side : sides) {
    result->sides.push_back({side.name, {}});
    RunPass(side, result->num_records);  // grows memory that is kept
    const double start = CpuSeconds();
    RunPass(side, result->num_records);
    const double seconds = CpuSeconds() - start;
    passes.push_back(
        std::max<size_t>(1, static_cast<size_t>(min_time / seconds)));
  }
  std::vector<double> clocks;
  double wall = 0;
  double busy = 0;
  for (size_t round = 0; round < rounds; ++round) {
    clocks.push_back(MeasureClock());
    for (size_t turn = 0; turn < sides.size(); ++turn) {
      // The order turns, so that no side always comes after the same one.
      const size_t i = (turn + round) % sides.size();
      const double start = CpuSeconds();
      wall += SecondsOf([&] {
        for (size_t pass = 0; pass < passes[i]; ++pass) {
          RunPass(sides[i], result->num_records);
        }
      });
      const double seconds = CpuSeconds() - start;
      busy += seconds;
      result->sides[i].seconds.push_back(seconds /
                                         static_cast<double>(passes[i]));
    }
  }
  result->clock = SpreadOf(std::move(clocks)).median;
  result->cpu_share = busy / wall;
}

namespace {

// False for an option that is not there, or without a number.
bool TakeOption(const std::string& argument, RaceOptions* options) {
  const size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  size_t* const value = name == "--mib"      ? &options->mib
                        : name == "--rounds" ? &options->rounds
                                             : nullptr;
  if (value == nullptr || equals == std::string::npos) return false;
  char* end = nullptr;
  *value = std::strtoull(argument.c_str() + equals + 1, &end, 10);
  return *end == '\0' && *value > 0;
}

}  // namespace

int RunRaceProgram(int argc, char** argv, const char* name, const char* usage,
                   RaceOptions options,
                   const std::function<Status(const RaceOptions&)>& run) {
  for (int i = 1; i < argc; ++i) {
    if (TakeOption(argv[i], &options)) continue;
    std::fprintf(stderr, "%s: %s\n%s", name, argv[i], usage);
    return 2;
  }
  std::string failure;
  try {
    const Status status = run(options);
    if (status.ok()) return 0;
    failure = status.ToString();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  std::fprintf(stderr, "%s: %s\n", name, failure.c_str());
  return 1;
}

}  // namespace headrace::bench
