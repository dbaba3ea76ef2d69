#include "src/report/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace headrace {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The first `size` buckets are one value, or all have the same upper end, so
// nothing says which of them a value is in.
void ShareEvenly(HistogramBucket* first, size_t size, double count) {
  for (size_t i = 0; i < size; ++i) {
    first[i].count += count / static_cast<double>(size);
  }
}

void AppendInfinity(double value, uint64_t count, Histogram* histogram) {
  if (count == 0) return;
  histogram->buckets.push_back({value, value, static_cast<double>(count)});
}

std::vector<HistogramBucket> EqualBuckets(double min, double max) {
  if (min == max) return {{min, max, 0}};
  std::vector<HistogramBucket> buckets;
  const double width = (max - min) / kHistogramBuckets;
  double low = min;
  for (int i = 1; i <= kHistogramBuckets; ++i) {
    const double high = i == kHistogramBuckets ? max : min + i * width;
    buckets.push_back({low, high, 0});
    low = high;
  }
  return buckets;
}

// The least value, then those that each further tenth of the values does not
// exceed.
template <class T>
std::vector<T> Deciles(const NumberStats<T>& numbers) {
  std::vector<T> ends;
  for (int i = 0; i <= kHistogramBuckets; ++i) {
    ends.push_back(numbers.distribution.Quantile(static_cast<double>(i) /
                                                 kHistogramBuckets));
  }
  // A sketch may have lost the least value and the greatest.
  if (numbers.finite() > 0) {
    if (numbers.negative_infinities == 0) ends.front() = numbers.min;
    if (numbers.positive_infinities == 0) ends.back() = numbers.max;
  }
  return ends;
}

}  // namespace

template <class T>
Histogram StandardHistogram(const NumberStats<T>& numbers) {
  Histogram histogram{.nan = numbers.nan};
  AppendInfinity(-kInfinity, numbers.negative_infinities, &histogram);
  if (numbers.finite() > 0) {
    std::vector<HistogramBucket> buckets = EqualBuckets(
        static_cast<double>(numbers.min), static_cast<double>(numbers.max));
    size_t i = 0;
    for (const auto& [value, weight] : numbers.distribution.items) {
      const auto at = static_cast<double>(value);
      if (!std::isfinite(at)) continue;
      while (i + 1 < buckets.size() && at > buckets[i].high) ++i;
      buckets[i].count += static_cast<double>(weight);
    }
    histogram.buckets.insert(histogram.buckets.end(), buckets.begin(),
                             buckets.end());
  }
  AppendInfinity(kInfinity, numbers.positive_infinities, &histogram);
  return histogram;
}

template <class T>
Histogram QuantilesHistogram(const NumberStats<T>& numbers) {
  Histogram histogram{.nan = numbers.nan};
  const Distribution<T>& values = numbers.distribution;
  if (values.items.empty()) return histogram;
  const std::vector<T> ends = Deciles(numbers);
  std::vector<HistogramBucket>& buckets = histogram.buckets;
  for (size_t i = 1; i < ends.size(); ++i) {
    buckets.push_back(
        {static_cast<double>(ends[i - 1]), static_cast<double>(ends[i]), 0});
  }
  const uint64_t least = values.Rank(ends[0], true);
  uint64_t below = least;
  for (size_t i = 0, end; i < buckets.size(); i = end) {
    end = i + 1;
    while (end < buckets.size() && ends[end + 1] == ends[i + 1]) ++end;
    const uint64_t rank = values.Rank(ends[i + 1], true);
    ShareEvenly(&buckets[i], end - i, static_cast<double>(rank - below));
    below = rank;
  }
  // The least value is above the lower end of no bucket.
  size_t same = 1;
  while (same < buckets.size() && ends[same] == ends[0] &&
         ends[same + 1] == ends[1]) {
    ++same;
  }
  ShareEvenly(buckets.data(), same, static_cast<double>(least));
  return histogram;
}

template Histogram StandardHistogram(const NumberStats<int64_t>&);
template Histogram StandardHistogram(const NumberStats<float>&);
template Histogram QuantilesHistogram(const NumberStats<int64_t>&);
template Histogram QuantilesHistogram(const NumberStats<float>&);

}  // namespace headrace
