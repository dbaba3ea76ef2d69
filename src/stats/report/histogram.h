// Histograms of numbers, as TensorFlow Data Validation makes them.

#ifndef HEADRACE_SRC_STATS_REPORT_HISTOGRAM_H_
#define HEADRACE_SRC_STATS_REPORT_HISTOGRAM_H_

#include <cstdint>
#include <vector>

#include "headrace/stats_summary.h"

namespace headrace {

// The values above `low` and not above `high`; the first bucket of finite
// values includes `low`, too. Infinite values have a separate bucket, both ends
// of which are that infinity.
struct HistogramBucket {
  double low;
  double high;
  double count;
};

struct Histogram {
  uint64_t nan = 0;
  std::vector<HistogramBucket> buckets = {};  // from the lowest value up
};

// TensorFlow Data Validation's default number of buckets, for both kinds.
inline constexpr int kHistogramBuckets = 10;

// Returns finite values in buckets of equal width, from the least to the
// greatest; one bucket if all are the same. Counts are interpolated between a
// thousand quantiles. T is int64_t or float.
template <class T>
Histogram StandardHistogram(const NumberStats<T>& numbers);

// Returns all values but NaN in buckets that end at the deciles, so that each
// has about as many values. A value that is several deciles is shared among
// their buckets.
template <class T>
Histogram QuantilesHistogram(const NumberStats<T>& numbers);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_HISTOGRAM_H_
