// VisitFields calls a visitor with the name and the value of each field of a
// message that a Schema keeps, in the order of the fields' numbers, which is
// the order in a text. schema_parser.cc and schema_writer.cc have the visitors.
//
//   visit(name, value)             a field that is a value, a message, or a
//                                  list of either
//   visit.Part(name, is_set, f)    a message that has no member of its own: `f`
//                                  visits its fields, which are members of the
//                                  message around it; `is_set` is for writing
//   visit.Optional(name, value, f) a message kept as a std::optional of a plain
//                                  value instead of a struct: `f` visits its
//                                  fields if the value is set
//   visit.Each(name, list, f)      a list of such messages
//   visit.Map(name, items)         a map from the names of items to the items
//   visit.template Case<T>(name, variant)
//                                  a member of a oneof
//   visit.Constant(name, value, c) a message whose presence makes the value `c`

#ifndef HEADRACE_SRC_PLAN_TFMD_SCHEMA_FIELDS_H_
#define HEADRACE_SRC_PLAN_TFMD_SCHEMA_FIELDS_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "headrace/schema.h"

namespace headrace::tfmd_forms {

// T or const T: parsers pass a T, writers a const T.
template <class Message, class T>
concept Is = std::same_as<std::remove_const_t<Message>, T>;

void VisitFields(Is<tfmd::FixedShape::Dim> auto& dim, auto& visit) {
  visit("size", dim.size);
  visit("name", dim.name);
}

void VisitFields(Is<tfmd::FixedShape> auto& shape, auto& visit) {
  visit("dim", shape.dims);
}

void VisitFields(Is<tfmd::FeaturePresence> auto& presence, auto& visit) {
  visit("min_fraction", presence.min_fraction);
  visit("min_count", presence.min_count);
}

void VisitFields(Is<tfmd::FeaturePresenceWithinGroup> auto& presence,
                 auto& visit) {
  visit("required", presence.required);
}

void VisitFields(Is<tfmd::ValueCount> auto& count, auto& visit) {
  visit("min", count.min);
  visit("max", count.max);
}

void VisitFields(Is<tfmd::UniqueConstraints> auto& unique, auto& visit) {
  visit("min", unique.min);
  visit("max", unique.max);
}

void VisitFields(Is<tfmd::IntDomain> auto& domain, auto& visit) {
  visit("name", domain.name);
  visit("min", domain.min);
  visit("max", domain.max);
  visit("is_categorical", domain.is_categorical);
}

void VisitFields(Is<tfmd::FloatDomain> auto& domain, auto& visit) {
  visit("name", domain.name);
  visit("min", domain.min);
  visit("max", domain.max);
  visit("disallow_nan", domain.disallow_nan);
  visit("disallow_inf", domain.disallow_inf);
  visit("is_embedding", domain.is_embedding);
  visit("is_categorical", domain.is_categorical);
  visit("embedding_dim", domain.embedding_dim);
  visit("embedding_type", domain.embedding_type);
}

void VisitFields(Is<tfmd::StringDomain> auto& domain, auto& visit) {
  visit("name", domain.name);
  visit("value", domain.values);
  visit("is_categorical", domain.is_categorical);
}

void VisitFields(Is<tfmd::BoolDomain> auto& domain, auto& visit) {
  visit("name", domain.name);
  visit("true_value", domain.true_value);
  visit("false_value", domain.false_value);
}

void VisitFields(Is<tfmd::ImageDomain> auto& domain, auto& visit) {
  visit("minimum_supported_image_fraction",
        domain.minimum_supported_image_fraction);
  visit("max_image_byte_size", domain.max_image_byte_size);
}

void VisitFields(Is<tfmd::DistributionConstraints> auto& constraints,
                 auto& visit) {
  visit("min_domain_mass", constraints.min_domain_mass);
}

void VisitFields(Is<tfmd::FeatureComparator> auto& comparator, auto& visit) {
  const auto threshold = [&visit](const char* name, auto& value) {
    visit.Part(name, value.has_value(),
               [&](auto& part) { part("threshold", value); });
  };
  threshold("infinity_norm", comparator.infinity_norm);
  auto& divergence = comparator.jensen_shannon_divergence;
  const bool has_source = comparator.histogram != tfmd::HistogramType::kDefault;
  visit.Part(
      "jensen_shannon_divergence", divergence || has_source, [&](auto& part) {
        part("threshold", divergence);
        part.Part("source", has_source,
                  [&](auto& source) { source("type", comparator.histogram); });
      });
  threshold("normalized_abs_difference", comparator.normalized_abs_difference);
}

void VisitFields(Is<tfmd::NumericValueComparator> auto& comparator,
                 auto& visit) {
  visit("min_fraction_threshold", comparator.min_fraction_threshold);
  visit("max_fraction_threshold", comparator.max_fraction_threshold);
}

void VisitFields(Is<tfmd::DatasetConstraints> auto& constraints, auto& visit) {
  visit("num_examples_drift_comparator",
        constraints.num_examples_drift_comparator);
  visit("num_examples_version_comparator",
        constraints.num_examples_version_comparator);
  visit("min_examples_count", constraints.min_examples_count);
  visit("max_examples_count", constraints.max_examples_count);
}

void VisitFields(Is<tfmd::WeightedFeature> auto& feature, auto& visit) {
  const auto path = [&visit](const char* name, auto& steps) {
    visit.Part(name, !steps.empty(), [&](auto& part) { part("step", steps); });
  };
  visit("name", feature.name);
  path("feature", feature.feature);
  path("weight_feature", feature.weight_feature);
  visit("lifecycle_stage", feature.lifecycle_stage);
}

void VisitFields(Is<tfmd::SparseFeature> auto& feature, auto& visit) {
  visit("name", feature.name);
  visit("deprecated", feature.deprecated);
  visit.Each("index_feature", feature.index_features,
             [](auto& index, auto& name) { index("name", name); });
  visit("lifecycle_stage", feature.lifecycle_stage);
  visit("is_sorted", feature.is_sorted);
  visit.Part("value_feature", !feature.value_feature.empty(),
             [&](auto& value) { value("name", feature.value_feature); });
}

// Parsers limit the depth of messages, and so the recursion into children.
void VisitFields(Is<tfmd::Feature> auto& feature, auto& visit) {
  using enum tfmd::SemanticDomain;
  const auto semantic_domains = [&](tfmd::SemanticDomain first,
                                    tfmd::SemanticDomain last) {
    for (auto i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
      const auto domain = static_cast<tfmd::SemanticDomain>(i);
      visit.Constant(SemanticDomainName(domain), feature.semantic_domain,
                     domain);
    }
  };
  visit("name", feature.name);
  visit("deprecated", feature.deprecated);
  visit("value_count", feature.value_count);
  visit("type", feature.type);
  visit("domain", feature.domain);
  visit("int_domain", feature.int_domain);
  visit("float_domain", feature.float_domain);
  visit("string_domain", feature.string_domain);
  visit("bool_domain", feature.bool_domain);
  visit("presence", feature.presence);
  visit("distribution_constraints", feature.distribution_constraints);
  visit("group_presence", feature.group_presence);
  visit("skew_comparator", feature.skew_comparator);
  visit("not_in_environment", feature.not_in_environment);
  visit("in_environment", feature.in_environment);
  visit("drift_comparator", feature.drift_comparator);
  visit("lifecycle_stage", feature.lifecycle_stage);
  visit("shape", feature.shape);
  visit.Part("struct_domain",
             !feature.children.empty() || !feature.sparse_children.empty(),
             [&](auto& domain) {
               domain("feature", feature.children);
               domain("sparse_feature", feature.sparse_children);
             });
  visit("image_domain", feature.image_domain);
  semantic_domains(kNaturalLanguage, kTimeOfDay);
  visit("unique_constraints", feature.unique_constraints);
  visit.Optional("value_counts", feature.value_counts,
                 [](auto& list, auto& counts) { list("value_count", counts); });
  semantic_domains(kAudio, kContentChunk);
}

void VisitFields(Is<tfmd::DefaultValue> auto& value, auto& visit) {
  visit.template Case<double>("float_value", value.value);
  visit.template Case<int64_t>("int_value", value.value);
  visit.template Case<std::string>("bytes_value", value.value);
  visit.template Case<uint64_t>("uint_value", value.value);
}

void VisitFields(Is<tfmd::DenseTensor> auto& tensor, auto& visit) {
  visit("column_name", tensor.column_name);
  visit("shape", tensor.shape);
  visit("default_value", tensor.default_value);
}

void VisitFields(Is<tfmd::VarLenSparseTensor> auto& tensor, auto& visit) {
  visit("column_name", tensor.column_name);
}

void VisitFields(Is<tfmd::SparseTensor> auto& tensor, auto& visit) {
  visit("dense_shape", tensor.dense_shape);
  visit("index_column_names", tensor.index_column_names);
  visit("value_column_name", tensor.value_column_name);
  visit("already_sorted", tensor.already_sorted);
}

void VisitFields(Is<tfmd::RaggedTensor> auto& tensor, auto& visit) {
  visit.Optional("feature_path", tensor.feature_path,
                 [](auto& path, auto& steps) { path("step", steps); });
  visit("row_partition_dtype", tensor.row_partition_dtype);
  visit.Each("partition", tensor.partitions, [](auto& part, auto& partition) {
    part.template Case<int64_t>("uniform_row_length", partition);
    part.template Case<std::string>("row_length", partition);
  });
}

void VisitFields(Is<tfmd::TensorRepresentation> auto& tensor, auto& visit) {
  visit.template Case<tfmd::DenseTensor>("dense_tensor", tensor.kind);
  visit.template Case<tfmd::VarLenSparseTensor>("varlen_sparse_tensor",
                                                tensor.kind);
  visit.template Case<tfmd::SparseTensor>("sparse_tensor", tensor.kind);
  visit.template Case<tfmd::RaggedTensor>("ragged_tensor", tensor.kind);
}

void VisitFields(Is<tfmd::TensorRepresentationGroup> auto& group, auto& visit) {
  visit.Map("tensor_representation", group.tensors);
}

void VisitFields(Is<Schema> auto& schema, auto& visit) {
  visit("feature", schema.features);
  visit("string_domain", schema.string_domains);
  visit("default_environment", schema.default_environments);
  visit("sparse_feature", schema.sparse_features);
  visit("float_domain", schema.float_domains);
  visit("int_domain", schema.int_domains);
  visit("dataset_constraints", schema.dataset_constraints);
  visit("weighted_feature", schema.weighted_features);
  visit.Map("tensor_representation_group", schema.groups);
  visit("represent_variable_length_as_ragged",
        schema.represent_variable_length_as_ragged);
}

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_SCHEMA_FIELDS_H_
