// Compares distances from an older dataset, or from the one that a model
// serves, with the thresholds of a schema.

#ifndef HEADRACE_SRC_STATS_ANOMALIES_DRIFT_H_
#define HEADRACE_SRC_STATS_ANOMALIES_DRIFT_H_

#include "headrace/schema.h"
#include "headrace/stats_summary.h"
#include "src/stats/anomalies/findings.h"
#include "src/stats/report/feature_view.h"

namespace headrace {

// The datasets to compare with; null if there is none.
struct Controls {
  const StatsSummary* previous = nullptr;
  const StatsSummary* serving = nullptr;
};

void CheckDistances(const tfmd::Feature& feature, const FeatureView& view,
                    const Controls& controls, Findings* findings);

// Checks the number of records.
void CheckRecords(const tfmd::DatasetConstraints& constraints,
                  const StatsSummary& stats, const Controls& controls,
                  Findings* findings);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_ANOMALIES_DRIFT_H_
