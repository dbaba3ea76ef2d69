#include "src/plan/tfmd/constraint_parser.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "headrace/schema.h"
#include "src/plan/tfmd/message_table.h"
#include "src/plan/tfmd/parsed_message.h"

namespace headrace::tfmd_forms {
namespace {

std::optional<double> Real(ParsedMessage* message, size_t field) {
  const auto* value = message->Get<double>(field);
  if (value == nullptr) return std::nullopt;
  return *value;
}

// Narrows a number to a float; a text may have a larger one.
std::optional<float> Float(ParsedMessage* message, size_t field) {
  constexpr double kMax = std::numeric_limits<float>::max();
  // Larger numbers round to infinity: this is halfway to the next float, if
  // exponents went on.
  constexpr double kRoundedToMax = kMax + 0x1p103;
  const std::optional<double> value = Real(message, field);
  if (!value) return std::nullopt;
  if (std::fabs(*value) <= kMax || std::isnan(*value)) {
    return static_cast<float>(*value);
  }
  const float size = std::fabs(*value) <= kRoundedToMax
                         ? std::numeric_limits<float>::max()
                         : std::numeric_limits<float>::infinity();
  return *value < 0 ? -size : size;
}

std::optional<bool> Bool(ParsedMessage* message, size_t field) {
  const std::optional<int64_t> value = Int(message, field);
  if (!value) return std::nullopt;
  return *value != 0;
}

// Converts the message in a field; nullopt if the field is not set.
template <class Convert>
auto Part(ParsedMessage* message, size_t field, Convert convert)
    -> std::optional<decltype(convert(message))> {
  ParsedMessage* const part = Child(message, field);
  if (part == nullptr) return std::nullopt;
  return convert(part);
}

template <class Convert>
auto Parts(ParsedMessage* message, size_t field, Convert convert) {
  std::vector<decltype(convert(message))> parts;
  for (ParsedMessage& part : TakeList(message, field)) {
    parts.push_back(convert(&part));
  }
  return parts;
}

tfmd::FeaturePresence ToPresence(ParsedMessage* message) {
  return {.min_fraction = Real(message, kPresenceMinFraction),
          .min_count = Int(message, kPresenceMinCount)};
}

tfmd::FeaturePresenceWithinGroup ToGroupPresence(ParsedMessage* message) {
  return {.required = Bool(message, kOnly)};
}

tfmd::ValueCount ToValueCount(ParsedMessage* message) {
  return {.min = Int(message, kRangeMin), .max = Int(message, kRangeMax)};
}

std::vector<tfmd::ValueCount> ToValueCounts(ParsedMessage* message) {
  return Parts(message, kOnly, ToValueCount);
}

tfmd::IntDomain ToIntDomain(ParsedMessage* message) {
  return {.min = Int(message, kRangeMin),
          .max = Int(message, kRangeMax),
          .name = TakeString(message, kIntName),
          .is_categorical = Bool(message, kIntCategorical)};
}

tfmd::FloatDomain ToFloatDomain(ParsedMessage* message) {
  return {.min = Float(message, kRangeMin),
          .max = Float(message, kRangeMax),
          .name = TakeString(message, kFloatName),
          .disallow_nan = Bool(message, kFloatNoNan),
          .disallow_inf = Bool(message, kFloatNoInf),
          .is_embedding = Bool(message, kFloatEmbedding),
          .is_categorical = Bool(message, kFloatCategorical),
          .embedding_dim = Int(message, kFloatEmbeddingDim),
          .embedding_type = TakeString(message, kFloatEmbeddingType)};
}

tfmd::StringDomain ToStringDomain(ParsedMessage* message) {
  tfmd::StringDomain domain = {.name = TakeString(message, kStringName),
                               .values = TakeStrings(message, kStringValue)};
  if (message->Get<uint64_t>(kStringCategorical) != nullptr) {
    domain.is_categorical =
        EnumOf<tfmd::Categorical>(message, kStringCategorical);
  }
  return domain;
}

tfmd::BoolDomain ToBoolDomain(ParsedMessage* message) {
  return {.name = TakeString(message, kBoolName),
          .true_value = TakeString(message, kBoolTrue),
          .false_value = TakeString(message, kBoolFalse)};
}

tfmd::ImageDomain ToImageDomain(ParsedMessage* message) {
  return {.minimum_supported_image_fraction = Float(message, kImageMinFraction),
          .max_image_byte_size = Int(message, kImageMaxBytes)};
}

void TakeDomain(ParsedMessage* message, tfmd::Feature* feature) {
  feature->domain = TakeString(message, kFeatureDomain);
  feature->int_domain = Part(message, kFeatureIntDomain, ToIntDomain);
  feature->float_domain = Part(message, kFeatureFloatDomain, ToFloatDomain);
  feature->string_domain = Part(message, kFeatureStringDomain, ToStringDomain);
  feature->bool_domain = Part(message, kFeatureBoolDomain, ToBoolDomain);
  feature->image_domain = Part(message, kFeatureImageDomain, ToImageDomain);
  for (size_t field = kFeatureFirstSemanticDomain;
       field <= kFeatureLastSemanticDomain; ++field) {
    if (Child(message, field) != nullptr) {
      feature->semantic_domain = static_cast<tfmd::SemanticDomain>(
          field - kFeatureFirstSemanticDomain);
    }
  }
}

tfmd::DistributionConstraints ToDistribution(ParsedMessage* message) {
  return {.min_domain_mass = Real(message, kOnly)};
}

std::optional<double> ToThreshold(ParsedMessage* message, size_t field) {
  ParsedMessage* const part = Child(message, field);
  return part == nullptr ? std::nullopt : Real(part, kThreshold);
}

tfmd::FeatureComparator ToComparator(ParsedMessage* message) {
  tfmd::FeatureComparator comparator = {
      .infinity_norm = ToThreshold(message, kComparatorInfinityNorm),
      .jensen_shannon_divergence = ToThreshold(message, kComparatorDivergence),
      .normalized_abs_difference = ToThreshold(message, kComparatorDifference)};
  ParsedMessage* const divergence = Child(message, kComparatorDivergence);
  if (divergence == nullptr) return comparator;
  if (ParsedMessage* source = Child(divergence, kThresholdSource)) {
    comparator.histogram = EnumOf<tfmd::HistogramType>(source, kOnly);
  }
  return comparator;
}

tfmd::UniqueConstraints ToUnique(ParsedMessage* message) {
  return {.min = Int(message, kRangeMin), .max = Int(message, kRangeMax)};
}

tfmd::NumericValueComparator ToNumericComparator(ParsedMessage* message) {
  return {.min_fraction_threshold = Real(message, kRangeMin),
          .max_fraction_threshold = Real(message, kRangeMax)};
}

tfmd::DatasetConstraints ToDatasetConstraints(ParsedMessage* message) {
  return {.num_examples_drift_comparator =
              Part(message, kDatasetDrift, ToNumericComparator),
          .num_examples_version_comparator =
              Part(message, kDatasetVersion, ToNumericComparator),
          .min_examples_count = Int(message, kDatasetMin),
          .max_examples_count = Int(message, kDatasetMax)};
}

std::vector<std::string> TakePath(ParsedMessage* message, size_t field) {
  ParsedMessage* const path = Child(message, field);
  return path == nullptr ? std::vector<std::string>()
                         : TakeStrings(path, kOnly);
}

tfmd::WeightedFeature ToWeightedFeature(ParsedMessage* message) {
  return {
      .name = TakeName(message, kWeightedName),
      .feature = TakePath(message, kWeightedFeatureField),
      .weight_feature = TakePath(message, kWeightedWeight),
      .lifecycle_stage = EnumOf<tfmd::LifecycleStage>(message, kWeightedStage)};
}

}  // namespace

void TakeConstraints(ParsedMessage* message, tfmd::Feature* feature) {
  feature->presence = Part(message, kFeaturePresence, ToPresence);
  feature->group_presence =
      Part(message, kFeatureGroupPresence, ToGroupPresence);
  feature->value_count = Part(message, kFeatureValueCount, ToValueCount);
  feature->value_counts = Part(message, kFeatureValueCounts, ToValueCounts);
  TakeDomain(message, feature);
  feature->distribution_constraints =
      Part(message, kFeatureDistribution, ToDistribution);
  feature->skew_comparator = Part(message, kFeatureSkew, ToComparator);
  feature->drift_comparator = Part(message, kFeatureDrift, ToComparator);
  feature->in_environment = TakeStrings(message, kFeatureInEnvironment);
  feature->not_in_environment = TakeStrings(message, kFeatureNotInEnvironment);
  feature->unique_constraints = Part(message, kFeatureUnique, ToUnique);
}

void TakeConstraints(ParsedMessage* message, Schema* schema) {
  schema->weighted_features =
      Parts(message, kSchemaWeightedFeature, ToWeightedFeature);
  schema->string_domains = Parts(message, kSchemaStringDomain, ToStringDomain);
  schema->float_domains = Parts(message, kSchemaFloatDomain, ToFloatDomain);
  schema->int_domains = Parts(message, kSchemaIntDomain, ToIntDomain);
  schema->default_environments = TakeStrings(message, kSchemaEnvironment);
  schema->dataset_constraints =
      Part(message, kSchemaConstraints, ToDatasetConstraints);
}

}  // namespace headrace::tfmd_forms
