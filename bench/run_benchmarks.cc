#include "bench/run_benchmarks.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/measure.h"
#include "src/read/reader/build_info.h"

namespace headrace::bench {

int RunBenchmarks(int argc, char** argv) {
  const BuildInfo info = GetBuildInfo();
  benchmark::AddCustomContext("headrace", info.version);
  benchmark::AddCustomContext("compiler", info.compiler);
  benchmark::AddCustomContext("target", info.target);
  benchmark::AddCustomContext("crc", info.crc);
  benchmark::AddCustomContext("clock_ghz",
                              std::to_string(MeasureClock() / 1e9));
  // Half a second, the usual default, is long where there are hundreds of rows.
  // Arguments of the caller come later, so they win over this one.
  std::string min_time = "--benchmark_min_time=0.1";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + (argc > 0), min_time.data());
  argc = static_cast<int>(arguments.size());
  argv = arguments.data();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace headrace::bench
