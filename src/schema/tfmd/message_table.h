// The messages of tensorflow.metadata.v0.Schema as tables: what a parser must
// know of them, and which of their fields a Schema keeps.

#ifndef HEADRACE_SRC_SCHEMA_TFMD_MESSAGE_TABLE_H_
#define HEADRACE_SRC_SCHEMA_TFMD_MESSAGE_TABLE_H_

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

// How often a field may be there. Those with the same kOneof exclude one
// another.
enum class Label : uint8_t { kOne, kMany, kOneof1, kOneof2, kOneof3 };

struct EnumValue {
  std::string_view name;
  int32_t number;
};

struct EnumTable {
  std::string_view name;
  std::span<const EnumValue> values;
  // Of proto3: any number is a value.
  bool open = false;

  const EnumValue* Find(std::string_view value) const;
  const EnumValue* Find(int64_t number) const;
};

struct MessageTable;

struct Field {
  // 0 for a field that proto files no longer have: old texts may hold it, and
  // it says nothing.
  uint32_t number;
  std::string_view name;
  FieldType type;
  Label label = Label::kOne;
  // Of kMessage and kEnum, an index into tables of their own.
  uint8_t of = 0;

  bool repeated() const { return label == Label::kMany; }
  bool in_oneof() const { return label > Label::kMany; }
  // Only of the types that have one.
  const MessageTable& message() const;
  const EnumTable& enumeration() const;
};

struct MessageTable {
  enum class Syntax : uint8_t {
    kProto2,
    kProto3,      // strings are UTF-8
    kExpandable,  // google.protobuf.Any: kProto3, with a second form in text
    kOpaque,      // of an old text; nothing is known of its fields
  };

  std::string_view name;
  // Those kept stand first, at most 64 in all.
  std::span<const Field> fields;
  size_t num_kept = 0;
  Syntax syntax = Syntax::kProto2;

  // Null where there is none. The parser of wire format finds no field that
  // only old texts have.
  const Field* Find(std::string_view field) const;
  const Field* Find(uint32_t number) const;
  size_t IndexOf(const Field& field) const {
    return static_cast<size_t>(&field - fields.data());
  }
};

const MessageTable& SchemaMessage();

// "a whole number (int64)", "a string", "a value of FeatureType", "{".
std::string Describe(const Field& field);

// The kept fields of each message, in the order of its table.
enum SchemaField : size_t {
  kSchemaFeature,
  kSchemaSparseFeature,
  kSchemaAsRagged,
  kSchemaGroup,
};
// Of map entries, both of them.
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
};
enum PresenceField : size_t { kPresenceMinFraction, kPresenceMinCount };
enum ShapeField : size_t { kShapeDim };
enum DimField : size_t { kDimSize, kDimName };
// Of ValueCount and IntDomain.
enum RangeField : size_t { kRangeMin, kRangeMax };
enum StructField : size_t { kStructFeature, kStructSparseFeature };
enum SparseFeatureField : size_t {
  kSparseName,
  kSparseDeprecated,
  kSparseLifecycleStage,
  kSparseIndexFeature,
  kSparseValueFeature,
  kSparseIsSorted,
};
// Of the messages with one field.
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

#endif  // HEADRACE_SRC_SCHEMA_TFMD_MESSAGE_TABLE_H_
