#include "src/stats/report/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "headrace/message.h"

namespace headrace {
namespace {

// Returns the values, each with its rank: the number of values that are not
// above it.
template <class T>
Quantiles RanksOf(const Distribution<T>& distribution) {
  Quantiles all;
  uint64_t rank = 0;
  for (const auto& [value, weight] : distribution.items) {
    rank += weight;
    const auto end = static_cast<double>(value);
    if (all.ends.empty() || all.ends.back() != end) {
      all.ends.push_back(end);
      all.ranks.push_back(0);
    }
    all.ranks.back() = static_cast<double>(rank);
  }
  return all;
}

// Removes the ends at -infinity, and sets `*negative` to the number of values
// there.
void StripNegative(Quantiles* quantiles, double* negative) {
  const auto infinite =
      static_cast<size_t>(std::upper_bound(quantiles->ends.begin(),
                                           quantiles->ends.end(), -kInfinity) -
                          quantiles->ends.begin());
  if (infinite == 0) return;
  *negative = quantiles->ranks[infinite - 1];
  const auto count = static_cast<ptrdiff_t>(infinite);
  quantiles->ends.erase(quantiles->ends.begin(),
                        quantiles->ends.begin() + count);
  quantiles->ranks.erase(quantiles->ranks.begin(),
                         quantiles->ranks.begin() + count);
  for (double& rank : quantiles->ranks) rank -= *negative;
}

// Removes the ends at infinity. A share that ends there may also have finite
// values, so the last share ends at `max` instead.
void StripPositive(double max, double positive, Quantiles* quantiles) {
  double finite = quantiles->ranks.back() - positive;
  const auto kept =
      static_cast<size_t>(std::lower_bound(quantiles->ends.begin(),
                                           quantiles->ends.end(), kInfinity) -
                          quantiles->ends.begin());
  quantiles->ends.resize(kept);
  quantiles->ranks.resize(kept);
  // A sketch may be wrong about the number of finite values.
  if (kept > 0) finite = std::max(finite, quantiles->ranks.back());
  quantiles->ends.push_back(max);
  quantiles->ranks.push_back(finite);
}

std::vector<double> EqualSteps(double min, double max) {
  if (min == max) return {min, max};
  std::vector<double> ends;
  const double step = (max - min) / kHistogramBuckets;
  for (int i = 0; i < kHistogramBuckets; ++i) ends.push_back(i * step + min);
  ends.push_back(max);
  return ends;
}

// Returns the share of the values of `from` that are from `low` to `high`. If
// all values of `from` equal `low`, they belong to the bucket that ends there,
// unless `is_first`.
double Overlap(const HistogramBucket& from, double low, double high,
               bool is_first) {
  if (from.high < low || from.low > high) return 0;
  if (from.low == from.high) return from.low > low || is_first ? 1 : 0;
  if (low <= from.low && from.high <= high) return 1;
  return (std::min(high, from.high) - std::max(low, from.low)) /
         (from.high - from.low);
}

// Whether a decimal integer is less than another. Of two positive integers, the
// one with fewer digits is less; if both have equally many, digits decide. For
// negative integers it is the reverse.
bool IsLessNumber(std::string_view a, std::string_view b) {
  const bool negative = a.starts_with('-');
  if (negative != b.starts_with('-')) return negative;
  if (negative) std::swap(a, b);
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Returns the first end, and every n-th one after it.
Quantiles EveryNth(const Quantiles& quantiles, int n) {
  Quantiles kept;
  for (size_t i = 0; i < quantiles.ends.size(); i += static_cast<size_t>(n)) {
    kept.ends.push_back(quantiles.ends[i]);
    kept.ranks.push_back(quantiles.ranks[i]);
  }
  return kept;
}

}  // namespace

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

template <class T>
Quantiles QuantilesOf(const Distribution<T>& distribution, int n) {
  const Quantiles all = RanksOf(distribution);
  Quantiles quantiles;
  if (all.ends.empty()) return quantiles;
  size_t at = 0;
  for (int i = 0; i <= n; ++i) {
    const double wanted = i * all.ranks.back() / n;
    while (at + 1 < all.ends.size() && all.ranks[at] <= wanted) ++at;
    quantiles.ends.push_back(all.ends[at]);
    quantiles.ranks.push_back(all.ranks[at]);
  }
  return quantiles;
}

template Quantiles QuantilesOf(const Distribution<int64_t>&, int);
template Quantiles QuantilesOf(const Distribution<uint64_t>&, int);
template Quantiles QuantilesOf(const Distribution<float>&, int);

std::vector<HistogramBucket> DepthBuckets(const Quantiles& quantiles) {
  const std::vector<double>& ends = quantiles.ends;
  const std::vector<double>& ranks = quantiles.ranks;
  std::vector<HistogramBucket> buckets;
  for (size_t begin = 1, end; begin < ends.size(); begin = end) {
    for (end = begin + 1; end < ends.size(); ++end) {
      if (ends[end] != ends[begin]) break;
    }
    const double each =
        (ranks[end - 1] - ranks[begin - 1]) / static_cast<double>(end - begin);
    for (size_t i = begin; i < end; ++i) {
      buckets.push_back({ends[i - 1], ends[i], each});
    }
  }
  // The values that equal the least one are above the lower end of no bucket,
  // so the first buckets share them.
  size_t same = 0;
  while (same < buckets.size() && buckets[same].low == buckets[0].low &&
         buckets[same].high == buckets[0].high) {
    ++same;
  }
  for (size_t i = 0; i < same; ++i) {
    buckets[i].count += ranks[0] / static_cast<double>(same);
  }
  return buckets;
}

std::vector<HistogramBucket> WidthBuckets(Quantiles quantiles, double min,
                                          double max, uint64_t positive) {
  std::vector<HistogramBucket> buckets;
  double negative = 0;
  StripNegative(&quantiles, &negative);
  if (negative > 0) buckets.push_back({-kInfinity, -kInfinity, negative});
  const auto above = static_cast<double>(positive);
  if (positive > 0) StripPositive(max, above, &quantiles);
  const std::vector<HistogramBucket> shares = DepthBuckets(quantiles);
  const std::vector<double> ends = EqualSteps(min, max);
  size_t first = 0;
  for (size_t i = 1; i < ends.size(); ++i) {
    HistogramBucket bucket{ends[i - 1], ends[i], 0};
    while (first < shares.size() && shares[first].high < bucket.low) ++first;
    for (size_t j = first; j < shares.size(); ++j) {
      if (shares[j].low > bucket.high) break;
      bucket.count +=
          Overlap(shares[j], bucket.low, bucket.high, i == 1) * shares[j].count;
    }
    buckets.push_back(bucket);
  }
  if (positive > 0) buckets.push_back({kInfinity, kInfinity, above});
  return buckets;
}

std::vector<const ValueCount*> MostFrequent(const BytesStats& bytes,
                                            bool are_numbers) {
  std::vector<const ValueCount*> order;
  for (const ValueCount& value : bytes.top) {
    if (value.count > 0) order.push_back(&value);
  }
  const auto comes_first = [&](const ValueCount* a, const ValueCount* b) {
    if (a->count != b->count) return a->count > b->count;
    return are_numbers ? IsLessNumber(b->value, a->value) : b->value < a->value;
  };
  const size_t kept = std::min(order.size(), kRankedValues);
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(kept),
                    order.end(), comes_first);
  order.resize(kept);
  return order;
}

}  // namespace headrace
