// The output of headrace stats for people.

#ifndef HEADRACE_SRC_CLI_VERBS_STATS_TEXT_H_
#define HEADRACE_SRC_CLI_VERBS_STATS_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"
#include "headrace/tfds.h"

namespace headrace::cli {

// Returns a line for each feature, remarks on what deserves attention, and the
// totals. Features of a TFDS folder, if there is one, are a tree, and labels
// have names.
std::string StatsTable(const StatsSummary& stats, const tfds::Info* folder,
                       size_t width, bool color);

// Returns a line for each feature that differs, the most different first.
std::string DifferenceTable(const std::vector<FeatureDifference>& differences,
                            size_t width, bool color);

// Returns presence and mean of each feature by class.
std::string ClassTable(const StatsSummary& stats, size_t width, bool color);

// Returns a line for each anomaly.
std::string AnomalyTable(const std::vector<Anomaly>& anomalies, size_t width,
                         bool color);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_STATS_TEXT_H_
