// Checks a feature of a dataset against the feature of a schema.

#ifndef HEADRACE_SRC_STATS_ANOMALIES_FEATURE_ANOMALIES_H_
#define HEADRACE_SRC_STATS_ANOMALIES_FEATURE_ANOMALIES_H_

#include <string>

#include "headrace/schema.h"
#include "src/stats/anomalies/drift.h"
#include "src/stats/anomalies/findings.h"
#include "src/stats/report/feature_view.h"

namespace headrace {

// Compares the statistics of a feature with what the schema says about it.
// Returns whether they agree enough for its children to be compared, too.
bool CheckFeature(const Schema& schema, const tfmd::Feature& feature,
                  const FeatureView& view, const std::string& environment,
                  const Controls& controls, Findings* findings);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_ANOMALIES_FEATURE_ANOMALIES_H_
