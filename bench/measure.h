// Time, clock and spread: what every program here measures with. All but the
// processor time is shared with `headrace bench`.

#ifndef HEADRACE_BENCH_MEASURE_H_
#define HEADRACE_BENCH_MEASURE_H_

#include "src/cli/bench/measure.h"

namespace headrace::bench {

using cli::MeasureClock;
using cli::SecondsOf;
using cli::Spread;
using cli::SpreadOf;

// Processor time of this process so far. On an idle machine it passes as wall
// time does, and where others take turns on the core it does not count theirs.
double CpuSeconds();

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_MEASURE_H_
