// Compares a dataset with a previous one, or with the data that a model serves.

#include <cstdint>
#include <optional>
#include <string>

#include "src/plan/tfmd/text_tokenizer.h"
#include "src/stats/anomalies/anomalies.h"
#include "src/stats/report/distance.h"

namespace headrace {
namespace {

// A comparator of the schema, and the dataset to compare with.
struct Comparison {
  const std::optional<tfmd::FeatureComparator>& comparator;
  const StatsSummary* control;
  const char* control_name;
};

std::string ValueText(const LargestDifference& difference) {
  return "; " + tfmd_forms::QuoteText(difference.value) + " differs most";
}

void CheckThresholds(const FeatureSummary& feature,
                     const FeatureSummary& control,
                     const Comparison& comparison, Findings* findings) {
  const std::string data =
      std::string(" from the ") + comparison.control_name + " data";
  const auto check = [&](const char* type, const char* name, double distance,
                         double threshold, const std::string& more) {
    if (!(distance > threshold)) return;
    findings->Add(type, "Far" + data,
                  "the " + (name + data) + " is " + NumberText(distance) +
                      ", above " + NumberText(threshold) + more);
  };
  const tfmd::FeatureComparator& limits = *comparison.comparator;
  if (limits.infinity_norm) {
    const LargestDifference largest = LInfinity(feature, control);
    check("COMPARATOR_L_INFTY_HIGH", "L-infinity distance", largest.distance,
          *limits.infinity_norm, ValueText(largest));
  }
  if (limits.normalized_abs_difference) {
    const LargestDifference largest = NormalizedDifference(feature, control);
    check("COMPARATOR_NORMALIZED_ABSOLUTE_DIFFERENCE_HIGH",
          "normalized absolute difference", largest.distance,
          *limits.normalized_abs_difference, ValueText(largest));
  }
  if (!limits.jensen_shannon_divergence) return;
  if (const std::optional<double> divergence =
          JensenShannon(feature, control, limits.histogram)) {
    check("COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH",
          "Jensen-Shannon divergence", *divergence,
          *limits.jensen_shannon_divergence, "");
  }
}

void Compare(const FeatureView& view, const Comparison& comparison,
             Findings* findings) {
  if (!comparison.comparator || comparison.control == nullptr) return;
  const tfmd::FeatureComparator& limits = *comparison.comparator;
  if (!limits.infinity_norm && !limits.jensen_shannon_divergence &&
      !limits.normalized_abs_difference) {
    return;
  }
  const FeatureSummary* const feature = view.feature();
  const FeatureSummary* const control =
      view.is_struct()
          ? nullptr
          : comparison.control->Find(feature->name, feature->in_sequence);
  const bool is_there =
      view.is_struct() ? comparison.control->message == MessageType::kSequence
                       : control != nullptr;
  if (!is_there) {
    findings->Add(
        "COMPARATOR_CONTROL_DATA_MISSING",
        std::string("Not in the ") + comparison.control_name + " data",
        std::string("the ") + comparison.control_name +
            " data do not have the feature that the schema wants "
            "compared with them");
  } else if (control != nullptr) {
    CheckThresholds(*feature, *control, comparison, findings);
  }
}

void CheckRatio(const tfmd::NumericValueComparator& limits, uint64_t records,
                uint64_t previous, Findings* findings) {
  const double ratio = previous == 0 ? 0
                                     : static_cast<double>(records) /
                                           static_cast<double>(previous);
  const auto times = [&](const char* side, double threshold) {
    return Counted(records, "record") + " are " + NumberText(ratio) +
           " times the " + std::to_string(previous) +
           " of the previous data, " + side + " " + NumberText(threshold);
  };
  if (limits.max_fraction_threshold) {
    if (previous == 0) {
      findings->Add("COMPARATOR_HIGH_NUM_EXAMPLES", "Many records",
                    "the previous data have no records");
    } else if (ratio > *limits.max_fraction_threshold) {
      findings->Add("COMPARATOR_HIGH_NUM_EXAMPLES", "Many records",
                    times("above", *limits.max_fraction_threshold));
    }
  }
  if (limits.min_fraction_threshold && previous != 0 &&
      ratio < *limits.min_fraction_threshold) {
    findings->Add("COMPARATOR_LOW_NUM_EXAMPLES", "Few records",
                  times("below", *limits.min_fraction_threshold));
  }
}

}  // namespace

void CheckDistances(const tfmd::Feature& feature, const FeatureView& view,
                    const Controls& controls, Findings* findings) {
  Compare(view, {feature.drift_comparator, controls.previous, "previous"},
          findings);
  Compare(view, {feature.skew_comparator, controls.serving, "serving"},
          findings);
}

void CheckRecords(const tfmd::DatasetConstraints& constraints,
                  const StatsSummary& stats, const Controls& controls,
                  Findings* findings) {
  if (constraints.num_examples_drift_comparator &&
      controls.previous != nullptr) {
    CheckRatio(*constraints.num_examples_drift_comparator, stats.records,
               controls.previous->records, findings);
  }
  const std::string records = Counted(stats.records, "record");
  const auto count = static_cast<double>(stats.records);
  if (constraints.min_examples_count &&
      count < static_cast<double>(*constraints.min_examples_count)) {
    findings->Add("DATASET_LOW_NUM_EXAMPLES", "Few records",
                  records + ", and the schema wants " +
                      std::to_string(*constraints.min_examples_count));
  }
  if (constraints.max_examples_count &&
      count > static_cast<double>(*constraints.max_examples_count)) {
    findings->Add("DATASET_HIGH_NUM_EXAMPLES", "Many records",
                  records + ", and the schema allows " +
                      std::to_string(*constraints.max_examples_count));
  }
}

}  // namespace headrace
