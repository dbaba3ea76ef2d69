#include "headrace/stats_report.h"
namespace headrace {
std::vector<Anomaly> FindAnomalies(const StatsSummary&, const Schema&,
                                   const std::string&) {
  return {};
}
}  // namespace headrace
