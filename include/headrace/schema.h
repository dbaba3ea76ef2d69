// Schema: the description of a dataset that TensorFlow Data Validation, TFX and
// tfx_bsl share, a tensorflow.metadata.v0.Schema.
//
//   auto schema = headrace::Schema::Parse(bytes_of_schema_pbtxt);
//   if (!schema) return schema.status();
//   auto columns = headrace::Plan::ForColumnsOf(*schema);
//   auto tensors = headrace::Plan::Compile(*schema);
//
// It keeps the parts that say how records are read and what their statistics
// must be (stats_report.h); annotations, derived features and other parts are
// checked and dropped. docs/semantics.md says how a schema is interpreted,
// docs/guides/schema.md shows it.

#ifndef HEADRACE_SCHEMA_H_
#define HEADRACE_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "headrace/export.h"
#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "headrace/variant.h"

namespace headrace {

// The messages of schema.proto, with its names. A field that the schema does
// not set is empty, which differs from a field that is set to zero.
namespace tfmd {

enum class FeatureType : uint8_t { kUnknown, kBytes, kInt, kFloat, kStruct };

// The names are "TYPE_UNKNOWN", "BYTES", "INT", "FLOAT" and "STRUCT".
HEADRACE_EXPORT std::string_view FeatureTypeName(FeatureType type);

// Values are numbered as in schema.proto.
enum class LifecycleStage : uint8_t {
  kUnknownStage = 0,
  kPlanned = 1,
  kAlpha = 2,
  kBeta = 3,
  kProduction = 4,
  kDeprecated = 5,
  kDebugOnly = 6,
  kDisabled = 7,
  kValidationDerived = 9,
};

// The names are "UNKNOWN_STAGE", "PLANNED" and so on.
HEADRACE_EXPORT std::string_view LifecycleStageName(LifecycleStage stage);

struct FixedShape {
  struct Dim {
    std::optional<int64_t> size = {};  // not set means 0
    std::optional<std::string> name = {};
    bool operator==(const Dim&) const = default;
  };
  std::vector<Dim> dims = {};
  bool operator==(const FixedShape&) const = default;
};

struct FeaturePresence {
  std::optional<double> min_fraction = {};
  std::optional<int64_t> min_count = {};
  bool operator==(const FeaturePresence&) const = default;
};

struct ValueCount {
  std::optional<int64_t> min = {};
  std::optional<int64_t> max = {};
  bool operator==(const ValueCount&) const = default;
};

struct FeaturePresenceWithinGroup {
  std::optional<bool> required = {};
  bool operator==(const FeaturePresenceWithinGroup&) const = default;
};

struct IntDomain {
  std::optional<int64_t> min = {};
  std::optional<int64_t> max = {};
  std::optional<std::string> name = {};
  std::optional<bool> is_categorical = {};
  bool operator==(const IntDomain&) const = default;
};

struct FloatDomain {
  std::optional<float> min = {};
  std::optional<float> max = {};
  std::optional<std::string> name = {};
  std::optional<bool> disallow_nan = {};
  std::optional<bool> disallow_inf = {};
  std::optional<bool> is_embedding = {};
  std::optional<bool> is_categorical = {};
  std::optional<int64_t> embedding_dim = {};
  std::optional<std::string> embedding_type = {};
  bool operator==(const FloatDomain&) const = default;
};

// Values are numbered as in schema.proto.
enum class Categorical : uint8_t { kUnspecified, kYes, kNo };

struct StringDomain {
  std::optional<std::string> name = {};
  std::vector<std::string> values = {};
  std::optional<Categorical> is_categorical = {};
  bool operator==(const StringDomain&) const = default;
};

struct BoolDomain {
  std::optional<std::string> name = {};
  std::optional<std::string> true_value = {};
  std::optional<std::string> false_value = {};
  bool operator==(const BoolDomain&) const = default;
};

struct ImageDomain {
  std::optional<float> minimum_supported_image_fraction = {};
  std::optional<int64_t> max_image_byte_size = {};
  bool operator==(const ImageDomain&) const = default;
};

// A domain that says what values mean. The contents of its message are dropped.
enum class SemanticDomain : uint8_t {
  kNaturalLanguage,
  kMid,
  kUrl,
  kTime,
  kTimeOfDay,
  kAudio,
  kVideo,
  kContentChunk,
};

// The names are those of the fields, "natural_language_domain" and so on.
HEADRACE_EXPORT std::string_view SemanticDomainName(SemanticDomain domain);

struct DistributionConstraints {
  std::optional<double> min_domain_mass = {};
  bool operator==(const DistributionConstraints&) const = default;
};

// Values are numbered as in schema.proto. The default is a standard histogram.
enum class HistogramType : uint8_t { kDefault, kQuantiles, kStandard };

// Thresholds of distances. A message without a threshold is the same as no
// message.
struct FeatureComparator {
  std::optional<double> infinity_norm = {};
  std::optional<double> jensen_shannon_divergence = {};
  // The histogram that the divergence is computed from.
  HistogramType histogram = HistogramType::kDefault;
  std::optional<double> normalized_abs_difference = {};
  bool operator==(const FeatureComparator&) const = default;
};

struct UniqueConstraints {
  std::optional<int64_t> min = {};
  std::optional<int64_t> max = {};
  bool operator==(const UniqueConstraints&) const = default;
};

struct NumericValueComparator {
  std::optional<double> min_fraction_threshold = {};
  std::optional<double> max_fraction_threshold = {};
  bool operator==(const NumericValueComparator&) const = default;
};

struct DatasetConstraints {
  std::optional<NumericValueComparator> num_examples_drift_comparator = {};
  std::optional<NumericValueComparator> num_examples_version_comparator = {};
  std::optional<int64_t> min_examples_count = {};
  std::optional<int64_t> max_examples_count = {};
  bool operator==(const DatasetConstraints&) const = default;
};

struct WeightedFeature {
  std::string name = {};
  std::vector<std::string> feature = {};  // a path
  std::vector<std::string> weight_feature = {};
  LifecycleStage lifecycle_stage = LifecycleStage::kUnknownStage;
  bool operator==(const WeightedFeature&) const = default;
};

struct SparseFeature {
  std::string name = {};
  bool deprecated = false;
  LifecycleStage lifecycle_stage = LifecycleStage::kUnknownStage;
  std::vector<std::string> index_features = {};
  std::string value_feature = {};
  bool is_sorted = false;
  bool operator==(const SparseFeature&) const = default;
};

struct Feature {
  std::string name = {};
  FeatureType type = FeatureType::kUnknown;
  bool deprecated = false;
  LifecycleStage lifecycle_stage = LifecycleStage::kUnknownStage;
  // At most one of the two is set.
  std::optional<FeaturePresence> presence = {};
  std::optional<FeaturePresenceWithinGroup> group_presence = {};
  // At most one of the three is set.
  std::optional<FixedShape> shape = {};
  std::optional<ValueCount> value_count = {};
  // One for each level of nested lists, outermost first.
  std::optional<std::vector<ValueCount>> value_counts = {};
  // At most one of these domains is set; none is if there are children.
  std::optional<std::string> domain = {};  // the name of a StringDomain
  std::optional<IntDomain> int_domain = {};
  std::optional<FloatDomain> float_domain = {};
  std::optional<StringDomain> string_domain = {};
  std::optional<BoolDomain> bool_domain = {};
  std::optional<ImageDomain> image_domain = {};
  std::optional<SemanticDomain> semantic_domain = {};
  std::vector<Feature> children = {};  // of a STRUCT's struct_domain
  std::vector<SparseFeature> sparse_children = {};
  std::optional<DistributionConstraints> distribution_constraints = {};
  std::optional<FeatureComparator> skew_comparator = {};
  std::optional<FeatureComparator> drift_comparator = {};
  std::vector<std::string> in_environment = {};
  std::vector<std::string> not_in_environment = {};
  std::optional<UniqueConstraints> unique_constraints = {};
  bool operator==(const Feature&) const = default;
};

struct DefaultValue {
  // This is float_value, int_value, bytes_value or uint_value, or none of them.
  Variant<std::monostate, double, int64_t, std::string, uint64_t> value = {};
  bool operator==(const DefaultValue&) const = default;
};

struct DenseTensor {
  std::optional<std::string> column_name = {};
  std::optional<FixedShape> shape = {};
  std::optional<DefaultValue> default_value = {};
  bool operator==(const DenseTensor&) const = default;
};

struct VarLenSparseTensor {
  std::optional<std::string> column_name = {};
  bool operator==(const VarLenSparseTensor&) const = default;
};

struct SparseTensor {
  std::optional<FixedShape> dense_shape = {};
  std::vector<std::string> index_column_names = {};
  std::optional<std::string> value_column_name = {};
  std::optional<bool> already_sorted = {};
  bool operator==(const SparseTensor&) const = default;
};

enum class RowPartitionDType : uint8_t { kUnspecified, kInt64, kInt32 };

struct RaggedTensor {
  // This is uniform_row_length, the column of a row_length, or neither.
  using Partition = Variant<std::monostate, int64_t, std::string>;

