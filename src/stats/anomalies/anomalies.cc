// FindAnomalies compares statistics with a schema, by the rules of TensorFlow
// Data Validation.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "headrace/stats_report.h"
#include "src/stats/anomalies/drift.h"
#include "src/stats/anomalies/feature_anomalies.h"
#include "src/stats/anomalies/findings.h"
#include "src/stats/anomalies/schema_rules.h"
#include "src/stats/report/feature_view.h"

namespace headrace {
namespace {

using schema::ColumnPath;

class AnomalyFinder {
 public:
  AnomalyFinder(const StatsSummary& stats, const Schema& schema,
                const std::string& environment, const Controls& controls)
      : stats_(stats),
        schema_(schema),
        environment_(environment),
        controls_(controls) {}

  std::vector<Anomaly> Find();

 private:
  void Check(const FeatureView& view);
  bool CheckKnown(const FeatureView& view, Findings* findings);
  void CheckMissing();
  Findings& At(const ColumnPath& path) {
    return findings_.try_emplace(path, PathText(path)).first->second;
  }

  const StatsSummary& stats_;
  const Schema& schema_;
  const std::string& environment_;
  const Controls& controls_;
  std::map<ColumnPath, Findings> findings_ = {};
};

// Returns whether the feature's children may be checked, too.
bool AnomalyFinder::CheckKnown(const FeatureView& view, Findings* findings) {
  const ColumnPath path = view.path();
  const tfmd::Feature* const feature = FindFeature(schema_, path);
  const tfmd::SparseFeature* const sparse = FindSparse(schema_, path);
  const tfmd::WeightedFeature* const weighted = FindWeighted(schema_, path);
  const auto collide = [&](const char* type, const char* thing) {
    findings->Add(type, "Two features of one name",
                  std::string("the schema has a ") + thing +
                      " of the name of another feature");
  };
  if (weighted != nullptr) {
    if ((feature == nullptr && sparse == nullptr) ||
        IsDeprecated(weighted->lifecycle_stage)) {
      return true;
    }
    collide("WEIGHTED_FEATURE_NAME_COLLISION", "weighted feature");
    return false;
  }
  if (sparse != nullptr && !IsDeprecated(*sparse)) {
    if (feature == nullptr || IsDeprecated(*feature)) return true;
    collide("SPARSE_FEATURE_NAME_COLLISION", "sparse feature");
    return false;
  }
  return CheckFeature(schema_, *feature, view, environment_, controls_,
                      findings);
}

void AnomalyFinder::Check(const FeatureView& view) {
  const ColumnPath path = view.path();
  const tfmd::Feature* const feature = FindFeature(schema_, path);
  const tfmd::SparseFeature* const sparse = FindSparse(schema_, path);
  const bool is_known = feature != nullptr || sparse != nullptr ||
                        FindWeighted(schema_, path) != nullptr;
  // The children of a new feature are part of it, and not reported.
  if (!is_known) {
    At(path).Add("SCHEMA_NEW_COLUMN", "New feature",
                 "the data have the feature, and the schema does not");
    return;
  }
  if (feature != nullptr ? IsDeprecated(*feature)
                         : sparse != nullptr && IsDeprecated(*sparse)) {
    return;
  }
  if (!CheckKnown(view, &At(path)) || !view.is_struct()) return;
  for (const FeatureView& child : ListViews(stats_)) Check(child);
}

void AnomalyFinder::CheckMissing() {
  std::set<ColumnPath> present;
  for (const auto& views : {RootViews(stats_), ListViews(stats_)}) {
    for (const FeatureView& view : views) present.insert(view.path());
  }
  for (const ColumnPath& path : RequiredPaths(schema_, environment_)) {
    if (present.contains(path)) continue;
    At(path).Add("SCHEMA_MISSING_COLUMN", "Missing feature",
                 "the schema wants the feature, and the data do not have it");
  }
}

std::vector<Anomaly> AnomalyFinder::Find() {
  Findings dataset("");
  if (stats_.records == 0) {
    dataset.Add("NO_DATA_IN_SPAN", "No records",
                "there are no records, so nothing can be checked");
    return dataset.anomalies();
  }
  if (schema_.dataset_constraints) {
    CheckRecords(*schema_.dataset_constraints, stats_, controls_, &dataset);
  }
  for (const FeatureView& view : RootViews(stats_)) Check(view);
  CheckMissing();
  std::vector<Anomaly> anomalies = dataset.anomalies();
  for (const auto& [path, findings] : findings_) {
    anomalies.insert(anomalies.end(), findings.anomalies().begin(),
                     findings.anomalies().end());
  }
  return anomalies;
}

}  // namespace

std::vector<Anomaly> FindAnomalies(const StatsSummary& stats,
                                   const Schema& schema,
                                   const std::string& environment,
                                   const StatsSummary* previous,
                                   const StatsSummary* serving) {
  const Controls controls{.previous = previous, .serving = serving};
  return AnomalyFinder(stats, schema, environment, controls).Find();
}

}  // namespace headrace
