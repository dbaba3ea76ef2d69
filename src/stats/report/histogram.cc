#include "src/stats/report/histogram.h"

#include "src/stats/report/quantiles.h"

namespace headrace {
// TensorFlow Data Validation has a hundred quantiles for each bucket.
template <class T>
Quantiles NumberQuantiles(const NumberStats<T>& numbers) {
  Quantiles quantiles =
      QuantilesOf(numbers.distribution, 100 * kHistogramBuckets);
  if (quantiles.ends.empty() || numbers.finite() == 0) return quantiles;
  // A sketch may have lost the least and the greatest value.
  quantiles.ends.front() = numbers.negative_infinities > 0
                               ? -kInfinity
                               : static_cast<double>(numbers.min);
  quantiles.ends.back() = numbers.positive_infinities > 0
                              ? kInfinity
                              : static_cast<double>(numbers.max);
  return quantiles;
}

template <class T>
Histogram StandardHistogram(const NumberStats<T>& numbers) {
  Histogram histogram{.nan = numbers.nan};
  const Quantiles quantiles = NumberQuantiles(numbers);
  if (quantiles.ends.empty()) return histogram;
  if (numbers.finite() == 0) {
    // This is how TensorFlow Data Validation says that no value is finite.
    histogram.buckets = {{kInfinity, -kInfinity, quantiles.ranks.back()}};
  } else {
    histogram.buckets = WidthBuckets(
        quantiles, static_cast<double>(numbers.min),
        static_cast<double>(numbers.max), numbers.positive_infinities);
  }
  return histogram;
}

template <class T>
Histogram QuantilesHistogram(const NumberStats<T>& numbers) {
  return {.nan = numbers.nan,
          .buckets = DepthBuckets(EveryNth(NumberQuantiles(numbers), 100))};
}

template Quantiles NumberQuantiles(const NumberStats<int64_t>&);
template Quantiles NumberQuantiles(const NumberStats<float>&);
template Histogram StandardHistogram(const NumberStats<int64_t>&);
template Histogram StandardHistogram(const NumberStats<float>&);
template Histogram QuantilesHistogram(const NumberStats<int64_t>&);
template Histogram QuantilesHistogram(const NumberStats<float>&);

}  // namespace headrace
