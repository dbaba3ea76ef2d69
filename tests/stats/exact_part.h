// The part of a summary that does not depend on the order of records.

#ifndef HEADRACE_TESTS_STATS_EXACT_PART_H_
#define HEADRACE_TESTS_STATS_EXACT_PART_H_

#include <optional>

#include "headrace/stats_summary.h"

namespace headrace::testing {

// What is exact; of sketches it says only that they are there.
inline StatsSummary ExactPart(StatsSummary stats) {
  const auto forget = [](auto* distribution) {
    if (distribution->rank_error > 0) distribution->items.clear();
  };
  const auto forget_values = [&](std::optional<BytesStats>* bytes) {
    if (!*bytes) return;
    forget(&(*bytes)->lengths.distribution);
    if ((*bytes)->top_error == 0) return;
    (*bytes)->top.clear();
    (*bytes)->top_error = 1;
  };
  for (FeatureSummary& feature : stats.features) {
    forget(&feature.values.distribution);
    forget(&feature.steps.distribution);
    forget(&feature.step_values.distribution);
    if (feature.int64s) forget(&feature.int64s->distribution);
    if (feature.floats) forget(&feature.floats->distribution);
    forget_values(&feature.bytes);
    forget_values(&feature.categories);
  }
  return stats;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_STATS_EXACT_PART_H_
