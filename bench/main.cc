#include "bench/run_benchmarks.h"

int main(int argc, char** argv) {
  return headrace::bench::RunBenchmarks(argc, argv);
}