  // The first step is a feature, the second a child of a STRUCT.
  std::optional<std::vector<std::string>> feature_path = {};
  std::vector<Partition> partitions = {};  // outermost first
  std::optional<RowPartitionDType> row_partition_dtype = {};
  bool operator==(const RaggedTensor&) const = default;
};

// One tensor of a TensorRepresentationGroup.
struct TensorRepresentation {
  std::string name = {};
  Variant<std::monostate, DenseTensor, VarLenSparseTensor, SparseTensor,
          RaggedTensor>
      kind = {};
  bool operator==(const TensorRepresentation&) const = default;
};

struct TensorRepresentationGroup {
  std::string name = {};
  std::vector<TensorRepresentation> tensors = {};  // names are distinct
  bool operator==(const TensorRepresentationGroup&) const = default;
};

}  // namespace tfmd

// The name of the STRUCT feature whose children are the feature lists of a
// SequenceExample.
inline constexpr std::string_view kSequenceColumn = "##SEQUENCE##";

// How representations are found. Default: the explicit group named "".
struct SchemaOptions {
  std::string group = {};  // of explicit TensorRepresentations
  // Use Google's older rules: value_count makes tensors dense, with defaults;
  // shapes and sparse features are ignored.
  bool legacy = false;
};

struct HEADRACE_EXPORT Schema {
  std::vector<tfmd::Feature> features = {};
  std::vector<tfmd::SparseFeature> sparse_features = {};
  std::vector<tfmd::WeightedFeature> weighted_features = {};
  // Features name these as their domain.
  std::vector<tfmd::StringDomain> string_domains = {};
  std::vector<tfmd::FloatDomain> float_domains = {};
  std::vector<tfmd::IntDomain> int_domains = {};
  // The environments of features that name no environments.
  std::vector<std::string> default_environments = {};
  std::optional<tfmd::DatasetConstraints> dataset_constraints = {};
  bool represent_variable_length_as_ragged = false;
  std::vector<tfmd::TensorRepresentationGroup> groups = {};  // distinct names

