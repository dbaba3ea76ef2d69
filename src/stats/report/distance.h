// Distances between the values of one feature in two datasets, as TensorFlow
// Data Validation defines them.

#ifndef HEADRACE_SRC_STATS_REPORT_DISTANCE_H_
#define HEADRACE_SRC_STATS_REPORT_DISTANCE_H_

#include <optional>
#include <string>
#include <vector>

#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"

namespace headrace {

// Returns the values of a feature of bytes or categories; null if it has none,
// or is of another kind.
const BytesStats* NamedValues(const FeatureSummary& feature);

// The value whose share of the values differs most, and by how much. Only the
// 1,000 most frequent values of each side count.
struct LargestDifference {
  std::string value = {};  // its first bytes
  double distance = 0;
};

// The shares of a side without values are 0.
LargestDifference LInfinity(const FeatureSummary& first,
                            const FeatureSummary& second);
// The shares are those of the values of both sides.
LargestDifference NormalizedDifference(const FeatureSummary& first,
                                       const FeatureSummary& second);

// Returns 0 to 1, from the counts of values, or else from histograms of that
// type, assuming that numbers are spread evenly in a bucket. Empty if a side
// has no values, or if one has numbers and the other bytes. Infinities of one
// side differ from all values of the other, infinities included; NaN is left
// out. (TensorFlow Data Validation leaves it out unless all buckets have the
// same ends on both sides: then it differs from the NaN of the other side.)
std::optional<double> JensenShannon(
    const FeatureSummary& first, const FeatureSummary& second,
    tfmd::HistogramType type = tfmd::HistogramType::kDefault);

// A feature of two datasets, null in one that lacks it.
struct ComparedFeature {
  const FeatureSummary* first = nullptr;
  const FeatureSummary* second = nullptr;
  FeatureDifference difference = {};
};

// Returns what CompareStats does, in the same order, with the features.
std::vector<ComparedFeature> CompareFeatures(const StatsSummary& first,
                                             const StatsSummary& second);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_DISTANCE_H_
