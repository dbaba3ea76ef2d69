#include "src/stats/report/distance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "headrace/stats_report.h"
#include "src/stats/report/histogram.h"

namespace headrace {
namespace {

// A value and its size. The size tells apart long values of which only the same
// first bytes are known.
using ValueId = std::pair<std::string_view, uint64_t>;
// The counts of the first and the second side, for a value or a range of
// values.
using Masses = std::pair<double, double>;
using ValueMasses = std::map<ValueId, Masses>;

// Returns the counts of the most frequent values of each side.
ValueMasses MassesOf(const FeatureSummary& first,
                     const FeatureSummary& second) {
  ValueMasses masses;
  const auto add = [&masses](const FeatureSummary& side, double Masses::*mass) {
    const BytesStats* const values = NamedValues(side);
    if (values == nullptr) return;
    for (const ValueCount* value :
         MostFrequent(*values, side.kind != Kind::kBytes)) {
      masses[{value->value, value->size}].*mass +=
          static_cast<double>(value->count);
    }
  };
  add(first, &Masses::first);
  add(second, &Masses::second);
  return masses;
}

Masses Totals(const ValueMasses& masses) {
  Masses totals;
  for (const auto& [value, mass] : masses) {
    totals.first += mass.first;
    totals.second += mass.second;
  }
  return totals;
}

LargestDifference Largest(const ValueMasses& masses, const Masses& totals) {
  LargestDifference largest;
  const auto share = [](double mass, double total) {
    return mass == 0 ? 0 : mass / total;
  };
  for (const auto& [value, mass] : masses) {
    const double distance = std::fabs(share(mass.first, totals.first) -
                                      share(mass.second, totals.second));
    if (distance > largest.distance) {
      largest = {std::string(value.first), distance};
    }
  }
  return largest;
}

std::optional<double> Divergence(const std::vector<Masses>& masses) {
  Masses totals;
  for (const auto& [first, second] : masses) {
    totals.first += first;
    totals.second += second;
  }
  if (totals.first <= 0 || totals.second <= 0) return std::nullopt;
  const auto part = [](double share, double mean) {
    return share > 0 ? share * std::log2(share / mean) : 0;
  };
  double sum = 0;
  for (const auto& [first, second] : masses) {
    const double p = first / totals.first;
    const double q = second / totals.second;
    const double mean = (p + q) / 2;
    sum += part(p, mean) + part(q, mean);
  }
  return std::clamp(sum / 2, 0.0, 1.0);
}

std::optional<Histogram> HistogramOf(const FeatureSummary& feature,
                                     tfmd::HistogramType type) {
  const auto make = [type](const auto& numbers) {
    return type == tfmd::HistogramType::kQuantiles ? QuantilesHistogram(numbers)
                                                   : StandardHistogram(numbers);
  };
  if (feature.kind == Kind::kInt64 && feature.int64s) {
    return make(*feature.int64s);
  }
  if (feature.kind == Kind::kFloat && feature.floats) {
    return make(*feature.floats);
  }
  return std::nullopt;
}

// The parts of the number line that the buckets of both sides define: single
// points, and the ranges between neighbouring ends, in order.
struct Cells {
  std::map<double, Masses> points = {};
  std::set<double> ends = {};
  std::vector<Masses> ranges = {};  // between ends
  std::vector<Masses> unlike = {};  // infinities of each side
};

void AddEnds(const Histogram& histogram, Cells* cells) {
  for (const HistogramBucket& bucket : histogram.buckets) {
    if (!std::isfinite(bucket.low) || bucket.low == bucket.high) continue;
    cells->ends.insert({bucket.low, bucket.high});
  }
}

void AddMasses(const Histogram& histogram, double Masses::*mass, Cells* cells) {
  double unlike = 0;
  for (const HistogramBucket& bucket : histogram.buckets) {
    if (!std::isfinite(bucket.low) || !std::isfinite(bucket.high)) {
      unlike += bucket.count;
      continue;
    }
    if (bucket.low == bucket.high) {
      cells->points[bucket.low].*mass += bucket.count;
      continue;
    }
    auto low = cells->ends.find(bucket.low);
    auto range =
        cells->ranges.begin() + std::distance(cells->ends.begin(), low);
    while (*low < bucket.high) {
      const double from = *low++;
      const double share = (*low - from) / (bucket.high - bucket.low);
      (*range++).*mass += share * bucket.count;
    }
  }
  cells->unlike.emplace_back().*mass = unlike;
}

std::optional<double> Divergence(const Histogram& first,
                                 const Histogram& second) {
  Cells cells;
  AddEnds(first, &cells);
  AddEnds(second, &cells);
  cells.ranges.resize(cells.ends.size());
  AddMasses(first, &Masses::first, &cells);
  AddMasses(second, &Masses::second, &cells);
  std::vector<Masses> masses = std::move(cells.ranges);
  for (const auto& [value, mass] : cells.points) masses.push_back(mass);
  masses.insert(masses.end(), cells.unlike.begin(), cells.unlike.end());
  return Divergence(masses);
}

double Presence(const StatsSummary& stats, const FeatureSummary& feature) {
  return stats.records == 0 ? 0
                            : static_cast<double>(feature.present) /
                                  static_cast<double>(stats.records);
}

void Measure(const FeatureSummary& first, const FeatureSummary& second,
             FeatureDifference* difference) {
  if (first.kind != second.kind) return;
  const BytesStats* const first_values = NamedValues(first);
  const BytesStats* const second_values = NamedValues(second);
  if (first_values != nullptr && second_values != nullptr &&
      first_values->count > 0 && second_values->count > 0) {
    difference->linf = LInfinity(first, second).distance;
    // If not all values are counted, the counts of two samples of the same data
    // differ a lot, and the divergence would say nothing about the data.
    if (first_values->top_error > 0 || second_values->top_error > 0) return;
  }
  difference->js_divergence = JensenShannon(first, second);
}

FeatureDifference Differ(const StatsSummary& first_stats,
                         const FeatureSummary* first,
                         const StatsSummary& second_stats,
                         const FeatureSummary* second) {
  const FeatureSummary& any = first != nullptr ? *first : *second;
  FeatureDifference difference{.name = any.name,
                               .in_sequence = any.in_sequence,
                               .in_first = first != nullptr,
                               .in_second = second != nullptr};
  if (first != nullptr) {
    difference.first_kind = first->kind;
    difference.first_presence = Presence(first_stats, *first);
  }
  if (second != nullptr) {
    difference.second_kind = second->kind;
    difference.second_presence = Presence(second_stats, *second);
  }
  if (first != nullptr && second != nullptr) {
    Measure(*first, *second, &difference);
  }
  return difference;
}

}  // namespace

const BytesStats* NamedValues(const FeatureSummary& feature) {
  if (feature.kind == Kind::kBytes && feature.bytes) return &*feature.bytes;
  if (feature.kind == Kind::kInt64 && feature.categories) {
    return &*feature.categories;
  }
  return nullptr;
}

LargestDifference LInfinity(const FeatureSummary& first,
                            const FeatureSummary& second) {
  const ValueMasses masses = MassesOf(first, second);
  return Largest(masses, Totals(masses));
}

LargestDifference NormalizedDifference(const FeatureSummary& first,
                                       const FeatureSummary& second) {
  const ValueMasses masses = MassesOf(first, second);
  const Masses totals = Totals(masses);
  const double sum = totals.first + totals.second;
  return Largest(masses, {sum, sum});
}

std::optional<double> JensenShannon(const FeatureSummary& first,
                                    const FeatureSummary& second,
                                    tfmd::HistogramType type) {
  const bool first_named = NamedValues(first) != nullptr;
  const bool second_named = NamedValues(second) != nullptr;
  if (first_named && second_named) {
    std::vector<Masses> masses;
    for (const auto& [value, mass] : MassesOf(first, second)) {
      masses.push_back(mass);
    }
    return Divergence(masses);
  }
  if (first_named || second_named) return std::nullopt;
  const std::optional<Histogram> first_numbers = HistogramOf(first, type);
  const std::optional<Histogram> second_numbers = HistogramOf(second, type);
  if (!first_numbers || !second_numbers) return std::nullopt;
  return Divergence(*first_numbers, *second_numbers);
}

double FeatureDifference::distance() const {
  if (!in_first || !in_second || first_kind != second_kind) return 1;
  return std::max({linf.value_or(0), js_divergence.value_or(0),
                   std::fabs(first_presence - second_presence)});
}

std::vector<ComparedFeature> CompareFeatures(const StatsSummary& first,
                                             const StatsSummary& second) {
  std::map<std::pair<bool, std::string_view>, ComparedFeature> features;
  for (const FeatureSummary& feature : first.features) {
    features[{feature.in_sequence, feature.name}].first = &feature;
  }
  for (const FeatureSummary& feature : second.features) {
    features[{feature.in_sequence, feature.name}].second = &feature;
  }
  std::vector<ComparedFeature> compared;
  for (auto& [key, feature] : features) {
    feature.difference = Differ(first, feature.first, second, feature.second);
    compared.push_back(std::move(feature));
  }
  std::ranges::stable_sort(compared, std::greater(),
                           [](const ComparedFeature& feature) {
                             return feature.difference.distance();
                           });
  return compared;
}

std::vector<FeatureDifference> CompareStats(const StatsSummary& first,
                                            const StatsSummary& second) {
  std::vector<FeatureDifference> differences;
  for (ComparedFeature& feature : CompareFeatures(first, second)) {
    differences.push_back(std::move(feature.difference));
  }
  return differences;
}

}  // namespace headrace
