// Every program here measures time, clock and spread with these; `headrace
// bench` shares all except the processor time.

#ifndef HEADRACE_BENCH_MEASURE_H_
#define HEADRACE_BENCH_MEASURE_H_

#include "src/cli/bench/measure.h"

namespace headrace::bench {

using cli::MeasureClock;
using cli::SecondsOf;
using cli::Spread;
using cli::SpreadOf;

// Gives the processor time of this process so far. On an idle machine it passes
// as wall time does, but it does not count others that take turns on the core.
double CpuSeconds();

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_MEASURE_H_
