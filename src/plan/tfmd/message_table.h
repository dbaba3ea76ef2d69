// Tables of the messages of tensorflow.metadata.v0.Schema: what a parser must
// know of them, and which of their fields a Schema keeps.

#ifndef HEADRACE_SRC_PLAN_TFMD_MESSAGE_TABLE_H_
#define HEADRACE_SRC_PLAN_TFMD_MESSAGE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headrace::tfmd_forms {

enum class FieldType : uint8_t {
  kBool,
  kInt64,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kString,
  kBytes,
  kEnum,
  kMessage,
};

// How often a field may occur. Those with the same kOneof exclude one another.
enum class Label : uint8_t { kOne, kMany, kOneof1, kOneof2, kOneof3 };

struct EnumValue {
  std::string_view name;
  int32_t number;
};

struct EnumTable {
  std::string_view name;
  std::span<const EnumValue> values;
  // In an enum of proto3 any number is a value.
  bool open = false;

  const EnumValue* Find(std::string_view value) const;
  const EnumValue* Find(int64_t number) const;
};

struct MessageTable;

struct Field {
  // 0 for a field that proto files no longer have: old texts may hold it, and
  // it is ignored.
  uint32_t number;
  std::string_view name;
  FieldType type;
  Label label = Label::kOne;
  // For kMessage and kEnum, the index into their own tables.
  uint8_t of = 0;

  bool repeated() const { return label == Label::kMany; }
  bool in_oneof() const { return label > Label::kMany; }
  // message() is only for kMessage, enumeration() only for kEnum.
  const MessageTable& message() const;
  const EnumTable& enumeration() const;
};

struct MessageTable {
  enum class Syntax : uint8_t {
    kProto2,
    kProto3,      // strings are UTF-8
    kExpandable,  // google.protobuf.Any: kProto3, with a second form in text
    kOpaque,      // from an old text; its fields are unknown
  };

  std::string_view name;
  // At most 64; those that are kept come first.
  std::span<const Field> fields;
  size_t num_kept = 0;
  Syntax syntax = Syntax::kProto2;

  // Returns null if there is no such field. A field that only old texts have is
  // never found by its number.
  const Field* Find(std::string_view field) const;
  const Field* Find(uint32_t number) const;
  size_t IndexOf(const Field& field) const {
    return static_cast<size_t>(&field - fields.data());
  }
};

const MessageTable& SchemaMessage();

// Returns a text like "a whole number (int64)", "a string in quotes", "a name
// of FeatureType" or "\"{\" or \"<\"".
std::string Describe(const Field& field);

// Indexes of kept fields, in the order of the table of their message.
enum SchemaField : size_t {
  kSchemaFeature,
  kSchemaSparseFeature,
  kSchemaAsRagged,
  kSchemaGroup,
  kSchemaWeightedFeature,
  kSchemaStringDomain,
  kSchemaFloatDomain,
  kSchemaIntDomain,
  kSchemaEnvironment,
  kSchemaConstraints,
};
// Map entries keep both fields.
enum EntryField : size_t { kEntryKey, kEntryValue };
enum FeatureField : size_t {
  kFeatureName,
  kFeatureTypeField,
  kFeatureDeprecated,
  kFeatureLifecycleStage,
  kFeaturePresence,
  kFeatureShape,
  kFeatureValueCount,
  kFeatureIntDomain,
  kFeatureStructDomain,
  kFeatureGroupPresence,
  kFeatureValueCounts,
  kFeatureDomain,
  kFeatureFloatDomain,
  kFeatureStringDomain,
  kFeatureBoolDomain,
  kFeatureImageDomain,
  // In the order of tfmd::SemanticDomain.
  kFeatureFirstSemanticDomain,
  kFeatureLastSemanticDomain = kFeatureFirstSemanticDomain + 7,
  kFeatureDistribution,
  kFeatureSkew,
  kFeatureDrift,
  kFeatureInEnvironment,
  kFeatureNotInEnvironment,
  kFeatureUnique,
};
enum PresenceField : size_t { kPresenceMinFraction, kPresenceMinCount };
enum ShapeField : size_t { kShapeDim };
enum DimField : size_t { kDimSize, kDimName };
// ValueCount, UniqueConstraints, NumericValueComparator and the domains of
// numbers begin with these.
enum RangeField : size_t { kRangeMin, kRangeMax };
enum IntField : size_t { kIntName = kRangeMax + 1, kIntCategorical };
enum FloatField : size_t {
  kFloatName = kRangeMax + 1,
  kFloatNoNan,
  kFloatNoInf,
  kFloatEmbedding,
  kFloatCategorical,
  kFloatEmbeddingDim,
  kFloatEmbeddingType,
};
enum StringField : size_t { kStringName, kStringValue, kStringCategorical };
enum BoolField : size_t { kBoolName, kBoolTrue, kBoolFalse };
enum ImageField : size_t { kImageMinFraction, kImageMaxBytes };
enum ComparatorField : size_t {
  kComparatorInfinityNorm,
  kComparatorDivergence,
  kComparatorDifference,
};
// Messages of distances begin with kThreshold.
enum ThresholdField : size_t { kThreshold, kThresholdSource };
enum DatasetField : size_t {
  kDatasetDrift,
  kDatasetVersion,
  kDatasetMin,
  kDatasetMax,
};
enum WeightedField : size_t {
  kWeightedName,
  kWeightedFeatureField,
  kWeightedWeight,
  kWeightedStage,
};
enum StructField : size_t { kStructFeature, kStructSparseFeature };
enum SparseFeatureField : size_t {
  kSparseName,
  kSparseDeprecated,
  kSparseLifecycleStage,
  kSparseIndexFeature,
  kSparseValueFeature,
  kSparseIsSorted,
};
// For messages that keep only one field.
enum OnlyField : size_t { kOnly };
enum TensorField : size_t {
  kTensorDense,
  kTensorVarLen,
  kTensorSparse,
  kTensorRagged
};
enum DenseField : size_t { kDenseColumn, kDenseShape, kDenseDefault };
enum DefaultField : size_t {
  kDefaultFloat,
  kDefaultInt,
  kDefaultBytes,
  kDefaultUint
};
enum SparseTensorField : size_t {
  kSparseTensorShape,
  kSparseTensorIndexColumns,
  kSparseTensorValueColumn,
  kSparseTensorSorted,
};
enum RaggedField : size_t { kRaggedPath, kRaggedPartition, kRaggedDType };
enum PartitionField : size_t { kPartitionUniform, kPartitionRowLength };

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_MESSAGE_TABLE_H_
