// FindAnomalies compares statistics with a schema, by the rules of TensorFlow
// Data Validation.

#include "src/stats/anomalies/anomalies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/stats_report.h"
#include "src/plan/tfmd/text_tokenizer.h"
#include "src/stats/report/feature_view.h"

namespace headrace {
namespace {

using schema::ColumnPath;

void CheckCount(const tfmd::ValueCount& count, const FeatureView::Level& level,
                const std::string& where, Findings* findings) {
  const auto text = [&](const char* most, uint64_t found, const char* wanted,
                        int64_t limit) {
    return std::string("the ") + most + " list" + where + " has " +
           Counted(found, "value") + ", and the schema wants at " + wanted +
           " " + std::to_string(limit);
  };
  if (count.min &&
      static_cast<double>(level.min) < static_cast<double>(*count.min)) {
    findings->Add("FEATURE_TYPE_LOW_NUMBER_VALUES", "Too few values",
                  text("shortest", level.min, "least", *count.min));
  }
  if (count.max &&
      static_cast<double>(level.max) > static_cast<double>(*count.max)) {
    findings->Add("FEATURE_TYPE_HIGH_NUMBER_VALUES", "Too many values",
                  text("longest", level.max, "most", *count.max));
  }
}

void CheckCounts(const tfmd::Feature& feature, const FeatureView& view,
                 Findings* findings) {
  constexpr std::string_view kMismatch = "VALUE_NESTEDNESS_MISMATCH";
  const std::vector<FeatureView::Level> levels = view.levels();
  if (feature.value_count) {
    if (levels.size() > 1) {
      findings->Add(kMismatch, "Lists of lists",
                    "the schema has a value_count; a feature list, which has "
                    "steps and values of these, has value_counts instead");
      return;
    }
    CheckCount(*feature.value_count, levels[0], "", findings);
  }
  if (!feature.value_counts) return;
  if (feature.value_counts->size() != levels.size()) {
    findings->Add(kMismatch, "Lists of lists",
                  "the schema has value_counts of " +
                      Counted(feature.value_counts->size(), "level") +
                      ", and the data have " + std::to_string(levels.size()));
    return;
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    CheckCount((*feature.value_counts)[i], levels[i],
               " at level " + std::to_string(i), findings);
  }
}

// Returns the number of values that every record has; empty if the number
// varies or is 0, or if lists are missing.
std::optional<uint64_t> FixedCount(const FeatureView& view) {
  uint64_t count = 1;
  for (const FeatureView::Level& level : view.levels()) {
    if (level.missing > 0 || level.min != level.max || level.min == 0 ||
        __builtin_mul_overflow(count, level.min, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

// Returns the number of values of the shape; empty if it overflows.
std::optional<uint64_t> CountOf(const tfmd::FixedShape& shape) {
  uint64_t count = 1;
  for (const tfmd::FixedShape::Dim& dim : shape.dims) {
    const auto size = static_cast<uint64_t>(dim.size.value_or(0));
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

void CheckShape(const tfmd::FixedShape& shape, const FeatureView& view,
                Findings* findings) {
  constexpr std::string_view kType = "INVALID_FEATURE_SHAPE";
  const std::optional<uint64_t> count = FixedCount(view);
  if (!count) {
    findings->Add(kType, "Shape does not fit",
                  "the feature has a shape, but not all records have it with "
                  "the same number of values");
  } else if (const auto wanted = CountOf(shape); wanted != count) {
    findings->Add(kType, "Shape does not fit",
                  "every record has " + Counted(*count, "value") +
                      ", but the shape has " +
                      (wanted ? Grouped(*wanted) : "2^64 or more"));
  }
}

void CheckPresence(const tfmd::FeaturePresence& presence,
                   const FeatureView& view, Findings* findings) {
  const auto present = static_cast<double>(view.present());
  const std::string found = "the feature is in " +
                            std::to_string(view.present()) + " of " +
                            Counted(view.records(), "record");
  if (presence.min_count &&
      present < static_cast<double>(*presence.min_count)) {
    findings->Add("FEATURE_TYPE_LOW_NUMBER_PRESENT", "In too few records",
                  found + ", and the schema wants it in " +
                      std::to_string(*presence.min_count));
  }
  const double fraction = present / static_cast<double>(view.records());
  if (presence.min_fraction && fraction < *presence.min_fraction) {
    findings->Add("FEATURE_TYPE_LOW_FRACTION_PRESENT", "In too few records",
                  found + ", and the schema wants it in at least " +
                      NumberText(100 * *presence.min_fraction) + "%");
  }
}

void CheckUnique(const tfmd::UniqueConstraints& unique, const FeatureView& view,
                 Findings* findings) {
  const BytesStats* const values = view.named_values();
  if (values == nullptr && view.type() != tfmd::FeatureType::kBytes) {
    findings->Add("FEATURE_TYPE_NO_UNIQUE", "Distinct values not counted",
                  "the schema has unique_constraints, and distinct values are "
                  "counted of bytes and categories only");
    return;
  }
  const uint64_t count = values == nullptr ? 0 : values->distinct;
  const auto distinct = static_cast<double>(count);
  const std::string found = Counted(count, "distinct value");
  if (unique.min && distinct < static_cast<double>(*unique.min)) {
    findings->Add(
        "FEATURE_TYPE_LOW_UNIQUE", "Too few distinct values",
        found + ", and the schema wants " + std::to_string(*unique.min));
  }
  if (unique.max && distinct > static_cast<double>(*unique.max)) {
    findings->Add(
        "FEATURE_TYPE_HIGH_UNIQUE", "Too many distinct values",
        found + ", and the schema allows " + std::to_string(*unique.max));
  }
}

// Compares the statistics of a feature with what the schema says about it.
// Returns whether its children can be compared, too.
bool CheckFeature(const Schema& schema, const tfmd::Feature& in_schema,
                  const FeatureView& view, const std::string& environment,
                  const Controls& controls, Findings* findings) {
  tfmd::Feature feature = in_schema;
  CheckFeatureItself(schema, &feature, findings);
  if (IsDeprecated(feature)) return false;
  if (view.present() == 0) {
    if (!IsRequired(schema, feature, environment)) return true;
    findings->Add("FEATURE_TYPE_NOT_PRESENT", "In no record",
                  "the schema wants the feature, and no record has it with a "
                  "value list");
    return false;
  }
  if (!IsInEnvironment(schema, feature, environment)) {
    findings->Add("SCHEMA_NEW_COLUMN", "Not in this environment",
                  "the schema has the feature, but not in the environment " +
                      tfmd_forms::QuoteText(environment));
  }
  CheckCounts(feature, view, findings);
  if (feature.shape) CheckShape(*feature.shape, view, findings);
  if (feature.presence) CheckPresence(*feature.presence, view, findings);
  const bool has_type = view.type() == feature.type;
  if (!has_type) {
    findings->Add("UNEXPECTED_DATA_TYPE", "Values of another type",
                  "the schema has type " +
                      std::string(tfmd::FeatureTypeName(feature.type)) +
                      ", and the data are " +
                      std::string(tfmd::FeatureTypeName(view.type())));
  }
  CheckDomain(schema, feature, view, findings);
  if (feature.unique_constraints) {
    CheckUnique(*feature.unique_constraints, view, findings);
  }
  CheckDistances(feature, view, controls, findings);
  return has_type;
}

class AnomalyFinder {
 public:
  AnomalyFinder(const StatsSummary& stats, const Schema& schema,
                const std::string& environment, const Controls& controls)
      : stats_(stats),
        schema_(schema),
        environment_(environment),
        controls_(controls) {}

  std::vector<Anomaly> Find() {
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

 private:
  void Check(const FeatureView& view) {
    const ColumnPath path = view.path();
    const tfmd::Feature* const feature = FindFeature(schema_, path);
    const tfmd::SparseFeature* const sparse = FindSparse(schema_, path);
    const tfmd::WeightedFeature* const weighted = FindWeighted(schema_, path);
    // The children of a new feature are not reported separately.
    if (feature == nullptr && sparse == nullptr && weighted == nullptr) {
      At(path).Add("SCHEMA_NEW_COLUMN", "New feature",
                   "the data have the feature, and the schema does not");
      return;
    }
    if (feature != nullptr ? IsDeprecated(*feature)
                           : sparse != nullptr && IsDeprecated(*sparse)) {
      return;
    }
    if (!CheckKnown(feature, sparse, weighted, view, &At(path)) ||
        !view.is_struct()) {
      return;
    }
    for (const FeatureView& child : ListViews(stats_)) Check(child);
  }

  // Returns whether the feature's children can be checked, too.
  bool CheckKnown(const tfmd::Feature* feature,
                  const tfmd::SparseFeature* sparse,
                  const tfmd::WeightedFeature* weighted,
                  const FeatureView& view, Findings* findings) {
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

  void CheckMissing() {
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

  Findings& At(const ColumnPath& path) {
    return findings_.try_emplace(path, PathText(path)).first->second;
  }

  const StatsSummary& stats_;
  const Schema& schema_;
  const std::string& environment_;
  const Controls& controls_;
  std::map<ColumnPath, Findings> findings_ = {};
};

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
