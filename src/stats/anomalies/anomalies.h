// The checks that make up FindAnomalies, and the rules by which TensorFlow Data
// Validation reads the features of a schema. Each check adds the anomalies that
// it finds to a Findings.

#ifndef HEADRACE_SRC_STATS_ANOMALIES_ANOMALIES_H_
#define HEADRACE_SRC_STATS_ANOMALIES_ANOMALIES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"
#include "src/base/text/numbers.h"
#include "src/plan/schema/source_columns.h"
#include "src/stats/report/feature_view.h"

namespace headrace {

// Collects the anomalies of one feature.
class Findings {
 public:
  // `path` is the path of the feature; empty for the dataset.
  explicit Findings(std::string path) : path_(std::move(path)) {}

  void Add(std::string_view type, std::string short_text, std::string text) {
    anomalies_.push_back({.feature = path_,
                          .type = std::string(type),
                          .short_text = std::move(short_text),
                          .text = std::move(text)});
  }
  const std::vector<Anomaly>& anomalies() const { return anomalies_; }

 private:
  std::string path_;
  std::vector<Anomaly> anomalies_;
};

// The datasets to compare with; null if none is given.
struct Controls {
  const StatsSummary* previous = nullptr;
  const StatsSummary* serving = nullptr;
};

// Reports the contradictions in `feature` and removes them. If nothing of the
// feature can be checked, marks it as deprecated.
void CheckFeatureItself(const Schema& schema, tfmd::Feature* feature,
                        Findings* findings);

// Compares the values with the feature's domain.
void CheckDomain(const Schema& schema, const tfmd::Feature& feature,
                 const FeatureView& view, Findings* findings);

// Compares the distances to the previous and the serving dataset with the
// thresholds of the schema.
void CheckDistances(const tfmd::Feature& feature, const FeatureView& view,
                    const Controls& controls, Findings* findings);

// Checks the number of records.
void CheckRecords(const tfmd::DatasetConstraints& constraints,
                  const StatsSummary& stats, const Controls& controls,
                  Findings* findings);

bool IsDeprecated(tfmd::LifecycleStage stage);
// T is Feature or SparseFeature.
template <class T>
bool IsDeprecated(const T& feature) {
  return feature.deprecated || IsDeprecated(feature.lifecycle_stage);
}

// Each returns the first feature or domain with that path or name; null if
// there is none.
const tfmd::Feature* FindFeature(const Schema& schema,
                                 const schema::ColumnPath& path);
const tfmd::SparseFeature* FindSparse(const Schema& schema,
                                      const schema::ColumnPath& path);
const tfmd::WeightedFeature* FindWeighted(const Schema& schema,
                                          const schema::ColumnPath& path);
const tfmd::StringDomain* FindStringDomain(const Schema& schema,
                                           std::string_view name);

// Whether the feature belongs to the environment. An empty `environment`
// contains every feature.
bool IsInEnvironment(const Schema& schema, const tfmd::Feature& feature,
                     const std::string& environment);
// Whether the data of the environment must have the feature.
bool IsRequired(const Schema& schema, const tfmd::Feature& feature,
                const std::string& environment);

// Returns the paths that a dataset must have, in the order of the schema.
std::vector<schema::ColumnPath> RequiredPaths(const Schema& schema,
                                              const std::string& environment);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_ANOMALIES_ANOMALIES_H_
