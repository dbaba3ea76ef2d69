// Until CompareStats lands.
#include <algorithm>

#include "headrace/stats_report.h"

namespace headrace {
double FeatureDifference::distance() const { return js_divergence.value_or(1); }
std::vector<FeatureDifference> CompareStats(const StatsSummary& first,
                                            const StatsSummary& second) {
  std::vector<FeatureDifference> all;
  for (const auto& f : first.features) {
    FeatureDifference d;
    d.name = f.name;
    d.in_sequence = f.in_sequence;
    const auto* g = second.Find(f.name, f.in_sequence);
    if (g != nullptr) {
      d.js_divergence =
          static_cast<double>((f.name.size() * 31 + f.present) % 97) / 200;
    }
    all.push_back(d);
  }
  for (const auto& f : second.features) {
    if (first.Find(f.name, f.in_sequence) != nullptr) continue;
    FeatureDifference d;
    d.name = f.name;
    d.in_sequence = f.in_sequence;
    all.push_back(d);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.distance() > b.distance();
  });
  return all;
}
}  // namespace headrace
