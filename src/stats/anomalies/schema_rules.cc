// Finds the features of a schema, and decides which of them are deprecated,
// required or categorical.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/stats_report.h"
#include "src/plan/schema/source_columns.h"
#include "src/stats/anomalies/anomalies.h"

namespace headrace {
namespace {

using schema::ColumnPath;

template <class T>
const T* Named(const std::vector<T>& list, std::string_view name) {
  for (const T& item : list) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

bool Contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Returns the feature that contains the last step of the path; null if there is
// none.
const tfmd::Feature* FindParent(const Schema& schema, ColumnPath path) {
  path.pop_back();
  return FindFeature(schema, path);
}

void AddRequired(const Schema& schema,
                 const std::vector<tfmd::Feature>& features,
                 const std::string& environment, ColumnPath* path,
                 std::vector<ColumnPath>* required) {
  for (const tfmd::Feature& feature : features) {
    path->push_back(feature.name);
    if (IsRequired(schema, feature, environment)) required->push_back(*path);
    if (!IsDeprecated(feature)) {
      AddRequired(schema, feature.children, environment, path, required);
    }
    path->pop_back();
  }
}

}  // namespace

bool IsDeprecated(tfmd::LifecycleStage stage) {
  using enum tfmd::LifecycleStage;
  return stage == kPlanned || stage == kAlpha || stage == kDeprecated ||
         stage == kDebugOnly || stage == kDisabled;
}

const tfmd::Feature* FindFeature(const Schema& schema, const ColumnPath& path) {
  const std::vector<tfmd::Feature>* features = &schema.features;
  const tfmd::Feature* found = nullptr;
  for (const std::string& step : path) {
    found = Named(*features, step);
    if (found == nullptr) return nullptr;
    features = &found->children;
  }
  return found;
}

const tfmd::SparseFeature* FindSparse(const Schema& schema,
                                      const ColumnPath& path) {
  if (path.size() == 1) return Named(schema.sparse_features, path[0]);
  const tfmd::Feature* const parent = FindParent(schema, path);
  return parent == nullptr ? nullptr
                           : Named(parent->sparse_children, path.back());
}

const tfmd::WeightedFeature* FindWeighted(const Schema& schema,
                                          const ColumnPath& path) {
  return path.size() == 1 ? Named(schema.weighted_features, path[0]) : nullptr;
}

const tfmd::StringDomain* FindStringDomain(const Schema& schema,
                                           std::string_view name) {
  for (const tfmd::StringDomain& domain : schema.string_domains) {
    if (domain.name.value_or(std::string()) == name) return &domain;
  }
  return nullptr;
}

bool IsInEnvironment(const Schema& schema, const tfmd::Feature& feature,
                     const std::string& environment) {
  if (environment.empty() || Contains(feature.in_environment, environment)) {
    return true;
  }
  return !Contains(feature.not_in_environment, environment) &&
         Contains(schema.default_environments, environment);
}

bool IsRequired(const Schema& schema, const tfmd::Feature& feature,
                const std::string& environment) {
  if (IsDeprecated(feature) || !feature.presence) return false;
  if (feature.presence->min_count.value_or(0) <= 0 &&
      !(feature.presence->min_fraction.value_or(0) > 0)) {
    return false;
  }
  return IsInEnvironment(schema, feature, environment);
}

std::vector<ColumnPath> RequiredPaths(const Schema& schema,
                                      const std::string& environment) {
  ColumnPath path;
  std::vector<ColumnPath> required;
  AddRequired(schema, schema.features, environment, &path, &required);
  return required;
}

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
