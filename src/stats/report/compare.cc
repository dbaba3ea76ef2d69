// CompareStats pairs the features of two summaries and measures how far apart
// they are.

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "headrace/stats_report.h"
#include "src/stats/report/distance.h"

namespace headrace {
namespace {

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
    // If not all values are counted, two samples of the same data differ a lot,
    // so the divergence says nothing about the data.
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

double FeatureDifference::distance() const {
  if (!in_first || !in_second || first_kind != second_kind) return 1;
  return std::max({linf.value_or(0), js_divergence.value_or(0),
                   std::fabs(first_presence - second_presence)});
}

std::vector<FeatureDifference> CompareStats(const StatsSummary& first,
                                            const StatsSummary& second) {
  using Key = std::pair<bool, std::string_view>;
  using Sides = std::pair<const FeatureSummary*, const FeatureSummary*>;
  std::map<Key, Sides> features;
  for (const FeatureSummary& feature : first.features) {
    features[{feature.in_sequence, feature.name}].first = &feature;
  }
  for (const FeatureSummary& feature : second.features) {
    features[{feature.in_sequence, feature.name}].second = &feature;
  }
  std::vector<FeatureDifference> differences;
  for (const auto& [key, sides] : features) {
    differences.push_back(Differ(first, sides.first, second, sides.second));
  }
  std::stable_sort(differences.begin(), differences.end(),
                   [](const FeatureDifference& a, const FeatureDifference& b) {
                     return a.distance() > b.distance();
                   });
  return differences;
}

}  // namespace headrace
