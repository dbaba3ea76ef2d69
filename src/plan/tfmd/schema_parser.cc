
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
#include "src/plan/tfmd/binary_parser.h"
#include "src/plan/tfmd/constraint_parser.h"
#include "src/plan/tfmd/message_table.h"
#include "src/plan/tfmd/parsed_message.h"
#include "src/plan/tfmd/text_parser.h"
#include "src/plan/tfmd/text_tokenizer.h"

namespace headrace {
namespace {

using tfmd_forms::Child;
using tfmd_forms::EnumOf;
using tfmd_forms::Int;
using tfmd_forms::IsTrue;
using tfmd_forms::ParsedMessage;
using tfmd_forms::TakeList;
using tfmd_forms::TakeName;
using tfmd_forms::TakeString;
using tfmd_forms::TakeStrings;

tfmd::FixedShape ToShape(ParsedMessage* message) {
  tfmd::FixedShape shape;
  for (ParsedMessage& dim : TakeList(message, tfmd_forms::kShapeDim)) {
    shape.dims.push_back({.size = Int(&dim, tfmd_forms::kDimSize),
                          .name = TakeString(&dim, tfmd_forms::kDimName)});
  }
  return shape;
}

std::optional<tfmd::FixedShape> TakeShape(ParsedMessage* message,
                                          size_t field) {
  ParsedMessage* const shape = Child(message, field);
  if (shape == nullptr) return std::nullopt;
  return ToShape(shape);
}

tfmd::SparseFeature ToSparseFeature(ParsedMessage* message) {
  tfmd::SparseFeature feature = {
      .name = TakeName(message, tfmd_forms::kSparseName),
      .deprecated = IsTrue(message, tfmd_forms::kSparseDeprecated),
      .lifecycle_stage = EnumOf<tfmd::LifecycleStage>(
          message, tfmd_forms::kSparseLifecycleStage),
      .is_sorted = IsTrue(message, tfmd_forms::kSparseIsSorted)};
  for (ParsedMessage& index :
       TakeList(message, tfmd_forms::kSparseIndexFeature)) {
    feature.index_features.push_back(TakeName(&index, tfmd_forms::kOnly));
  }
  if (ParsedMessage* value = Child(message, tfmd_forms::kSparseValueFeature)) {
    feature.value_feature = TakeName(value, tfmd_forms::kOnly);
  }
  return feature;
}

std::vector<tfmd::SparseFeature> ToSparseFeatures(ParsedMessage* message,
                                                  size_t field) {
  std::vector<tfmd::SparseFeature> features;
  for (ParsedMessage& feature : TakeList(message, field)) {
    features.push_back(ToSparseFeature(&feature));
  }
  return features;
}

std::vector<tfmd::Feature> ToFeatures(ParsedMessage* message, size_t field);

tfmd::Feature ToFeature(ParsedMessage* message) {
  tfmd::Feature feature = {
      .name = TakeName(message, tfmd_forms::kFeatureName),
      .type = EnumOf<tfmd::FeatureType>(message, tfmd_forms::kFeatureTypeField),
      .deprecated = IsTrue(message, tfmd_forms::kFeatureDeprecated),
      .lifecycle_stage = EnumOf<tfmd::LifecycleStage>(
          message, tfmd_forms::kFeatureLifecycleStage),
      .shape = TakeShape(message, tfmd_forms::kFeatureShape)};
  tfmd_forms::TakeConstraints(message, &feature);
  if (ParsedMessage* domain =
          Child(message, tfmd_forms::kFeatureStructDomain)) {
    feature.children = ToFeatures(domain, tfmd_forms::kStructFeature);
    feature.sparse_children =
        ToSparseFeatures(domain, tfmd_forms::kStructSparseFeature);
  }
  return feature;
}

// Parsers limit the depth of messages, and so this recursion.
std::vector<tfmd::Feature> ToFeatures(ParsedMessage* message, size_t field) {
  std::vector<tfmd::Feature> features;
  for (ParsedMessage& feature : TakeList(message, field)) {
    features.push_back(ToFeature(&feature));
  }
  return features;
}

tfmd::DefaultValue ToDefault(ParsedMessage* message) {
  tfmd::DefaultValue result;
  if (const auto* number = message->Get<double>(tfmd_forms::kDefaultFloat)) {
    result.value = *number;
  } else if (const auto whole = Int(message, tfmd_forms::kDefaultInt)) {
    result.value = *whole;
  } else if (auto bytes = TakeString(message, tfmd_forms::kDefaultBytes)) {
    result.value = std::move(*bytes);
  } else if (const auto* magnitude =
                 message->Get<uint64_t>(tfmd_forms::kDefaultUint)) {
    result.value = *magnitude;
  }
  return result;
}

tfmd::DenseTensor ToDense(ParsedMessage* message) {
  tfmd::DenseTensor tensor = {
      .column_name = TakeString(message, tfmd_forms::kDenseColumn),
      .shape = TakeShape(message, tfmd_forms::kDenseShape)};
  if (ParsedMessage* value = Child(message, tfmd_forms::kDenseDefault)) {
    tensor.default_value = ToDefault(value);
  }
  return tensor;
}

tfmd::SparseTensor ToSparse(ParsedMessage* message) {
  tfmd::SparseTensor tensor = {
      .dense_shape = TakeShape(message, tfmd_forms::kSparseTensorShape),
      .index_column_names =
          TakeStrings(message, tfmd_forms::kSparseTensorIndexColumns),
      .value_column_name =
          TakeString(message, tfmd_forms::kSparseTensorValueColumn)};
  if (const auto sorted = Int(message, tfmd_forms::kSparseTensorSorted)) {
    tensor.already_sorted = *sorted != 0;
  }
  return tensor;
}

tfmd::RaggedTensor ToRagged(ParsedMessage* message) {
  tfmd::RaggedTensor tensor;
  if (ParsedMessage* path = Child(message, tfmd_forms::kRaggedPath)) {
    tensor.feature_path = TakeStrings(path, tfmd_forms::kOnly);
  }
  for (ParsedMessage& partition :
       TakeList(message, tfmd_forms::kRaggedPartition)) {
    auto& added = tensor.partitions.emplace_back();
    if (const auto length = Int(&partition, tfmd_forms::kPartitionUniform)) {
      added = *length;
    } else if (auto column =
                   TakeString(&partition, tfmd_forms::kPartitionRowLength)) {
      added = std::move(*column);
    }
  }
  if (message->Get<uint64_t>(tfmd_forms::kRaggedDType) != nullptr) {
    tensor.row_partition_dtype =
        EnumOf<tfmd::RowPartitionDType>(message, tfmd_forms::kRaggedDType);
  }
  return tensor;
}

tfmd::TensorRepresentation ToTensor(std::string name, ParsedMessage* message) {
  tfmd::TensorRepresentation tensor = {.name = std::move(name)};
  if (message == nullptr) return tensor;
  if (ParsedMessage* dense = Child(message, tfmd_forms::kTensorDense)) {
    tensor.kind = ToDense(dense);
  } else if (ParsedMessage* varlen =
                 Child(message, tfmd_forms::kTensorVarLen)) {
    tensor.kind = tfmd::VarLenSparseTensor{
        .column_name = TakeString(varlen, tfmd_forms::kOnly)};
  } else if (ParsedMessage* sparse =
                 Child(message, tfmd_forms::kTensorSparse)) {
    tensor.kind = ToSparse(sparse);
  } else if (ParsedMessage* ragged =
                 Child(message, tfmd_forms::kTensorRagged)) {
    tensor.kind = ToRagged(ragged);
  }
  return tensor;
}

// Returns the items of a map. `convert` makes an item of a key and a message,
// which may be null. Of equal keys, the last value counts.
template <class Item, class Convert>
std::vector<Item> ToItems(ParsedMessage* message, size_t field,
                          Convert&& convert) {
  std::vector<Item> items;
  std::map<std::string, size_t> indexes;
  for (ParsedMessage& entry : TakeList(message, field)) {
    std::string name = TakeName(&entry, tfmd_forms::kEntryKey);
    const auto [at, added] = indexes.try_emplace(name, items.size());
    if (added) items.emplace_back();
    items[at->second] =
        convert(std::move(name), Child(&entry, tfmd_forms::kEntryValue));
  }
  return items;
}

tfmd::TensorRepresentationGroup ToGroup(std::string name,
                                        ParsedMessage* message) {
  tfmd::TensorRepresentationGroup group = {.name = std::move(name)};
  if (message != nullptr) {
    group.tensors = ToItems<tfmd::TensorRepresentation>(
        message, tfmd_forms::kOnly, ToTensor);
  }
  return group;
}

Result<Schema> ToSchema(Result<ParsedMessage> parsed) {
  if (!parsed.ok()) return parsed.status();
  ParsedMessage* const message = &*parsed;
  Schema result;
  result.features = ToFeatures(message, tfmd_forms::kSchemaFeature);
  result.sparse_features =
      ToSparseFeatures(message, tfmd_forms::kSchemaSparseFeature);
  tfmd_forms::TakeConstraints(message, &result);
  result.represent_variable_length_as_ragged =
      IsTrue(message, tfmd_forms::kSchemaAsRagged);
  result.groups = ToItems<tfmd::TensorRepresentationGroup>(
      message, tfmd_forms::kSchemaGroup, ToGroup);
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

// Decides what bytes that are neither a valid text nor a valid message are more
// like. Nearly every field of a serialized message has a length or a number
// that is a control character; a text begins with a field.
bool LooksLikeText(std::string_view bytes) {
  constexpr size_t kEnough = 256;
  if (!HasControl(bytes.substr(0, kEnough))) return true;
  const tfmd_forms::Token first = tfmd_forms::TextTokenizer(bytes).current();
  return first.kind == tfmd_forms::TokenKind::kWord &&
         tfmd_forms::SchemaMessage().Find(first.text) != nullptr;
}

Result<Schema> ReadText(std::string_view text) {
  return ToSchema(tfmd_forms::TextParser(text).Parse());
}

Result<Schema> ReadBinary(std::string_view bytes) {
  return ToSchema(tfmd_forms::BinaryParser(bytes).Parse());
}

// Bytes can be both a text and a serialized Schema: 0x0a, which serialized
// schemas begin with, is a line feed, and a length of 35 is a '#', after which
// text may be anything. Control characters distinguish them. A serialized
// feature has one, the number of its type, so bytes that have control
// characters are a serialized Schema if they can be; if not, they are a text
// with one in a string or a comment. Bytes without control characters are a
// text if they can be.
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
