// Summaries of a few values, for tests of what is made of them.

#ifndef HEADRACE_TESTS_REPORT_SUMMARIES_H_
#define HEADRACE_TESTS_REPORT_SUMMARIES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "headrace/stats_summary.h"
#include "headrace/types.h"
#include "tests/random/counted_values.h"

namespace headrace::testing {

// Each record that has the feature has one value of it.
inline void SetOneValueEach(uint64_t present, FeatureSummary* feature) {
  feature->present = present;
  if (present == 0) return;
  feature->values = {.count = present, .min = 1, .max = 1, .total = present};
}

inline FeatureSummary IntSummary(std::string name,
                                 const std::vector<int64_t>& sorted) {
  FeatureSummary feature{.name = std::move(name), .kind = Kind::kInt64};
  SetOneValueEach(sorted.size(), &feature);
  feature.int64s = NumbersOf(sorted);
  return feature;
}

inline FeatureSummary FloatSummary(std::string name,
                                   const std::vector<float>& sorted) {
  FeatureSummary feature{.name = std::move(name), .kind = Kind::kFloat};
  SetOneValueEach(sorted.size(), &feature);
  feature.floats = NumbersOf(sorted);
  return feature;
}

inline FeatureSummary BytesSummary(
    std::string name,
    const std::vector<std::pair<std::string, uint64_t>>& counts) {
  FeatureSummary feature{.name = std::move(name), .kind = Kind::kBytes};
  BytesStats& bytes = feature.bytes.emplace();
  for (const auto& [value, count] : counts) {
    bytes.top.push_back({value, value.size(), count, 0});
    bytes.count += count;
    ++bytes.distinct;
  }
  bytes.utf8 = bytes.count;
  SetOneValueEach(bytes.count, &feature);
  return feature;
}

inline StatsSummary DatasetSummary(uint64_t records,
                                   std::vector<FeatureSummary> features) {
  return {.message = MessageType::kExample,
          .records = records,
          .features = std::move(features)};
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_REPORT_SUMMARIES_H_
