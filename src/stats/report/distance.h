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

// The value whose share of all values differs most between the sides, and the
// difference. Only the 1,000 most frequent values of each side count.
struct LargestDifference {
  std::string value = {};  // its first bytes
  double distance = 0;
};

// A value's share is its count divided by the count of all values of its side.
// The shares of a side without values are 0.
LargestDifference LInfinity(const FeatureSummary& first,
                            const FeatureSummary& second);
// A value's share is its count divided by the count of all values of both
// sides.
LargestDifference NormalizedDifference(const FeatureSummary& first,
                                       const FeatureSummary& second);

// Returns the Jensen-Shannon divergence, 0 to 1, of the counts of values. For
// numbers it is that of the histograms of this type, as if the numbers in a
// bucket were spread evenly. Empty if a side has no values, or if one has
// numbers and the other bytes. Infinities of one side differ from all values of
// the other, infinities included. NaN is left out. TensorFlow Data Validation
// also leaves it out, unless all buckets have the same ends on both sides: then
// NaN of one side differs from NaN of the other.
std::optional<double> JensenShannon(
    const FeatureSummary& first, const FeatureSummary& second,
    tfmd::HistogramType type = tfmd::HistogramType::kDefault);

// A feature of two datasets; null for a dataset that lacks it.
struct ComparedFeature {
  const FeatureSummary* first = nullptr;
  const FeatureSummary* second = nullptr;
  FeatureDifference difference = {};
};

// Returns the differences of CompareStats, in the same order, with their
// features.
std::vector<ComparedFeature> CompareFeatures(const StatsSummary& first,
                                             const StatsSummary& second);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_DISTANCE_H_
