// Quantiles of a distribution, and the histograms that TensorFlow Data
// Validation makes of them. Its histograms are those of a sketch, and so are
// ours: values between two quantiles count as spread evenly.

#ifndef HEADRACE_SRC_STATS_REPORT_QUANTILES_H_
#define HEADRACE_SRC_STATS_REPORT_QUANTILES_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "headrace/stats_summary.h"
#include "src/stats/report/histogram.h"

namespace headrace {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The n + 1 ends of n shares of equal size; empty if there are no values.
// `ranks[i]` values are not above `ends[i]`.
struct Quantiles {
  std::vector<double> ends = {};
  std::vector<double> ranks = {};
};

// Integers become doubles, so those beyond 2^53 are rounded.
template <class T>
Quantiles QuantilesOf(const Distribution<T>& distribution, int n);

// Returns the ends of a thousand shares of all values but NaN.
template <class T>
Quantiles NumberQuantiles(const NumberStats<T>& numbers);

// Returns the first end, and every n-th one after it.
Quantiles EveryNth(const Quantiles& quantiles, int n);

// Returns a bucket for each share. Values of shares that end at the same value
// are spread evenly among their buckets.
std::vector<HistogramBucket> DepthBuckets(const Quantiles& quantiles);

// Returns kHistogramBuckets buckets of equal width from `min` to `max`, both
// finite, or one if these are equal. Infinite values, of which `positive` are
// positive, have separate buckets, both ends of which are that infinity. The
// outermost ends of `quantiles` must be the least and the greatest of all
// values.
std::vector<HistogramBucket> WidthBuckets(Quantiles quantiles, double min,
                                          double max, uint64_t positive);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_QUANTILES_H_
