// Programs that register benchmarks with Google Benchmark have this main().

#ifndef HEADRACE_BENCH_RUN_BENCHMARKS_H_
#define HEADRACE_BENCH_RUN_BENCHMARKS_H_

namespace headrace::bench {

// Takes that library's flags; returns the exit code.
int RunBenchmarks(int argc, char** argv);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_RUN_BENCHMARKS_H_
