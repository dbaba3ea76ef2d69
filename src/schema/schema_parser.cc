// Schema::Parse and what it is made of.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/schema.h"
#include "src/base/out_of_memory.h"
#include "src/schema/binary_parser.h"
#include "src/schema/text_parser.h"
#include "src/schema/text_tokenizer.h"
#include "src/schema/tfmd_message.h"
#include "src/schema/tfmd_types.h"

namespace headrace {
namespace {

using schema::Message;

// The messages of a repeated field.
std::vector<Message> TakeList(Message* message, size_t field) {
  auto* list = message->Get<std::vector<Message>>(field);
  return list == nullptr ? std::vector<Message>() : std::move(*list);
}

// The message of a field that has one; null where it is not set.
Message* Child(Message* message, size_t field) {
  auto* list = message->Get<std::vector<Message>>(field);
  return list == nullptr ? nullptr : &list->front();
}

std::optional<std::string> TakeString(Message* message, size_t field) {
  auto* text = message->Get<std::string>(field);
  if (text == nullptr) return std::nullopt;
  return std::move(*text);
}

std::string TakeName(Message* message, size_t field) {
  return TakeString(message, field).value_or(std::string());
}

std::vector<std::string> TakeStrings(Message* message, size_t field) {
  auto* list = message->Get<std::vector<std::string>>(field);
  return list == nullptr ? std::vector<std::string>() : std::move(*list);
}

std::optional<int64_t> Int(Message* message, size_t field) {
  const auto* value = message->Get<uint64_t>(field);
  if (value == nullptr) return std::nullopt;
  return static_cast<int64_t>(*value);
}

bool IsTrue(Message* message, size_t field) {
  return Int(message, field).value_or(0) != 0;
}

// The tables' enums have the numbers of schema.h's.
template <class Enum>
Enum EnumOf(Message* message, size_t field) {
  return static_cast<Enum>(Int(message, field).value_or(0));
}

tfmd::FixedShape ToShape(Message* message) {
  tfmd::FixedShape shape;
  for (Message& dim : TakeList(message, schema::kShapeDim)) {
    shape.dims.push_back({.size = Int(&dim, schema::kDimSize),
                          .name = TakeString(&dim, schema::kDimName)});
  }
  return shape;
}

std::optional<tfmd::FixedShape> TakeShape(Message* message, size_t field) {
  Message* const shape = Child(message, field);
  if (shape == nullptr) return std::nullopt;
  return ToShape(shape);
}

// A ValueCount or an IntDomain.
template <class Range>
std::optional<Range> ToRange(Message* message, size_t field) {
  Message* const range = Child(message, field);
  if (range == nullptr) return std::nullopt;
  return Range{.min = Int(range, schema::kRangeMin),
               .max = Int(range, schema::kRangeMax)};
}

std::optional<tfmd::FeaturePresence> ToPresence(Message* message) {
  if (message == nullptr) return std::nullopt;
  tfmd::FeaturePresence presence;
  if (const auto* fraction =
          message->Get<double>(schema::kPresenceMinFraction)) {
    presence.min_fraction = *fraction;
  }
  presence.min_count = Int(message, schema::kPresenceMinCount);
  return presence;
}

tfmd::SparseFeature ToSparseFeature(Message* message) {
  tfmd::SparseFeature feature = {
      .name = TakeName(message, schema::kSparseName),
      .deprecated = IsTrue(message, schema::kSparseDeprecated),
      .lifecycle_stage =
          EnumOf<tfmd::LifecycleStage>(message, schema::kSparseLifecycleStage),
      .is_sorted = IsTrue(message, schema::kSparseIsSorted)};
  for (Message& index : TakeList(message, schema::kSparseIndexFeature)) {
    feature.index_features.push_back(TakeName(&index, schema::kOnly));
  }
  if (Message* value = Child(message, schema::kSparseValueFeature)) {
    feature.value_feature = TakeName(value, schema::kOnly);
  }
  return feature;
}

std::vector<tfmd::SparseFeature> ToSparseFeatures(Message* message,
                                                  size_t field) {
  std::vector<tfmd::SparseFeature> features;
  for (Message& feature : TakeList(message, field)) {
    features.push_back(ToSparseFeature(&feature));
  }
  return features;
}

std::vector<tfmd::Feature> ToFeatures(Message* message, size_t field);

tfmd::Feature ToFeature(Message* message) {
  tfmd::Feature feature = {
      .name = TakeName(message, schema::kFeatureName),
      .type = EnumOf<tfmd::FeatureType>(message, schema::kFeatureTypeField),
      .deprecated = IsTrue(message, schema::kFeatureDeprecated),
      .lifecycle_stage =
          EnumOf<tfmd::LifecycleStage>(message, schema::kFeatureLifecycleStage),
      .presence = ToPresence(Child(message, schema::kFeaturePresence)),
      .shape = TakeShape(message, schema::kFeatureShape),
      .value_count =
          ToRange<tfmd::ValueCount>(message, schema::kFeatureValueCount),
      .int_domain =
          ToRange<tfmd::IntDomain>(message, schema::kFeatureIntDomain)};
  if (Message* domain = Child(message, schema::kFeatureStructDomain)) {
    feature.children = ToFeatures(domain, schema::kStructFeature);
    feature.sparse_children =
        ToSparseFeatures(domain, schema::kStructSparseFeature);
  }
  return feature;
}

// As deep as messages nest, which the parsers bound.
std::vector<tfmd::Feature> ToFeatures(Message* message, size_t field) {
  std::vector<tfmd::Feature> features;
  for (Message& feature : TakeList(message, field)) {
    features.push_back(ToFeature(&feature));
  }
  return features;
}

tfmd::DefaultValue ToDefault(Message* message) {
  tfmd::DefaultValue result;
  if (const auto* number = message->Get<double>(schema::kDefaultFloat)) {
    result.value = *number;
  } else if (const auto whole = Int(message, schema::kDefaultInt)) {
    result.value = *whole;
  } else if (auto bytes = TakeString(message, schema::kDefaultBytes)) {
    result.value = std::move(*bytes);
  } else if (const auto* magnitude =
                 message->Get<uint64_t>(schema::kDefaultUint)) {
    result.value = *magnitude;
  }
  return result;
}

tfmd::DenseTensor ToDense(Message* message) {
  tfmd::DenseTensor tensor = {
      .column_name = TakeString(message, schema::kDenseColumn),
      .shape = TakeShape(message, schema::kDenseShape)};
  if (Message* value = Child(message, schema::kDenseDefault)) {
    tensor.default_value = ToDefault(value);
  }
  return tensor;
}

tfmd::SparseTensor ToSparse(Message* message) {
  tfmd::SparseTensor tensor = {
      .dense_shape = TakeShape(message, schema::kSparseTensorShape),
      .index_column_names =
          TakeStrings(message, schema::kSparseTensorIndexColumns),
      .value_column_name =
          TakeString(message, schema::kSparseTensorValueColumn)};
  if (const auto sorted = Int(message, schema::kSparseTensorSorted)) {
    tensor.already_sorted = *sorted != 0;
  }
  return tensor;
}

tfmd::RaggedTensor ToRagged(Message* message) {
  tfmd::RaggedTensor tensor;
  if (Message* path = Child(message, schema::kRaggedPath)) {
    tensor.feature_path = TakeStrings(path, schema::kOnly);
  }
  for (Message& partition : TakeList(message, schema::kRaggedPartition)) {
    auto& added = tensor.partitions.emplace_back();
    if (const auto length = Int(&partition, schema::kPartitionUniform)) {
      added = *length;
    } else if (auto column =
                   TakeString(&partition, schema::kPartitionRowLength)) {
      added = std::move(*column);
    }
  }
  if (message->Get<uint64_t>(schema::kRaggedDType) != nullptr) {
    tensor.row_partition_dtype =
        EnumOf<tfmd::RowPartitionDType>(message, schema::kRaggedDType);
  }
  return tensor;
}

tfmd::TensorRepresentation ToTensor(std::string name, Message* message) {
  tfmd::TensorRepresentation tensor = {.name = std::move(name)};
  if (message == nullptr) return tensor;
  if (Message* dense = Child(message, schema::kTensorDense)) {
    tensor.kind = ToDense(dense);
  } else if (Message* varlen = Child(message, schema::kTensorVarLen)) {
    tensor.kind = tfmd::VarLenSparseTensor{
        .column_name = TakeString(varlen, schema::kOnly)};
  } else if (Message* sparse = Child(message, schema::kTensorSparse)) {
    tensor.kind = ToSparse(sparse);
  } else if (Message* ragged = Child(message, schema::kTensorRagged)) {
    tensor.kind = ToRagged(ragged);
  }
  return tensor;
}

// The items of a map, each as `convert` makes it of its name and the message
// that is its value, or null. Where a key is there twice the later value takes
// the place of the earlier.
template <class Item, class Convert>
std::vector<Item> ToItems(Message* message, size_t field, Convert&& convert) {
  std::vector<Item> items;
  std::map<std::string, size_t> indexes;
  for (Message& entry : TakeList(message, field)) {
    std::string name = TakeName(&entry, schema::kEntryKey);
    const auto [at, added] = indexes.try_emplace(name, items.size());
    if (added) items.emplace_back();
    items[at->second] =
        convert(std::move(name), Child(&entry, schema::kEntryValue));
  }
  return items;
}

tfmd::TensorRepresentationGroup ToGroup(std::string name, Message* message) {
  tfmd::TensorRepresentationGroup group = {.name = std::move(name)};
  if (message != nullptr) {
    group.tensors =
        ToItems<tfmd::TensorRepresentation>(message, schema::kOnly, ToTensor);
  }
  return group;
}

Result<Schema> ToSchema(Result<Message> parsed) {
  if (!parsed.ok()) return parsed.status();
  Message* const message = &*parsed;
  Schema result;
  result.features = ToFeatures(message, schema::kSchemaFeature);
  result.sparse_features =
      ToSparseFeatures(message, schema::kSchemaSparseFeature);
  result.represent_variable_length_as_ragged =
      IsTrue(message, schema::kSchemaAsRagged);
  result.groups = ToItems<tfmd::TensorRepresentationGroup>(
      message, schema::kSchemaGroup, ToGroup);
  return result;
}

bool IsControl(char c) {
  return (static_cast<unsigned char>(c) < ' ' && !(c >= '\t' && c <= '\r')) ||
         c == '\x7f';
}

bool HasControl(std::string_view bytes) {
  for (const char c : bytes) {
    if (IsControl(c)) return true;
  }
  return false;
}

// For bytes that are neither. Nearly every field of a serialized message has a
// length or a number that is a control character; a text begins with a field.
bool LooksLikeText(std::string_view bytes) {
  constexpr size_t kEnough = 256;
  if (!HasControl(bytes.substr(0, kEnough))) return true;
  const schema::Token first = schema::TextTokenizer(bytes).current();
  return first.kind == schema::TokenKind::kWord &&
         schema::SchemaMessage().Find(first.text) != nullptr;
}

Result<Schema> ReadText(std::string_view text) {
  return ToSchema(schema::TextParser(text).Parse());
}

Result<Schema> ReadBinary(std::string_view bytes) {
  return ToSchema(schema::BinaryParser(bytes).Parse());
}

// Bytes can be both: 0x0a, which serialized schemas begin with, is a line feed,
// and a length of 35 is a '#', behind which text may be anything. What tells
// them apart are control characters. A serialized feature that has a type has
// one, for the number of the type, so with a control character bytes are a
// serialized Schema if they can be; where they cannot, they are a text with one
// in a string or a comment. Without any they are a text if they can be.
Result<Schema> ReadAny(std::string_view bytes) {
  const bool control = HasControl(bytes);
  Result<Schema> first = control ? ReadBinary(bytes) : ReadText(bytes);
  if (first.ok()) return first;
  Result<Schema> second = control ? ReadText(bytes) : ReadBinary(bytes);
  if (second.ok()) return second;
  return LooksLikeText(bytes) == control ? second : first;
}

}  // namespace

Result<Schema> Schema::FromText(std::string_view text) {
  return CatchOutOfMemory([&] { return ReadText(text); });
}

Result<Schema> Schema::FromBinary(std::string_view bytes) {
  return CatchOutOfMemory([&] { return ReadBinary(bytes); });
}

Result<Schema> Schema::Parse(std::string_view bytes) {
  return CatchOutOfMemory([&] { return ReadAny(bytes); });
}

}  // namespace headrace
