// Histograms of numbers, the quantiles that they are made of, and the most
// frequent values, as TensorFlow Data Validation makes them. Like its
// histograms, ours are made from a sketch, as if values were spread evenly
// between two quantiles.

#ifndef HEADRACE_SRC_STATS_REPORT_HISTOGRAM_H_
#define HEADRACE_SRC_STATS_REPORT_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "headrace/stats_summary.h"

namespace headrace {

// The values above `low` and not above `high`; the first bucket of finite
// values includes `low`, too. Each infinity has a bucket of its own, with both
// ends at that infinity.
struct HistogramBucket {
  double low;
  double high;
  double count;
};

struct Histogram {
  uint64_t nan = 0;
  std::vector<HistogramBucket> buckets = {};  // from the lowest value up
};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// TensorFlow Data Validation's default number of buckets, for both kinds.
inline constexpr int kHistogramBuckets = 10;

// Returns finite values in buckets of equal width, from the least to the
// greatest; one bucket if all are the same. Counts are interpolated between a
// thousand quantiles. T is int64_t or float.
template <class T>
Histogram StandardHistogram(const NumberStats<T>& numbers);

// Returns all values but NaN in buckets that end at the deciles, so that each
// has about as many values. If several deciles are the same value, their
// buckets share its count.
template <class T>
Histogram QuantilesHistogram(const NumberStats<T>& numbers);

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

// Returns a bucket for each share. Values of shares that end at the same value
// are spread evenly among their buckets.
std::vector<HistogramBucket> DepthBuckets(const Quantiles& quantiles);

// Returns kHistogramBuckets buckets of equal width from `min` to `max`, both
// finite, or one bucket if these are equal. Each infinity has a bucket of its
// own, with both ends at that infinity; `positive` is the number of positive
// ones. The outermost ends of `quantiles` must be the least and the greatest of
// all values.
std::vector<HistogramBucket> WidthBuckets(Quantiles quantiles, double min,
                                          double max, uint64_t positive);

// TensorFlow Data Validation's default numbers of top values, and of values in
// a histogram of ranks.
inline constexpr size_t kTopValues = 20;
inline constexpr size_t kRankedValues = 1000;

// Returns at most kRankedValues values, the most frequent first; of equal
// counts, the greatest value first. Values are compared as numbers if
// `are_numbers`.
std::vector<const ValueCount*> MostFrequent(const BytesStats& bytes,
                                            bool are_numbers);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_HISTOGRAM_H_
