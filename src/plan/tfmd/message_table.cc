#include "src/plan/tfmd/message_table.h"

#include <iterator>

#include "src/plan/tfmd/enums.h"

namespace headrace::tfmd_forms {
namespace {

using enum FieldType;
using enum Label;

// Indexes into kMessages.
enum MessageId : uint8_t {
  kSchema,
  kFeature,
  kSparseFeature,
  kPresence,
  kPresenceWithinGroup,
  kFixedShape,
  kDim,
  kValueCount,
  kValueCountList,
  kIntDomain,
  kStructDomain,
  kIndexFeature,
  kValueFeature,
  kPath,
  kGroupEntry,
  kGroup,
  kTensorEntry,
  kTensor,
  kDefaultValue,
  kDenseTensor,
  kVarLenSparseTensor,
  kSparseTensor,
  kRaggedTensor,
  kPartition,
  kAnnotation,
  kAny,
  kNumericValueComparator,
  kDatasetConstraints,
  kWeightedFeature,
  kDistributionConstraints,
  kCoverageConstraints,
  kSequenceValueConstraints,
  kSequenceLengthConstraints,
  kFloatDomain,
  kStringDomain,
  kBoolDomain,
  kNaturalLanguageDomain,
  kImageDomain,
  kAudioDomain,
  kVideoDomain,
  kContentChunkDomain,
  kMidDomain,
  kUrlDomain,
  kTimeDomain,
  kTimeOfDayDomain,
  kFeatureComparator,
  kInfinityNorm,
  kJensenShannonDivergence,
  kNormalizedAbsoluteDifference,
  kHistogramSelection,
  kUniqueConstraints,
  kSequenceMetadata,
  kDerivedFeatureSource,
  kDerivedFeatureConfig,
  kAllowlistDeriver,
  kArgmaxTopK,
  kReduceOp,
  kSliceSql,
  kImageQualityDeriver,
  kForgotten,
};

// Kept fields come first, then those that are only checked, then those that
// only old texts have.
constexpr Field kSchemaFields[] = {
    {1, "feature", kMessage, kMany, kFeature},
    {6, "sparse_feature", kMessage, kMany, kSparseFeature},
    {14, "represent_variable_length_as_ragged", kBool},
    {13, "tensor_representation_group", kMessage, kMany, kGroupEntry},
    {12, "weighted_feature", kMessage, kMany, kWeightedFeature},
    {4, "string_domain", kMessage, kMany, kStringDomain},
    {9, "float_domain", kMessage, kMany, kFloatDomain},
    {10, "int_domain", kMessage, kMany, kIntDomain},
    {5, "default_environment", kString, kMany},
    {11, "dataset_constraints", kMessage, kOne, kDatasetConstraints},
    {8, "annotation", kMessage, kOne, kAnnotation},
    {0, "generate_legacy_feature_spec", kBool},
    {0, "sequence", kMessage, kMany, kForgotten},
};
constexpr Field kFeatureFields[] = {
    {1, "name", kString},
    {6, "type", kEnum, kOne, kFeatureTypeEnum},
    {2, "deprecated", kBool},
    {22, "lifecycle_stage", kEnum, kOne, kLifecycleStage},
    {14, "presence", kMessage, kOneof1, kPresence},
    {23, "shape", kMessage, kOneof2, kFixedShape},
    {5, "value_count", kMessage, kOneof2, kValueCount},
    {9, "int_domain", kMessage, kOneof3, kIntDomain},
    {29, "struct_domain", kMessage, kOneof3, kStructDomain},
    {17, "group_presence", kMessage, kOneof1, kPresenceWithinGroup},
    {32, "value_counts", kMessage, kOneof2, kValueCountList},
    {7, "domain", kString, kOneof3},
    {10, "float_domain", kMessage, kOneof3, kFloatDomain},
    {11, "string_domain", kMessage, kOneof3, kStringDomain},
    {13, "bool_domain", kMessage, kOneof3, kBoolDomain},
    {25, "image_domain", kMessage, kOneof3, kImageDomain},
    {24, "natural_language_domain", kMessage, kOneof3, kNaturalLanguageDomain},
    {26, "mid_domain", kMessage, kOneof3, kMidDomain},
    {27, "url_domain", kMessage, kOneof3, kUrlDomain},
    {28, "time_domain", kMessage, kOneof3, kTimeDomain},
    {30, "time_of_day_domain", kMessage, kOneof3, kTimeOfDayDomain},
    {36, "audio_domain", kMessage, kOneof3, kAudioDomain},
    {37, "video_domain", kMessage, kOneof3, kVideoDomain},
    {38, "content_chunk_domain", kMessage, kOneof3, kContentChunkDomain},
    {15, "distribution_constraints", kMessage, kOne, kDistributionConstraints},
    {18, "skew_comparator", kMessage, kOne, kFeatureComparator},
    {21, "drift_comparator", kMessage, kOne, kFeatureComparator},
    {20, "in_environment", kString, kMany},
    {19, "not_in_environment", kString, kMany},
    {31, "unique_constraints", kMessage, kOne, kUniqueConstraints},
    {16, "annotation", kMessage, kOne, kAnnotation},
    {34, "validation_derived_source", kMessage, kOne, kDerivedFeatureSource},
    {35, "sequence_metadata", kMessage, kOne, kSequenceMetadata},
    {0, "comment", kString},
    {0, "derived_source", kMessage, kOne, kForgotten},
};
constexpr Field kSparseFeatureFields[] = {
    {1, "name", kString},
    {2, "deprecated", kBool},
    {7, "lifecycle_stage", kEnum, kOne, kLifecycleStage},
    {6, "index_feature", kMessage, kMany, kIndexFeature},
    {9, "value_feature", kMessage, kOne, kValueFeature},
    {8, "is_sorted", kBool},
    {4, "presence", kMessage, kOne, kPresence},
    {5, "dense_shape", kMessage, kOne, kFixedShape},
    {10, "type", kEnum, kOne, kFeatureTypeEnum},
    {0, "comment", kString},
    {0, "domain", kMessage, kOne, kForgotten},
};
constexpr Field kPresenceFields[] = {{1, "min_fraction", kDouble},
                                     {2, "min_count", kInt64}};
constexpr Field kPresenceWithinGroupFields[] = {{1, "required", kBool}};
constexpr Field kFixedShapeFields[] = {{2, "dim", kMessage, kMany, kDim}};
constexpr Field kDimFields[] = {{1, "size", kInt64}, {2, "name", kString}};
// ValueCount and UniqueConstraints have these.
constexpr Field kMinMaxFields[] = {{1, "min", kInt64}, {2, "max", kInt64}};
constexpr Field kValueCountListFields[] = {
    {1, "value_count", kMessage, kMany, kValueCount}};
constexpr Field kIntDomainFields[] = {{3, "min", kInt64},
                                      {4, "max", kInt64},
                                      {1, "name", kString},
                                      {5, "is_categorical", kBool}};
constexpr Field kStructDomainFields[] = {
    {1, "feature", kMessage, kMany, kFeature},
    {2, "sparse_feature", kMessage, kMany, kSparseFeature}};
// IndexFeature and ValueFeature have these.
constexpr Field kNamedFields[] = {{1, "name", kString}};
constexpr Field kPathFields[] = {{1, "step", kString, kMany}};

constexpr Field kGroupEntryFields[] = {{1, "key", kString},
                                       {2, "value", kMessage, kOne, kGroup}};
constexpr Field kGroupFields[] = {
    {1, "tensor_representation", kMessage, kMany, kTensorEntry}};
constexpr Field kTensorEntryFields[] = {{1, "key", kString},
                                        {2, "value", kMessage, kOne, kTensor}};
constexpr Field kTensorFields[] = {
    {1, "dense_tensor", kMessage, kOneof1, kDenseTensor},
    {2, "varlen_sparse_tensor", kMessage, kOneof1, kVarLenSparseTensor},
    {3, "sparse_tensor", kMessage, kOneof1, kSparseTensor},
    {4, "ragged_tensor", kMessage, kOneof1, kRaggedTensor}};
constexpr Field kDefaultValueFields[] = {{1, "float_value", kDouble, kOneof1},
                                         {2, "int_value", kInt64, kOneof1},
                                         {3, "bytes_value", kBytes, kOneof1},
                                         {4, "uint_value", kUint64, kOneof1}};
constexpr Field kDenseTensorFields[] = {
    {1, "column_name", kString},
    {2, "shape", kMessage, kOne, kFixedShape},
    {3, "default_value", kMessage, kOne, kDefaultValue}};
constexpr Field kVarLenSparseTensorFields[] = {{1, "column_name", kString}};
constexpr Field kSparseTensorFields[] = {
    {1, "dense_shape", kMessage, kOne, kFixedShape},
    {2, "index_column_names", kString, kMany},
    {3, "value_column_name", kString},
    {4, "already_sorted", kBool}};
constexpr Field kRaggedTensorFields[] = {
    {1, "feature_path", kMessage, kOne, kPath},
    {3, "partition", kMessage, kMany, kPartition},
    {2, "row_partition_dtype", kEnum, kOne, kRowPartitionDType}};
constexpr Field kPartitionFields[] = {
    {1, "uniform_row_length", kInt64, kOneof1},
    {2, "row_length", kString, kOneof1}};

constexpr Field kNumericValueComparatorFields[] = {
    {1, "min_fraction_threshold", kDouble},
    {2, "max_fraction_threshold", kDouble}};
constexpr Field kDatasetConstraintsFields[] = {
    {1, "num_examples_drift_comparator", kMessage, kOne,
     kNumericValueComparator},
    {2, "num_examples_version_comparator", kMessage, kOne,
     kNumericValueComparator},
    {3, "min_examples_count", kInt64},
    {4, "max_examples_count", kInt64}};
constexpr Field kWeightedFeatureFields[] = {
    {1, "name", kString},
    {2, "feature", kMessage, kOne, kPath},
    {3, "weight_feature", kMessage, kOne, kPath},
    {4, "lifecycle_stage", kEnum, kOne, kLifecycleStage}};
constexpr Field kDistributionConstraintsFields[] = {
    {1, "min_domain_mass", kDouble}};
constexpr Field kFloatDomainFields[] = {{3, "min", kFloat},
                                        {4, "max", kFloat},
                                        {1, "name", kString},
                                        {5, "disallow_nan", kBool},
                                        {6, "disallow_inf", kBool},
                                        {7, "is_embedding", kBool},
                                        {8, "is_categorical", kBool},
                                        {9, "embedding_dim", kInt64},
                                        {10, "embedding_type", kString}};
constexpr Field kStringDomainFields[] = {
    {1, "name", kString},
    {2, "value", kString, kMany},
    {3, "is_categorical", kEnum, kOne, kCategorical}};
constexpr Field kBoolDomainFields[] = {{1, "name", kString},
                                       {2, "true_value", kString},
                                       {3, "false_value", kString}};
constexpr Field kImageDomainFields[] = {
    {1, "minimum_supported_image_fraction", kFloat},
    {2, "max_image_byte_size", kInt64}};
constexpr Field kFeatureComparatorFields[] = {
    {1, "infinity_norm", kMessage, kOne, kInfinityNorm},
    {2, "jensen_shannon_divergence", kMessage, kOne, kJensenShannonDivergence},
    {3, "normalized_abs_difference", kMessage, kOne,
     kNormalizedAbsoluteDifference}};
// InfinityNorm and NormalizedAbsoluteDifference have these.
constexpr Field kThresholdFields[] = {{1, "threshold", kDouble}};
constexpr Field kJensenShannonDivergenceFields[] = {
    {1, "threshold", kDouble},
    {2, "source", kMessage, kOne, kHistogramSelection}};
constexpr Field kHistogramSelectionFields[] = {
    {1, "type", kEnum, kOne, kHistogramType}};

// None of the following fields is kept.
constexpr Field kAnnotationFields[] = {
    {1, "tag", kString, kMany},
    {2, "comment", kString, kMany},
    {3, "extra_metadata", kMessage, kMany, kAny}};
constexpr Field kAnyFields[] = {{1, "type_url", kString}, {2, "value", kBytes}};
constexpr Field kCoverageConstraintsFields[] = {
    {1, "min_coverage", kFloat},
    {2, "min_avg_token_length", kFloat},
    {3, "excluded_string_tokens", kString, kMany},
    {4, "excluded_int_tokens", kInt64, kMany},
    {5, "oov_string_tokens", kString, kMany}};
constexpr Field kSequenceValueConstraintsFields[] = {
    {1, "int_value", kInt64, kOneof1},
    {2, "string_value", kString, kOneof1},
    {3, "min_per_sequence", kInt64},
    {4, "max_per_sequence", kInt64},
    {5, "min_fraction_of_sequences", kFloat},
    {6, "max_fraction_of_sequences", kFloat}};
constexpr Field kSequenceLengthConstraintsFields[] = {
    {1, "excluded_int_value", kInt64, kMany},
    {2, "excluded_string_value", kString, kMany},
    {3, "min_sequence_length", kInt64},
    {4, "max_sequence_length", kInt64}};
constexpr Field kNaturalLanguageDomainFields[] = {
    {1, "vocabulary", kString},
    {2, "coverage", kMessage, kOne, kCoverageConstraints},
    {3, "token_constraints", kMessage, kMany, kSequenceValueConstraints},
    {5, "sequence_length_constraints", kMessage, kOne,
     kSequenceLengthConstraints}};
constexpr Field kTimeDomainFields[] = {
    {1, "string_format", kString, kOneof1},
    {2, "integer_format", kEnum, kOneof1, kTimeFormat}};
constexpr Field kTimeOfDayDomainFields[] = {
    {1, "string_format", kString, kOneof1},
    {2, "integer_format", kEnum, kOneof1, kTimeOfDayFormat}};
constexpr Field kSequenceMetadataFields[] = {
    {3, "sequential_status", kEnum, kOne, kSequentialStatus},
    {4, "joint_group", kString},
    {5, "sequence_truncation_limit", kInt64}};
constexpr Field kDerivedFeatureSourceFields[] = {
    {1, "deriver_name", kString},
    {2, "description", kString},
    {3, "source_path", kMessage, kMany, kPath},
    {4, "declaratively_configured", kBool},
    {5, "config", kMessage, kOne, kDerivedFeatureConfig}};
constexpr Field kDerivedFeatureConfigFields[] = {
    {1, "allowlist", kMessage, kOneof1, kAllowlistDeriver},
    {2, "argmax_top_k", kMessage, kOneof1, kArgmaxTopK},
    {3, "reduce_op", kMessage, kOneof1, kReduceOp},
    {4, "slice_sql", kMessage, kOneof1, kSliceSql},
    {5, "image_quality", kMessage, kOneof1, kImageQualityDeriver}};
constexpr Field kAllowlistDeriverFields[] = {
    {1, "allowed_bytes_value", kBytes, kMany},
    {2, "placeholder_value", kBytes}};
constexpr Field kArgmaxTopKFields[] = {{1, "k", kUint32}};
constexpr Field kReduceOpFields[] = {{1, "op_name", kString}};
constexpr Field kSliceSqlFields[] = {
    {1, "expression", kString},
    {2, "feature_value_type", kEnum, kOne, kSliceValueType},
    {3, "drop_struct_name", kBool},
    {4, "int64_default_feature_value", kInt64, kOneof1},
    {5, "float_default_feature_value", kFloat, kOneof1},
    {6, "string_default_feature_value", kString, kOneof1}};
constexpr Field kImageQualityDeriverFields[] = {{1, "model_name", kString}};

using enum MessageTable::Syntax;

// In the order of MessageId.
constexpr MessageTable kMessages[] = {
    {"Schema", kSchemaFields, kSchemaConstraints + 1},
    {"Feature", kFeatureFields, kFeatureUnique + 1},
    {"SparseFeature", kSparseFeatureFields, kSparseIsSorted + 1},
    {"FeaturePresence", kPresenceFields, kPresenceMinCount + 1},
    {"FeaturePresenceWithinGroup", kPresenceWithinGroupFields, kOnly + 1},
    {"FixedShape", kFixedShapeFields, kShapeDim + 1},
    {"Dim", kDimFields, kDimName + 1},
    {"ValueCount", kMinMaxFields, kRangeMax + 1},
    {"ValueCountList", kValueCountListFields, kOnly + 1},
    {"IntDomain", kIntDomainFields, kIntCategorical + 1},
    {"StructDomain", kStructDomainFields, kStructSparseFeature + 1},
    {"IndexFeature", kNamedFields, kOnly + 1},
    {"ValueFeature", kNamedFields, kOnly + 1},
    {"Path", kPathFields, kOnly + 1},
    {"tensor_representation_group", kGroupEntryFields, kEntryValue + 1},
    {"TensorRepresentationGroup", kGroupFields, kOnly + 1},
    {"tensor_representation", kTensorEntryFields, kEntryValue + 1},
    {"TensorRepresentation", kTensorFields, kTensorRagged + 1},
    {"DefaultValue", kDefaultValueFields, kDefaultUint + 1},
    {"DenseTensor", kDenseTensorFields, kDenseDefault + 1},
    {"VarLenSparseTensor", kVarLenSparseTensorFields, kOnly + 1},
    {"SparseTensor", kSparseTensorFields, kSparseTensorSorted + 1},
    {"RaggedTensor", kRaggedTensorFields, kRaggedDType + 1},
    {"Partition", kPartitionFields, kPartitionRowLength + 1},
    {"Annotation", kAnnotationFields},
    {"Any", kAnyFields, 0, kExpandable},
    {"NumericValueComparator", kNumericValueComparatorFields, kRangeMax + 1},
    {"DatasetConstraints", kDatasetConstraintsFields, kDatasetMax + 1},
    {"WeightedFeature", kWeightedFeatureFields, kWeightedStage + 1},
    {"DistributionConstraints", kDistributionConstraintsFields, kOnly + 1},
    {"FeatureCoverageConstraints", kCoverageConstraintsFields},
    {"SequenceValueConstraints", kSequenceValueConstraintsFields},
    {"SequenceLengthConstraints", kSequenceLengthConstraintsFields},
    {"FloatDomain", kFloatDomainFields, kFloatEmbeddingType + 1},
    {"StringDomain", kStringDomainFields, kStringCategorical + 1},
    {"BoolDomain", kBoolDomainFields, kBoolFalse + 1},
    {"NaturalLanguageDomain", kNaturalLanguageDomainFields},
    {"ImageDomain", kImageDomainFields, kImageMaxBytes + 1},
    {"AudioDomain", {}},
    {"VideoDomain", {}},
    {"ContentChunkDomain", {}},
    {"MIDDomain", {}},
    {"URLDomain", {}},
    {"TimeDomain", kTimeDomainFields},
    {"TimeOfDayDomain", kTimeOfDayDomainFields},
    {"FeatureComparator", kFeatureComparatorFields, kComparatorDifference + 1},
    {"InfinityNorm", kThresholdFields, kThreshold + 1},
    {"JensenShannonDivergence", kJensenShannonDivergenceFields,
     kThresholdSource + 1},
    {"NormalizedAbsoluteDifference", kThresholdFields, kThreshold + 1},
    {"HistogramSelection", kHistogramSelectionFields, kOnly + 1},
    {"UniqueConstraints", kMinMaxFields, kRangeMax + 1},
    {"SequenceMetadata", kSequenceMetadataFields},
    {"DerivedFeatureSource", kDerivedFeatureSourceFields, 0, kProto3},
    {"DerivedFeatureConfig", kDerivedFeatureConfigFields, 0, kProto3},
    {"AllowlistDeriver", kAllowlistDeriverFields, 0, kProto3},
    {"ArgmaxTopK", kArgmaxTopKFields, 0, kProto3},
    {"ReduceOp", kReduceOpFields, 0, kProto3},
    {"SliceSql", kSliceSqlFields, 0, kProto3},
    {"ImageQualityDeriver", kImageQualityDeriverFields, 0, kProto3},
    {"a message of the past", {}, 0, kOpaque},
};
static_assert(std::size(kMessages) == kForgotten + 1);

}  // namespace

const MessageTable& Field::message() const { return kMessages[of]; }

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

const MessageTable& SchemaMessage() { return kMessages[kSchema]; }

std::string Describe(const Field& field) {
  switch (field.type) {
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
      return "a name of " + std::string(field.enumeration().name);
    case kMessage:
      break;
  }
  return "\"{\" or \"<\"";
}

}  // namespace headrace::tfmd_forms
