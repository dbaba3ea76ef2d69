// Findings collects the anomalies of one feature.

#ifndef HEADRACE_SRC_STATS_ANOMALIES_FINDINGS_H_
#define HEADRACE_SRC_STATS_ANOMALIES_FINDINGS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/stats_report.h"
#include "src/base/text/numbers.h"

namespace headrace {

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

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_ANOMALIES_FINDINGS_H_
