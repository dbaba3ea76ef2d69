#include "headrace/stats_report.h"

namespace headrace {

std::vector<std::string> CategoricalFeatures(const Schema& schema) {
  std::vector<std::string> names;
  for (const tfmd::Feature& feature : schema.features) {
    if (feature.type == tfmd::FeatureType::kInt && feature.int_domain &&
        feature.int_domain->is_categorical.value_or(false)) {
      names.push_back(feature.name);
    }
  }
  return names;
}

}  // namespace headrace
