// Histograms of numbers, as TensorFlow Data Validation makes them of a feature.

#ifndef HEADRACE_SRC_STATS_REPORT_HISTOGRAM_H_
#define HEADRACE_SRC_STATS_REPORT_HISTOGRAM_H_

#include <cstdint>
#include <vector>

#include "headrace/stats_summary.h"

namespace headrace {

// The values above `low` and not above `high`; the first bucket of finite
// values has `low` too. Infinite values have a bucket of their own, both ends
// of which are that infinity.
struct HistogramBucket {
  double low;
  double high;
  double count;
};

struct Histogram {
  uint64_t nan = 0;
  std::vector<HistogramBucket> buckets = {};  // from the lowest value on
};

// TensorFlow Data Validation's default number of buckets, of both kinds.
inline constexpr int kHistogramBuckets = 10;

// Finite values in buckets of equal width, from the least to the greatest; one
// bucket if all are the same. Counts are interpolated between a thousand
// quantiles. T is int64_t or float.
template <class T>
Histogram StandardHistogram(const NumberStats<T>& numbers);

// All values but NaN in buckets that end at the deciles, so that each has about
// as many. Values that are several deciles are shared between their buckets.
template <class T>
Histogram QuantilesHistogram(const NumberStats<T>& numbers);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_HISTOGRAM_H_
