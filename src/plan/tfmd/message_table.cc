#include "src/plan/tfmd/message_table.h"

#include "headrace/schema.h"

namespace headrace::tfmd_forms {
namespace {

using enum FieldType;
using enum Label;
using enum Fate;
using enum MessageTable::Syntax;

constexpr EnumValue kFeatureTypeValues[] = {
    {"TYPE_UNKNOWN", 0}, {"BYTES", 1}, {"INT", 2}, {"FLOAT", 3}, {"STRUCT", 4}};
constexpr EnumTable kFeatureType = {"FeatureType", kFeatureTypeValues};

// DERIVED = 8 existed for five weeks of 2022.
constexpr EnumValue kLifecycleStageValues[] = {
    {"UNKNOWN_STAGE", 0}, {"PLANNED", 1},    {"ALPHA", 2},
    {"BETA", 3},          {"PRODUCTION", 4}, {"DEPRECATED", 5},
    {"DEBUG_ONLY", 6},    {"DISABLED", 7},   {"VALIDATION_DERIVED", 9}};
constexpr EnumTable kLifecycleStage = {"LifecycleStage", kLifecycleStageValues};

constexpr EnumValue kRowPartitionDTypeValues[] = {
    {"UNSPECIFIED", 0}, {"INT64", 1}, {"INT32", 2}};
constexpr EnumTable kRowPartitionDType = {"RowPartitionDType",
                                          kRowPartitionDTypeValues};

constexpr EnumValue kCategoricalValues[] = {{"CATEGORICAL_UNSPECIFIED", 0},
                                            {"CATEGORICAL_YES", 1},
                                            {"CATEGORICAL_NO", 2}};
constexpr EnumTable kCategorical = {"Categorical", kCategoricalValues};

constexpr EnumValue kTimeFormatValues[] = {
    {"FORMAT_UNKNOWN", 0},    {"UNIX_SECONDS", 1},     {"UNIX_MILLISECONDS", 2},
    {"UNIX_MICROSECONDS", 3}, {"UNIX_NANOSECONDS", 4}, {"UNIX_DAYS", 5}};
constexpr EnumTable kTimeFormat = {"IntegerTimeFormat", kTimeFormatValues};

constexpr EnumValue kTimeOfDayFormatValues[] = {{"FORMAT_UNKNOWN", 0},
                                                {"PACKED_64_NANOS", 1}};
constexpr EnumTable kTimeOfDayFormat = {"IntegerTimeOfDayFormat",
                                        kTimeOfDayFormatValues};

constexpr EnumValue kHistogramTypeValues[] = {
    {"DEFAULT", 0}, {"QUANTILES", 1}, {"STANDARD", 2}};
constexpr EnumTable kHistogramType = {"HistogramSelection.Type",
                                      kHistogramTypeValues};

constexpr EnumValue kSequentialStatusValues[] = {
    {"SEQUENTIAL_UNSPECIFIED", 0}, {"SEQUENTIAL_YES", 1}, {"SEQUENTIAL_NO", 2}};
constexpr EnumTable kSequentialStatus = {"SequentialStatus",
                                         kSequentialStatusValues};

constexpr EnumValue kSliceValueTypeValues[] = {{"VALUE_TYPE_DEFAULT", 0},
                                               {"VALUE_TYPE_INTEGER", 1},
                                               {"VALUE_TYPE_FLOAT", 2},
                                               {"VALUE_TYPE_UNSUPPORTED", 3}};
constexpr EnumTable kSliceValueType = {"SliceValueTypes", kSliceValueTypeValues,
                                       true};

// Declared here because it is recursive: a Feature may have a StructDomain,
// which has Features.
extern const MessageTable kFeature;

constexpr Field kPresenceFields[] = {{1, "min_fraction", kDouble},
                                     {2, "min_count", kInt64}};
constexpr MessageTable kPresence = {"FeaturePresence", kPresenceFields};

constexpr Field kDimFields[] = {{1, "size", kInt64}, {2, "name", kString}};
constexpr MessageTable kDim = {"Dim", kDimFields};

constexpr Field kFixedShapeFields[] = {{2, "dim", kDim, kMany}};
constexpr MessageTable kFixedShape = {"FixedShape", kFixedShapeFields};

constexpr Field kValueCountFields[] = {{1, "min", kInt64}, {2, "max", kInt64}};
constexpr MessageTable kValueCount = {"ValueCount", kValueCountFields};

constexpr Field kIntDomainFields[] = {{3, "min", kInt64},
                                      {4, "max", kInt64},
                                      {1, "name", kString},
                                      {5, "is_categorical", kBool}};
constexpr MessageTable kIntDomain = {"IntDomain", kIntDomainFields};

constexpr Field kIndexFeatureFields[] = {{1, "name", kString}};
constexpr MessageTable kIndexFeature = {"IndexFeature", kIndexFeatureFields};

constexpr Field kValueFeatureFields[] = {{1, "name", kString}};
constexpr MessageTable kValueFeature = {"ValueFeature", kValueFeatureFields};

// The type of a field that schema.proto once had and no longer describes.
constexpr MessageTable kForgotten = {"a message of the past", {}, kOpaque};

constexpr Field kSparseFeatureFields[] = {
    {1, "name", kString},
    {2, "deprecated", kBool},
    {7, "lifecycle_stage", kLifecycleStage},
    {6, "index_feature", kIndexFeature, kMany},
    {9, "value_feature", kValueFeature},
    {8, "is_sorted", kBool},
    {4, "presence", kPresence, kOne, kDropped},
    {5, "dense_shape", kFixedShape, kOne, kDropped},
    {10, "type", kFeatureType, kOne, kDropped},
    {0, "comment", kString},
    {0, "domain", kForgotten}};
constexpr MessageTable kSparseFeature = {"SparseFeature", kSparseFeatureFields};

constexpr Field kStructDomainFields[] = {
    {1, "feature", kFeature, kMany},
    {2, "sparse_feature", kSparseFeature, kMany}};
constexpr MessageTable kStructDomain = {"StructDomain", kStructDomainFields};

constexpr Field kPresenceWithinGroupFields[] = {{1, "required", kBool}};
constexpr MessageTable kPresenceWithinGroup = {"FeaturePresenceWithinGroup",
                                               kPresenceWithinGroupFields};

constexpr Field kValueCountListFields[] = {
    {1, "value_count", kValueCount, kMany}};
constexpr MessageTable kValueCountList = {"ValueCountList",
                                          kValueCountListFields};

constexpr Field kFloatDomainFields[] = {{3, "min", kFloat},
                                        {4, "max", kFloat},
                                        {1, "name", kString},
                                        {5, "disallow_nan", kBool},
                                        {6, "disallow_inf", kBool},
                                        {7, "is_embedding", kBool},
                                        {8, "is_categorical", kBool},
                                        {9, "embedding_dim", kInt64},
                                        {10, "embedding_type", kString}};
constexpr MessageTable kFloatDomain = {"FloatDomain", kFloatDomainFields};

constexpr Field kStringDomainFields[] = {{1, "name", kString},
                                         {2, "value", kString, kMany},
                                         {3, "is_categorical", kCategorical}};
constexpr MessageTable kStringDomain = {"StringDomain", kStringDomainFields};

constexpr Field kBoolDomainFields[] = {{1, "name", kString},
                                       {2, "true_value", kString},
                                       {3, "false_value", kString}};
constexpr MessageTable kBoolDomain = {"BoolDomain", kBoolDomainFields};

constexpr Field kImageDomainFields[] = {
    {1, "minimum_supported_image_fraction", kFloat},
    {2, "max_image_byte_size", kInt64}};
constexpr MessageTable kImageDomain = {"ImageDomain", kImageDomainFields};

constexpr Field kCoverageConstraintsFields[] = {
    {1, "min_coverage", kFloat},
    {2, "min_avg_token_length", kFloat},
    {3, "excluded_string_tokens", kString, kMany},
    {4, "excluded_int_tokens", kInt64, kMany},
    {5, "oov_string_tokens", kString, kMany}};
constexpr MessageTable kCoverageConstraints = {"FeatureCoverageConstraints",
                                               kCoverageConstraintsFields};

constexpr Field kSequenceValueConstraintsFields[] = {
    {1, "int_value", kInt64, kOneof1},
    {2, "string_value", kString, kOneof1},
    {3, "min_per_sequence", kInt64},
    {4, "max_per_sequence", kInt64},
    {5, "min_fraction_of_sequences", kFloat},
    {6, "max_fraction_of_sequences", kFloat}};
constexpr MessageTable kSequenceValueConstraints = {
    "SequenceValueConstraints", kSequenceValueConstraintsFields};

constexpr Field kSequenceLengthConstraintsFields[] = {
    {1, "excluded_int_value", kInt64, kMany},
    {2, "excluded_string_value", kString, kMany},
    {3, "min_sequence_length", kInt64},
    {4, "max_sequence_length", kInt64}};
constexpr MessageTable kSequenceLengthConstraints = {
    "SequenceLengthConstraints", kSequenceLengthConstraintsFields};

constexpr Field kNaturalLanguageDomainFields[] = {
    {1, "vocabulary", kString, kOne, kDropped},
    {2, "coverage", kCoverageConstraints, kOne, kDropped},
    {3, "token_constraints", kSequenceValueConstraints, kMany, kDropped},
    {5, "sequence_length_constraints", kSequenceLengthConstraints, kOne,
     kDropped}};
constexpr MessageTable kNaturalLanguageDomain = {"NaturalLanguageDomain",
                                                 kNaturalLanguageDomainFields};

constexpr MessageTable kMidDomain = {"MIDDomain", {}};

constexpr MessageTable kUrlDomain = {"URLDomain", {}};

constexpr Field kTimeDomainFields[] = {
    {1, "string_format", kString, kOneof1, kDropped},
    {2, "integer_format", kTimeFormat, kOneof1, kDropped}};
constexpr MessageTable kTimeDomain = {"TimeDomain", kTimeDomainFields};

constexpr Field kTimeOfDayDomainFields[] = {
    {1, "string_format", kString, kOneof1, kDropped},
    {2, "integer_format", kTimeOfDayFormat, kOneof1, kDropped}};
constexpr MessageTable kTimeOfDayDomain = {"TimeOfDayDomain",
                                           kTimeOfDayDomainFields};

constexpr MessageTable kAudioDomain = {"AudioDomain", {}};

constexpr MessageTable kVideoDomain = {"VideoDomain", {}};

constexpr MessageTable kContentChunkDomain = {"ContentChunkDomain", {}};

constexpr Field kDistributionConstraintsFields[] = {
    {1, "min_domain_mass", kDouble}};
constexpr MessageTable kDistributionConstraints = {
    "DistributionConstraints", kDistributionConstraintsFields};

constexpr Field kInfinityNormFields[] = {{1, "threshold", kDouble}};
constexpr MessageTable kInfinityNorm = {"InfinityNorm", kInfinityNormFields};

constexpr Field kHistogramSelectionFields[] = {{1, "type", kHistogramType}};
constexpr MessageTable kHistogramSelection = {"HistogramSelection",
                                              kHistogramSelectionFields};

constexpr Field kJensenShannonDivergenceFields[] = {
    {1, "threshold", kDouble}, {2, "source", kHistogramSelection}};
constexpr MessageTable kJensenShannonDivergence = {
    "JensenShannonDivergence", kJensenShannonDivergenceFields};

constexpr Field kNormalizedAbsoluteDifferenceFields[] = {
    {1, "threshold", kDouble}};
constexpr MessageTable kNormalizedAbsoluteDifference = {
    "NormalizedAbsoluteDifference", kNormalizedAbsoluteDifferenceFields};

constexpr Field kFeatureComparatorFields[] = {
    {1, "infinity_norm", kInfinityNorm},
    {2, "jensen_shannon_divergence", kJensenShannonDivergence},
    {3, "normalized_abs_difference", kNormalizedAbsoluteDifference}};
constexpr MessageTable kFeatureComparator = {"FeatureComparator",
                                             kFeatureComparatorFields};

constexpr Field kUniqueConstraintsFields[] = {{1, "min", kInt64},
                                              {2, "max", kInt64}};
constexpr MessageTable kUniqueConstraints = {"UniqueConstraints",
                                             kUniqueConstraintsFields};

constexpr Field kAnyFields[] = {{1, "type_url", kString}, {2, "value", kBytes}};
constexpr MessageTable kAny = {"Any", kAnyFields, kExpandable};

constexpr Field kAnnotationFields[] = {{1, "tag", kString, kMany},
                                       {2, "comment", kString, kMany},
                                       {3, "extra_metadata", kAny, kMany}};
constexpr MessageTable kAnnotation = {"Annotation", kAnnotationFields};

constexpr Field kPathFields[] = {{1, "step", kString, kMany}};
constexpr MessageTable kPath = {"Path", kPathFields};

constexpr Field kAllowlistDeriverFields[] = {
    {1, "allowed_bytes_value", kBytes, kMany},
    {2, "placeholder_value", kBytes}};
constexpr MessageTable kAllowlistDeriver = {"AllowlistDeriver",
                                            kAllowlistDeriverFields, kProto3};

constexpr Field kArgmaxTopKFields[] = {{1, "k", kUint32}};
constexpr MessageTable kArgmaxTopK = {"ArgmaxTopK", kArgmaxTopKFields, kProto3};

constexpr Field kReduceOpFields[] = {{1, "op_name", kString}};
constexpr MessageTable kReduceOp = {"ReduceOp", kReduceOpFields, kProto3};

constexpr Field kSliceSqlFields[] = {
    {1, "expression", kString},
    {2, "feature_value_type", kSliceValueType},
    {3, "drop_struct_name", kBool},
    {4, "int64_default_feature_value", kInt64, kOneof1},
    {5, "float_default_feature_value", kFloat, kOneof1},
    {6, "string_default_feature_value", kString, kOneof1}};
constexpr MessageTable kSliceSql = {"SliceSql", kSliceSqlFields, kProto3};

constexpr Field kImageQualityDeriverFields[] = {{1, "model_name", kString}};
constexpr MessageTable kImageQualityDeriver = {
    "ImageQualityDeriver", kImageQualityDeriverFields, kProto3};

constexpr Field kDerivedFeatureConfigFields[] = {
    {1, "allowlist", kAllowlistDeriver, kOneof1},
    {2, "argmax_top_k", kArgmaxTopK, kOneof1},
    {3, "reduce_op", kReduceOp, kOneof1},
    {4, "slice_sql", kSliceSql, kOneof1},
    {5, "image_quality", kImageQualityDeriver, kOneof1}};
constexpr MessageTable kDerivedFeatureConfig = {
    "DerivedFeatureConfig", kDerivedFeatureConfigFields, kProto3};

constexpr Field kDerivedFeatureSourceFields[] = {
    {1, "deriver_name", kString},
    {2, "description", kString},
    {3, "source_path", kPath, kMany},
    {4, "declaratively_configured", kBool},
    {5, "config", kDerivedFeatureConfig}};
constexpr MessageTable kDerivedFeatureSource = {
    "DerivedFeatureSource", kDerivedFeatureSourceFields, kProto3};

constexpr Field kSequenceMetadataFields[] = {
    {3, "sequential_status", kSequentialStatus},
    {4, "joint_group", kString},
    {5, "sequence_truncation_limit", kInt64}};
constexpr MessageTable kSequenceMetadata = {"SequenceMetadata",
                                            kSequenceMetadataFields};

constexpr Field kFeatureFields[] = {
    {1, "name", kString},
    {6, "type", kFeatureType},
    {2, "deprecated", kBool},
    {22, "lifecycle_stage", kLifecycleStage},
    {14, "presence", kPresence, kOneof1},
    {23, "shape", kFixedShape, kOneof2},
    {5, "value_count", kValueCount, kOneof2},
    {9, "int_domain", kIntDomain, kOneof3},
    {29, "struct_domain", kStructDomain, kOneof3},
    {17, "group_presence", kPresenceWithinGroup, kOneof1},
    {32, "value_counts", kValueCountList, kOneof2},
    {7, "domain", kString, kOneof3},
    {10, "float_domain", kFloatDomain, kOneof3},
    {11, "string_domain", kStringDomain, kOneof3},
    {13, "bool_domain", kBoolDomain, kOneof3},
    {25, "image_domain", kImageDomain, kOneof3},
    {24, "natural_language_domain", kNaturalLanguageDomain, kOneof3},
    {26, "mid_domain", kMidDomain, kOneof3},
    {27, "url_domain", kUrlDomain, kOneof3},
    {28, "time_domain", kTimeDomain, kOneof3},
    {30, "time_of_day_domain", kTimeOfDayDomain, kOneof3},
    {36, "audio_domain", kAudioDomain, kOneof3},
    {37, "video_domain", kVideoDomain, kOneof3},
    {38, "content_chunk_domain", kContentChunkDomain, kOneof3},
    {15, "distribution_constraints", kDistributionConstraints},
    {18, "skew_comparator", kFeatureComparator},
    {21, "drift_comparator", kFeatureComparator},
    {20, "in_environment", kString, kMany},
    {19, "not_in_environment", kString, kMany},
    {31, "unique_constraints", kUniqueConstraints},
    {16, "annotation", kAnnotation, kOne, kDropped},
    {34, "validation_derived_source", kDerivedFeatureSource, kOne, kDropped},
    {35, "sequence_metadata", kSequenceMetadata, kOne, kDropped},
    {0, "comment", kString},
    {0, "derived_source", kForgotten}};
constexpr MessageTable kFeature = {"Feature", kFeatureFields};

constexpr Field kDefaultValueFields[] = {{1, "float_value", kDouble, kOneof1},
                                         {2, "int_value", kInt64, kOneof1},
                                         {3, "bytes_value", kBytes, kOneof1},
                                         {4, "uint_value", kUint64, kOneof1}};
constexpr MessageTable kDefaultValue = {"DefaultValue", kDefaultValueFields};

constexpr Field kDenseTensorFields[] = {{1, "column_name", kString},
                                        {2, "shape", kFixedShape},
                                        {3, "default_value", kDefaultValue}};
constexpr MessageTable kDenseTensor = {"DenseTensor", kDenseTensorFields};

constexpr Field kVarLenSparseTensorFields[] = {{1, "column_name", kString}};
constexpr MessageTable kVarLenSparseTensor = {"VarLenSparseTensor",
                                              kVarLenSparseTensorFields};

constexpr Field kSparseTensorFields[] = {
    {1, "dense_shape", kFixedShape},
    {2, "index_column_names", kString, kMany},
    {3, "value_column_name", kString},
    {4, "already_sorted", kBool}};
constexpr MessageTable kSparseTensor = {"SparseTensor", kSparseTensorFields};

constexpr Field kPartitionFields[] = {
    {1, "uniform_row_length", kInt64, kOneof1},
    {2, "row_length", kString, kOneof1}};
constexpr MessageTable kPartition = {"Partition", kPartitionFields};

constexpr Field kRaggedTensorFields[] = {
    {1, "feature_path", kPath},
    {3, "partition", kPartition, kMany},
    {2, "row_partition_dtype", kRowPartitionDType}};
constexpr MessageTable kRaggedTensor = {"RaggedTensor", kRaggedTensorFields};

constexpr Field kTensorFields[] = {
    {1, "dense_tensor", kDenseTensor, kOneof1},
    {2, "varlen_sparse_tensor", kVarLenSparseTensor, kOneof1},
    {3, "sparse_tensor", kSparseTensor, kOneof1},
    {4, "ragged_tensor", kRaggedTensor, kOneof1}};
constexpr MessageTable kTensor = {"TensorRepresentation", kTensorFields};

constexpr Field kTensorEntryFields[] = {{1, "key", kString},
                                        {2, "value", kTensor}};
constexpr MessageTable kTensorEntry = {"tensor_representation",
                                       kTensorEntryFields};

constexpr Field kGroupFields[] = {
    {1, "tensor_representation", kTensorEntry, kMany}};
constexpr MessageTable kGroup = {"TensorRepresentationGroup", kGroupFields};

constexpr Field kGroupEntryFields[] = {{1, "key", kString},
                                       {2, "value", kGroup}};
constexpr MessageTable kGroupEntry = {"tensor_representation_group",
                                      kGroupEntryFields};

constexpr Field kWeightedFeatureFields[] = {
    {1, "name", kString},
    {2, "feature", kPath},
    {3, "weight_feature", kPath},
    {4, "lifecycle_stage", kLifecycleStage}};
constexpr MessageTable kWeightedFeature = {"WeightedFeature",
                                           kWeightedFeatureFields};

constexpr Field kNumericValueComparatorFields[] = {
    {1, "min_fraction_threshold", kDouble},
    {2, "max_fraction_threshold", kDouble}};
constexpr MessageTable kNumericValueComparator = {
    "NumericValueComparator", kNumericValueComparatorFields};

constexpr Field kDatasetConstraintsFields[] = {
    {1, "num_examples_drift_comparator", kNumericValueComparator},
    {2, "num_examples_version_comparator", kNumericValueComparator},
    {3, "min_examples_count", kInt64},
    {4, "max_examples_count", kInt64}};
constexpr MessageTable kDatasetConstraints = {"DatasetConstraints",
                                              kDatasetConstraintsFields};

constexpr Field kSchemaFields[] = {
    {1, "feature", kFeature, kMany},
    {6, "sparse_feature", kSparseFeature, kMany},
    {14, "represent_variable_length_as_ragged", kBool},
    {13, "tensor_representation_group", kGroupEntry, kMany},
    {12, "weighted_feature", kWeightedFeature, kMany},
    {4, "string_domain", kStringDomain, kMany},
    {9, "float_domain", kFloatDomain, kMany},
    {10, "int_domain", kIntDomain, kMany},
    {5, "default_environment", kString, kMany},
    {11, "dataset_constraints", kDatasetConstraints},
    {8, "annotation", kAnnotation, kOne, kDropped},
    {0, "generate_legacy_feature_spec", kBool},
    {0, "sequence", kForgotten, kMany}};
constexpr MessageTable kSchema = {"Schema", kSchemaFields};

}  // namespace

const EnumValue* EnumTable::Find(std::string_view value) const {
  for (const EnumValue& known : values) {
    if (known.name == value) return &known;
  }
  return nullptr;
}

const EnumValue* EnumTable::Find(int64_t number) const {
  for (const EnumValue& value : values) {
    if (value.number == number) return &value;
  }
  return nullptr;
}

std::string_view EnumTable::NameOf(int64_t number) const {
  const EnumValue* const value = Find(number);
  return value == nullptr ? std::string_view() : value->name;
}

const Field* MessageTable::Find(std::string_view field) const {
  for (const Field& known : fields) {
    if (known.name == field) return &known;
  }
  return nullptr;
}

const Field* MessageTable::Find(uint32_t number) const {
  if (number == 0) return nullptr;
  for (const Field& field : fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

const MessageTable& SchemaMessage() { return kSchema; }

std::string Describe(const Field& field) {
  switch (field.type()) {
    case kBool:
      return "true or false";
    case kInt64:
      return "a whole number (int64)";
    case kUint32:
      return "a whole number (uint32)";
    case kUint64:
      return "a whole number (uint64)";
    case kFloat:
    case kDouble:
      return "a decimal number";
    case kString:
    case kBytes:
      return "a string in quotes";
    case kEnum:
      return "a value of the enum " + std::string(field.enumeration().name);
    case kMessage:
      break;
  }
  return "\"{\" or \"<\"";
}

}  // namespace headrace::tfmd_forms

namespace headrace::tfmd {
namespace {

// In the order of tfmd::SemanticDomain.
constexpr std::string_view kSemanticDomains[] = {"natural_language_domain",
                                                 "mid_domain",
                                                 "url_domain",
                                                 "time_domain",
                                                 "time_of_day_domain",
                                                 "audio_domain",
                                                 "video_domain",
                                                 "content_chunk_domain"};

}  // namespace

std::string_view SemanticDomainName(SemanticDomain domain) {
  return kSemanticDomains[static_cast<size_t>(domain)];
}

std::string_view FeatureTypeName(FeatureType type) {
  return tfmd_forms::kFeatureType.NameOf(static_cast<int64_t>(type));
}

std::string_view LifecycleStageName(LifecycleStage stage) {
  return tfmd_forms::kLifecycleStage.NameOf(static_cast<int64_t>(stage));
}

}  // namespace headrace::tfmd
