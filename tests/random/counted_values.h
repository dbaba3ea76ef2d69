// The figures of StatsSummary, counted from values the obvious way.

#ifndef HEADRACE_TESTS_RANDOM_COUNTED_VALUES_H_
#define HEADRACE_TESTS_RANDOM_COUNTED_VALUES_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "headrace/stats_summary.h"

namespace headrace::testing {

// Distributions of more values are kept as so many of them.
inline constexpr size_t kMaxItems = 200;

// `values` are sorted.
template <class T>
Distribution<T> DistributionOf(const std::vector<T>& values) {
  Distribution<T> distribution;
  distribution.total = values.size();
  auto& items = distribution.items;
  for (const T& value : values) {
    if (items.empty() || items.back().value != value) {
      items.push_back({value, 0});
    }
    ++items.back().weight;
  }
  if (items.size() <= kMaxItems) return distribution;
  items.clear();
  distribution.rank_error = 1.0 / kMaxItems;
  const size_t step = values.size() / kMaxItems + 1;
  for (size_t i = 0; i < values.size(); i += step) {
    const size_t weight = std::min(step, values.size() - i);
    items.push_back({values[i + weight / 2], weight});
  }
  return distribution;
}

template <class T>
NumberStats<T> NumbersOf(const std::vector<T>& values) {
  NumberStats<T> stats;
  stats.count = values.size();
  std::vector<T> ordered;
  std::vector<T> finite;
  for (const T value : values) {
    if (value == T(0)) ++stats.zeros;
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        ++stats.nan;
        continue;
      }
      ordered.push_back(value);
      if (std::isinf(value)) {
        ++(value > 0 ? stats.positive_infinities : stats.negative_infinities);
        continue;
      }
    } else {
      ordered.push_back(value);
    }
    finite.push_back(value);
  }
  std::sort(ordered.begin(), ordered.end());
  stats.distribution = DistributionOf(ordered);
  if (finite.empty()) return stats;
  stats.min = *std::min_element(finite.begin(), finite.end());
  stats.max = *std::max_element(finite.begin(), finite.end());
  const auto count = static_cast<double>(finite.size());
  for (const T value : finite) {
    stats.mean += static_cast<double>(value) / count;
  }
  double squares = 0;
  for (const T value : finite) {
    const double off = static_cast<double>(value) - stats.mean;
    squares += off * off;
  }
  stats.std_dev = std::sqrt(squares / count);
  return stats;
}

LengthStats LengthsOf(std::vector<uint64_t> lengths);

// All distinct values are counted and, up to eight, become samples.
BytesStats BytesOf(const std::vector<std::string>& values);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_COUNTED_VALUES_H_
