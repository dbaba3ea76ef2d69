// Reads the features of a schema as TensorFlow Data Validation does.

#ifndef HEADRACE_SRC_STATS_ANOMALIES_SCHEMA_RULES_H_
#define HEADRACE_SRC_STATS_ANOMALIES_SCHEMA_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/schema.h"
#include "src/plan/schema/source_columns.h"

namespace headrace {

bool IsDeprecated(tfmd::LifecycleStage stage);
// T is Feature or SparseFeature.
template <class T>
bool IsDeprecated(const T& feature) {
  return feature.deprecated || IsDeprecated(feature.lifecycle_stage);
}

// Each returns the first one with that path or name; null if there is none.
const tfmd::Feature* FindFeature(const Schema& schema,
                                 const schema::ColumnPath& path);
const tfmd::SparseFeature* FindSparse(const Schema& schema,
                                      const schema::ColumnPath& path);
const tfmd::WeightedFeature* FindWeighted(const Schema& schema,
                                          const schema::ColumnPath& path);
const tfmd::StringDomain* FindStringDomain(const Schema& schema,
                                           std::string_view name);

// Features are in all environments if `environment` is empty.
bool IsInEnvironment(const Schema& schema, const tfmd::Feature& feature,
                     const std::string& environment);
// Whether the data must have the feature.
bool IsRequired(const Schema& schema, const tfmd::Feature& feature,
                const std::string& environment);

// Returns the paths that a dataset must have, in the order of the schema.
std::vector<schema::ColumnPath> RequiredPaths(const Schema& schema,
                                              const std::string& environment);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_ANOMALIES_SCHEMA_RULES_H_
