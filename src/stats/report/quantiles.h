// Quantiles of a distribution, and the histograms that TensorFlow Data
// Validation makes of them. Its histograms are those of a sketch, and so are
// ours: what lies between two quantiles counts as spread evenly.

#ifndef HEADRACE_SRC_STATS_REPORT_QUANTILES_H_
#define HEADRACE_SRC_STATS_REPORT_QUANTILES_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "headrace/stats_summary.h"
#include "src/stats/report/histogram.h"

namespace headrace {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The ends of n shares of equal size, n + 1 of them; empty if there are no
// values. `ranks[i]` values are not above `ends[i]`.
struct Quantiles {
  std::vector<double> ends = {};
  std::vector<double> ranks = {};
};

// Integers become double, so those beyond 2^53 are rounded.
template <class T>
Quantiles QuantilesOf(const Distribution<T>& distribution, int n);

// The ends of a thousand shares of all values but NaN.
template <class T>
Quantiles NumberQuantiles(const NumberStats<T>& numbers);

// Every so manieth end, and the first one.
Quantiles EveryNth(const Quantiles& quantiles, int n);

// A bucket for each share. What ends at one value is shared evenly among the
// buckets that end there.
std::vector<HistogramBucket> DepthBuckets(const Quantiles& quantiles);

// kHistogramBuckets of equal width from `min` to `max`, all finite, or one if
// these are equal. Infinite values, of which `positive` are positive, have
// buckets of their own, both ends of which are that infinity. The outermost
// ends of `quantiles` are the least and the greatest of all values.
std::vector<HistogramBucket> WidthBuckets(Quantiles quantiles, double min,
                                          double max, uint64_t positive);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_QUANTILES_H_