  bool operator==(const Schema&) const = default;

  // Parse a Schema. Parse accepts text or serialized bytes and finds out which.
  // Fail with kBadSpec; for text, the message has the line and the column (in
  // bytes, from 1).
  static Result<Schema> Parse(std::string_view bytes);
  static Result<Schema> FromText(std::string_view text);
  static Result<Schema> FromBinary(std::string_view bytes);
  // Returns canonical text, which FromText parses to an equal schema.
  std::string ToText() const;

  // Returns the explicit representations of the group, then those that features
  // and sparse features imply. A feature implies none if an explicit tensor, or
  // a column of an explicit tensor, has its name. kBadSpec names the feature
  // and the rule.
  Result<std::vector<tfmd::TensorRepresentation>> Representations(
      const SchemaOptions& options = {}) const;

  // Returns the spec of these representations for tf.io.parse_example. The plan
  // of Plan::Compile(schema) differs from the plan of this spec: Plan::Compile
  // accepts schemas that tf.io refuses, and every feature has a type.
  Result<FeatureSpec> ExampleSpec(const SchemaOptions& options = {}) const;
  // Returns the spec of only the explicit representations; kBadSpec if there
  // are none.
  Result<FeatureSpec> SequenceExampleSpec(
      const SchemaOptions& options = {}) const;

  // Returns a schema of the features that the named tensors are made of, in
  // this schema's order. The explicit group of the new schema has these
  // tensors, in the order given. The new schema keeps this schema's domains and
  // what this schema says of the dataset. kBadSpec for a name that no
  // representation has, or a column that no feature has.
  Result<Schema> Project(const std::vector<std::string>& tensors,
                         const SchemaOptions& options = {}) const;

  // Checks that explicit representations and features match: there is a group,
  // its columns are features, and every feature is used.
  Status Validate(const SchemaOptions& options = {}) const;

  // Returns one sentence for each thing that is legal but seldom intended: a
  // feature defined twice, or hidden by an explicit tensor of the same name.
  std::vector<std::string> Warnings(const SchemaOptions& options = {}) const;
};

}  // namespace headrace

#endif  // HEADRACE_SCHEMA_H_
