// Distances from an older dataset, or the one that a model serves, compared
// with the thresholds of a schema.

#ifndef HEADRACE_SRC_STATS_ANOMALIES_DRIFT_H_
#define HEADRACE_SRC_STATS_ANOMALIES_DRIFT_H_

#include "headrace/schema.h"
#include "headrace/stats_summary.h"
#include "src/stats/anomalies/findings.h"
#include "src/stats/report/feature_view.h"

namespace headrace {

// The datasets that others are compared with; null if there is none.
struct Controls {
  const StatsSummary* previous = nullptr;
  const StatsSummary* serving = nullptr;
};

void CheckDistances(const tfmd::Feature& feature, const FeatureView& view,
                    const Controls& controls, Findings* findings);

// How many records there are.
void CheckRecords(const tfmd::DatasetConstraints& constraints,
                  const StatsSummary& stats, const Controls& controls,
                  Findings* findings);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_ANOMALIES_DRIFT_H_
