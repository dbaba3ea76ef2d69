#include "src/plan/tfmd/constraint_writer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/schema.h"
#include "src/plan/tfmd/text_writer.h"

namespace headrace::tfmd_forms {
namespace {

// Writes a value if it is set.
void Put(std::string_view name, const std::optional<int64_t>& value,
         TextWriter* out) {
  if (value) out->Int(name, *value);
}
void Put(std::string_view name, const std::optional<bool>& value,
         TextWriter* out) {
  if (value) out->Word(name, *value ? "true" : "false");
}
void Put(std::string_view name, const std::optional<float>& value,
         TextWriter* out) {
  if (value) out->Float(name, *value);
}
void Put(std::string_view name, const std::optional<double>& value,
         TextWriter* out) {
  if (value) out->Double(name, *value);
}
void Put(std::string_view name, const std::optional<std::string>& value,
         TextWriter* out) {
  if (value) out->String(name, *value);
}
void Put(std::string_view name, const std::vector<std::string>& values,
         TextWriter* out) {
  for (const std::string& value : values) out->String(name, value);
}

void Fields(const tfmd::IntDomain& domain, TextWriter* out) {
  Put("name", domain.name, out);
  Put("min", domain.min, out);
  Put("max", domain.max, out);
  Put("is_categorical", domain.is_categorical, out);
}

void Fields(const tfmd::FloatDomain& domain, TextWriter* out) {
  Put("name", domain.name, out);
  Put("min", domain.min, out);
  Put("max", domain.max, out);
  Put("disallow_nan", domain.disallow_nan, out);
  Put("disallow_inf", domain.disallow_inf, out);
  Put("is_embedding", domain.is_embedding, out);
  Put("is_categorical", domain.is_categorical, out);
  Put("embedding_dim", domain.embedding_dim, out);
  Put("embedding_type", domain.embedding_type, out);
}

std::string_view CategoricalName(tfmd::Categorical categorical) {
  switch (categorical) {
    case tfmd::Categorical::kYes:
      return "CATEGORICAL_YES";
    case tfmd::Categorical::kNo:
      return "CATEGORICAL_NO";
    case tfmd::Categorical::kUnspecified:
      break;
  }
  return "CATEGORICAL_UNSPECIFIED";
}

void Fields(const tfmd::StringDomain& domain, TextWriter* out) {
  Put("name", domain.name, out);
  Put("value", domain.values, out);
  if (domain.is_categorical) {
    out->Word("is_categorical", CategoricalName(*domain.is_categorical));
  }
}

void Fields(const tfmd::BoolDomain& domain, TextWriter* out) {
  Put("name", domain.name, out);
  Put("true_value", domain.true_value, out);
  Put("false_value", domain.false_value, out);
}

void Fields(const tfmd::ImageDomain& domain, TextWriter* out) {
  Put("minimum_supported_image_fraction",
      domain.minimum_supported_image_fraction, out);
  Put("max_image_byte_size", domain.max_image_byte_size, out);
}

void Fields(const tfmd::FeaturePresence& presence, TextWriter* out) {
  Put("min_fraction", presence.min_fraction, out);
  Put("min_count", presence.min_count, out);
}

void Fields(const tfmd::DistributionConstraints& constraints, TextWriter* out) {
  Put("min_domain_mass", constraints.min_domain_mass, out);
}

void Fields(const tfmd::FeaturePresenceWithinGroup& presence, TextWriter* out) {
  Put("required", presence.required, out);
}

void WriteThreshold(std::string_view name, const std::optional<double>& value,
                    TextWriter* out) {
  if (value) out->Message(name, [&] { Put("threshold", value, out); });
}

void Fields(const tfmd::FeatureComparator& comparator, TextWriter* out) {
  WriteThreshold("infinity_norm", comparator.infinity_norm, out);
  const bool has_source = comparator.histogram != tfmd::HistogramType::kDefault;
  if (comparator.jensen_shannon_divergence || has_source) {
    out->Message("jensen_shannon_divergence", [&] {
      Put("threshold", comparator.jensen_shannon_divergence, out);
      if (!has_source) return;
      out->Message("source", [&] {
        out->Word("type",
                  comparator.histogram == tfmd::HistogramType::kQuantiles
                      ? "QUANTILES"
                      : "STANDARD");
      });
    });
  }
  WriteThreshold("normalized_abs_difference",
                 comparator.normalized_abs_difference, out);
}

void Fields(const tfmd::ValueCount& count, TextWriter* out) {
  Put("min", count.min, out);
  Put("max", count.max, out);
}

void Fields(const std::vector<tfmd::ValueCount>& counts, TextWriter* out) {
  for (const tfmd::ValueCount& count : counts) {
    WriteValueCount("value_count", count, out);
  }
}

void Fields(const tfmd::UniqueConstraints& unique, TextWriter* out) {
  Put("min", unique.min, out);
  Put("max", unique.max, out);
}

void Fields(const tfmd::NumericValueComparator& comparator, TextWriter* out) {
  Put("min_fraction_threshold", comparator.min_fraction_threshold, out);
  Put("max_fraction_threshold", comparator.max_fraction_threshold, out);
}

void Fields(const tfmd::DatasetConstraints& constraints, TextWriter* out);
void Fields(const tfmd::WeightedFeature& feature, TextWriter* out);

template <class Part>
void PutPart(std::string_view name, const std::optional<Part>& part,
             TextWriter* out) {
  if (part) out->Message(name, [&] { Fields(*part, out); });
}

template <class Part>
void PutParts(std::string_view name, const std::vector<Part>& parts,
              TextWriter* out) {
  for (const Part& part : parts) {
    out->Message(name, [&] { Fields(part, out); });
  }
}

void Fields(const tfmd::DatasetConstraints& constraints, TextWriter* out) {
  PutPart("num_examples_drift_comparator",
          constraints.num_examples_drift_comparator, out);
  PutPart("num_examples_version_comparator",
          constraints.num_examples_version_comparator, out);
  Put("min_examples_count", constraints.min_examples_count, out);
  Put("max_examples_count", constraints.max_examples_count, out);
}

void WritePath(std::string_view name, const std::vector<std::string>& path,
               TextWriter* out) {
  if (!path.empty()) out->Message(name, [&] { Put("step", path, out); });
}

void Fields(const tfmd::WeightedFeature& feature, TextWriter* out) {
  out->String("name", feature.name);
  WritePath("feature", feature.feature, out);
  WritePath("weight_feature", feature.weight_feature, out);
  if (feature.lifecycle_stage != tfmd::LifecycleStage::kUnknownStage) {
    out->Word("lifecycle_stage",
              tfmd::LifecycleStageName(feature.lifecycle_stage));
  }
}

void WriteSemanticDomain(const tfmd::Feature& feature, TextWriter* out) {
  if (!feature.semantic_domain) return;
  out->Message(tfmd::SemanticDomainName(*feature.semantic_domain), [] {});
}

}  // namespace

void WriteValueCount(std::string_view name, const tfmd::ValueCount& count,
                     TextWriter* out) {
  out->Message(name, [&] { Fields(count, out); });
}

void WriteDomain(const tfmd::Feature& feature, TextWriter* out) {
  Put("domain", feature.domain, out);
  PutPart("int_domain", feature.int_domain, out);
  PutPart("float_domain", feature.float_domain, out);
  PutPart("string_domain", feature.string_domain, out);
  PutPart("bool_domain", feature.bool_domain, out);
}

void WriteConstraints(const tfmd::Feature& feature, TextWriter* out) {
  PutPart("presence", feature.presence, out);
  PutPart("distribution_constraints", feature.distribution_constraints, out);
  PutPart("group_presence", feature.group_presence, out);
  PutPart("skew_comparator", feature.skew_comparator, out);
  Put("not_in_environment", feature.not_in_environment, out);
  Put("in_environment", feature.in_environment, out);
  PutPart("drift_comparator", feature.drift_comparator, out);
}

void WriteLastConstraints(const tfmd::Feature& feature, TextWriter* out) {
  const bool is_late =
      feature.semantic_domain > tfmd::SemanticDomain::kTimeOfDay;
  PutPart("image_domain", feature.image_domain, out);
  if (!is_late) WriteSemanticDomain(feature, out);
  PutPart("unique_constraints", feature.unique_constraints, out);
  PutPart("value_counts", feature.value_counts, out);
  if (is_late) WriteSemanticDomain(feature, out);
}

void WriteEnvironments(const Schema& schema, TextWriter* out) {
  PutParts("string_domain", schema.string_domains, out);
  Put("default_environment", schema.default_environments, out);
}

void WriteConstraints(const Schema& schema, TextWriter* out) {
  PutParts("float_domain", schema.float_domains, out);
  PutParts("int_domain", schema.int_domains, out);
  PutPart("dataset_constraints", schema.dataset_constraints, out);
  PutParts("weighted_feature", schema.weighted_features, out);
}

}  // namespace headrace::tfmd_forms
