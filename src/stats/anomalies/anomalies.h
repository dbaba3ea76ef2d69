// The checks of FindAnomalies, each of which adds what it finds to Findings.

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
#include "src/stats/report/feature_view.h"

namespace headrace {

// Collects the anomalies of one feature.
class Findings {
 public:
  // `path` is the feature's, empty for the dataset.
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

// The datasets to compare with; null if there is none.
struct Controls {
  const StatsSummary* previous = nullptr;
  const StatsSummary* serving = nullptr;
};

// Removes contradictions from `feature`, and reports them. A feature of which
// nothing can be checked becomes deprecated.
void CheckFeatureItself(const Schema& schema, tfmd::Feature* feature,
                        Findings* findings);

// Compares the values with the feature's domain.
void CheckDomain(const Schema& schema, const tfmd::Feature& feature,
                 const FeatureView& view, Findings* findings);

// Compares distances from an older dataset, or from the one that a model
// serves, with the thresholds of the schema.
void CheckDistances(const tfmd::Feature& feature, const FeatureView& view,
                    const Controls& controls, Findings* findings);

// Checks the number of records.
void CheckRecords(const tfmd::DatasetConstraints& constraints,
                  const StatsSummary& stats, const Controls& controls,
                  Findings* findings);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_ANOMALIES_ANOMALIES_H_
