#include "src/plan/spec/feature_reader.h"

#include <cstddef>
#include <optional>

#include "src/base/json/json_text.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/plan/spec/spec_fields.h"

namespace headrace::spec {
namespace {

constexpr PartitionType kPartitionTypes[] = {
    PartitionType::kRowLengths,  PartitionType::kRowSplits,
    PartitionType::kRowStarts,   PartitionType::kRowLimits,
    PartitionType::kValueRowids, PartitionType::kUniformRowLength};

constexpr DType kWireDTypes[] = {DType::kInt64, DType::kFloat, DType::kBytes};
constexpr Encoding kEncodings[] = {Encoding::kRaw, Encoding::kZlib};
constexpr DType kRowSplitsDTypes[] = {DType::kInt32, DType::kInt64};
constexpr DType kTensorDTypes[] = {
    DType::kBytes,   DType::kFloat, DType::kInt64,   DType::kInt32,
    DType::kInt16,   DType::kInt8,  DType::kUint64,  DType::kUint32,
    DType::kUint16,  DType::kUint8, DType::kFloat16, DType::kBfloat16,
    DType::kFloat64, DType::kBool};

template <class Enum>
using NameOf = std::string_view (*)(Enum);

// Nothing where nothing has that name.
template <class Enum>
std::optional<Enum> FindNamed(std::string_view name,
                              std::span<const Enum> enums,
                              NameOf<Enum> name_of) {
  for (const Enum value : enums) {
    if (name_of(value) == name) return value;
  }
  return std::nullopt;
}

template <class Enum>
std::string SuggestNamed(std::string_view name, std::string_view whose,
                         std::span<const Enum> enums, NameOf<Enum> name_of) {
  std::vector<std::string_view> names;
  for (const Enum value : enums) names.push_back(name_of(value));
  return Suggestion(name, whose, names);
}

constexpr char kExample[] =
    "{\"name\": \"age\", \"kind\": \"var_len\", \"dtype\": \"int64\"}";

std::string At(std::string_view where, size_t index) {
  return std::string(where) + "[" + std::to_string(index) + "]";
}

}  // namespace

Status FeatureReader::Read(const JsonValue& value) {
  const auto* fields = value.As<JsonValue::Object>();
  if (fields == nullptr) {
    return Status(ErrorCode::kBadSpec, place_ + " is " + Describe(value) +
                                           "; it takes an object like " +
                                           kExample);
  }
  if (Status status = ReadHead(*fields); !status.ok()) return status;
  for (const JsonMember& member : *fields) {
    if (Status status = ReadField(member.key, member.value); !status.ok()) {
      return status;
    }
  }
  return Status();
}

// Name, kind and dtype come first, as the other fields depend on them.
Status FeatureReader::ReadHead(const JsonValue::Object& fields) {
  if (const JsonValue* name = Find(fields, "name")) {
    std::string text;
    if (Status status = ReadString("\"name\"", *name, &text); !status.ok()) {
      return status;
    }
    place_ = std::string(what_) + " " + Quote(text);
    feature_.name = std::move(text);
  }
  const JsonValue* const kind = Find(fields, "kind");
  if (kind != nullptr) {
    if (Status status = ReadLayout(*kind); !status.ok()) return status;
  }
  if (Status status = CheckFields(fields, kind != nullptr); !status.ok()) {
    return status;
  }
  return ReadDType("\"dtype\"", *Find(fields, "dtype"), kWireDTypes,
                   &feature_.config.dtype);
}

Status FeatureReader::ReadLayout(const JsonValue& value) {
  std::string name;
  if (Status status = ReadString("\"kind\"", value, &name); !status.ok()) {
    return status;
  }
  const std::span<const Layout> layouts = AllLayouts();
  const auto layout = FindNamed(name, layouts, LayoutName);
  if (!layout) {
    return Fail("unknown kind " + Quote(name) +
                SuggestNamed(name, "the kinds", layouts, LayoutName));
  }
  feature_.config.layout = *layout;
  return Status();
}

// Every field must be known, and every required one present. Without a kind the
// kind is missing, unless its name is misspelt.
Status FeatureReader::CheckFields(const JsonValue::Object& fields,
                                  bool has_kind) const {
  const std::string kind(LayoutName(feature_.config.layout));
  const uint8_t layouts = has_kind ? Bit(feature_.config.layout) : kAnyLayout;
  for (const JsonMember& member : fields) {
    const SpecField* const field = FindSpecField(member.key);
    if (field == nullptr) {
      return Fail("unknown field " + Quote(member.key) +
                  Suggestion(member.key,
                             has_kind ? "the fields of " + kind : "the fields",
                             FieldNames(layouts)));
    }
    if ((field->layouts & layouts) == 0) {
      return Fail("field " + Quote(member.key) + " is one of " +
                  LayoutNames(field->layouts) + ", not of " + kind +
                  Suggestion(member.key, "its fields", FieldNames(layouts)));
    }
  }
  for (const SpecField& field : SpecFields()) {
    if ((field.required & layouts) != 0 && !Find(fields, field.name)) {
      return Fail("field " + Quote(field.name) + " is missing");
    }
  }
  return Status();
}

Status FeatureReader::ReadField(std::string_view name, const JsonValue& value) {
  const std::string where = Quote(name);
  FeatureConfig& config = feature_.config;
  if (name == "shape") {
    return ReadList(where, value, &FeatureReader::ReadInt, &config.shape);
  }
  if (name == "default") return ReadDefault(where, value);
  if (name == "allow_missing") {
    return ReadBool(where, value, &config.allow_missing);
  }
  if (name == "pad_to") return ReadInt(where, value, &config.pad_to.emplace());
  if (name == "truncate") return ReadBool(where, value, &config.truncate);
  if (name == "index_keys") {
    return ReadList(where, value, &FeatureReader::ReadString,
                    &config.index_keys);
  }
  if (name == "value_key")
    return ReadString(where, value, &config.value_key.emplace());
  if (name == "size") {
    return ReadList(where, value, &FeatureReader::ReadInt, &config.size);
  }
  if (name == "already_sorted") {
    return ReadBool(where, value, &config.already_sorted);
  }
  if (name == "check_indices") {
    return ReadBool(where, value, &config.check_indices);
  }
  if (name == "partitions") {
    return ReadList(where, value, &FeatureReader::ReadPartition,
                    &config.partitions);
  }
  if (name == "row_splits_dtype") {
    return ReadDType(where, value, kRowSplitsDTypes, &config.row_splits_dtype);
  }
  if (name == "column") {
    return ReadString(where, value, &config.column.emplace());
  }
  if (name == "as") {
    return ReadDType(where, value, kTensorDTypes,
                     &config.as.emplace(config.dtype));
  }
  return ReadArrayField(name, value);
}

// These fields are about encoded arrays, and what lists have in common.
Status FeatureReader::ReadArrayField(std::string_view name,
                                     const JsonValue& value) {
  const std::string where = Quote(name);
  FeatureConfig& config = feature_.config;
  if (name == "as_bits") return ReadBool(where, value, &config.as_bits);
  if (name == "encoding") return ReadEncoding(where, value);
  if (name == "item_shape") {
    return ReadList(where, value, &FeatureReader::ReadInt,
                    &config.item_shape.emplace());
  }
  if (name == "item_shape_key") {
    return ReadString(where, value, &config.item_shape_key.emplace());
  }
  if (name == "group") return ReadString(where, value, &config.group);
  return Status();  // ReadHead has read name, kind, dtype
}

Status FeatureReader::ReadEncoding(std::string_view where,
                                   const JsonValue& value) {
  std::string name;
  if (Status status = ReadString(where, value, &name); !status.ok()) {
    return status;
  }
  const std::span<const Encoding> encodings = kEncodings;
  const auto found = FindNamed(name, encodings, EncodingName);
  if (!found) {
    return Fail(std::string(where) + " is " + Quote(name) +
                SuggestNamed(name, "the encodings", encodings, EncodingName));
  }
  feature_.config.encoding = *found;
  return Status();
}

Status FeatureReader::ReadDefault(std::string_view where,
                                  const JsonValue& value) {
  DefaultValues& values = feature_.config.default_values.emplace();
  switch (feature_.config.dtype) {
    case DType::kFloat:
      return ReadList(where, value, &FeatureReader::ReadFloat,
                      &values.emplace<std::vector<float>>());
    case DType::kBytes:
      return ReadList(where, value, &FeatureReader::ReadBytes,
                      &values.emplace<std::vector<std::string>>());
    default:
      return ReadList(where, value, &FeatureReader::ReadInt,
                      &values.emplace<std::vector<int64_t>>());
  }
}

Status FeatureReader::ReadBool(std::string_view where, const JsonValue& value,
                               bool* answer) const {
  const bool* const boolean = value.As<bool>();
  if (boolean == nullptr) {
    return Refuse(where, value, "it takes true or false");
  }
  *answer = *boolean;
  return Status();
}

Status FeatureReader::ReadInt(std::string_view where, const JsonValue& value,
                              int64_t* number) const {
  const auto* const found = value.As<JsonNumber>();
  if (found == nullptr || !found->whole) {
    const bool too_large = found != nullptr && found->text.find_first_of(
                                                   ".eE") == std::string::npos;
    return Refuse(where, value,
                  too_large ? "that does not fit an int64"
                            : "it takes whole numbers, without '.' or "
                              "exponent");
  }
  *number = *found->whole;
  return Status();
}

Status FeatureReader::ReadFloat(std::string_view where, const JsonValue& value,
                                float* number) const {
  const auto* const found = value.As<JsonNumber>();
  const auto* const name = value.As<std::string>();
  std::optional<float> parsed;
  if (found != nullptr) parsed = ParseJsonFloat(found->text);
  if (name != nullptr) parsed = ParseJsonFloatName(*name);
  if (!parsed) {
    return Refuse(where, value,
                  found != nullptr
                      ? "that is too large for a float"
                      : "it takes numbers, \"NaN\", \"Infinity\", "
                        "\"-Infinity\" and bits like \"0x7fc00001\"");
  }
  *number = *parsed;
  return Status();
}

Status FeatureReader::ReadBytes(std::string_view where, const JsonValue& value,
                                std::string* bytes) const {
  if (const auto* const text = value.As<std::string>()) {
    *bytes = *text;
    return Status();
  }
  const auto* const object = value.As<JsonValue::Object>();
  if (object == nullptr || object->size() != 1 || !Find(*object, "b64")) {
    return Refuse(where, value, "it takes strings and {\"b64\": \"...\"}");
  }
  const auto* const text = Find(*object, "b64")->As<std::string>();
  std::optional<std::string> parsed;
  if (text != nullptr) parsed = ParseBase64(*text);
  if (!parsed) {
    return Refuse("\"b64\" in " + std::string(where), *Find(*object, "b64"),
                  "it takes a string of base64 with its padding");
  }
  *bytes = *std::move(parsed);
  return Status();
}

Status FeatureReader::ReadString(std::string_view where, const JsonValue& value,
                                 std::string* text) const {
  const auto* const found = value.As<std::string>();
  if (found == nullptr) return Refuse(where, value, "it takes a string");
  *text = *found;
  return Status();
}

Status FeatureReader::ReadPartition(std::string_view where,
                                    const JsonValue& value,
                                    Partition* partition) const {
  const auto* const object = value.As<JsonValue::Object>();
  if (object == nullptr || object->size() != 1) {
    return Refuse(where, value,
                  "it takes an object of one key, like {\"row_lengths\": "
                  "\"lengths\"} or {\"uniform_row_length\": 3}");
  }
  const JsonMember& member = object->front();
  const std::span<const PartitionType> types = kPartitionTypes;
  const auto type = FindNamed(member.key, types, PartitionTypeName);
  if (!type) {
    return Fail(
        "unknown partition " + Quote(member.key) + " in " + std::string(where) +
        SuggestNamed(member.key, "the partitions", types, PartitionTypeName));
  }
  partition->type = *type;
  const std::string inside = Quote(member.key) + " in " + std::string(where);
  if (*type == PartitionType::kUniformRowLength) {
    return ReadInt(inside, member.value, &partition->uniform_row_length);
  }
  return ReadString(inside, member.value, &partition->key);
}

Status FeatureReader::ReadDType(std::string_view where, const JsonValue& value,
                                std::span<const DType> allowed,
                                DType* dtype) const {
  std::string name;
  if (Status status = ReadString(where, value, &name); !status.ok()) {
    return status;
  }
  const auto found = FindNamed(name, allowed, DTypeName);
  if (found) {
    *dtype = *found;
    return Status();
  }
  // TensorFlow says "string" for bytes.
  const std::string meant = name == "string" ? "bytes" : name;
  return Fail(std::string(where) + " is " + Quote(name) +
              SuggestNamed(meant, "the types", allowed, DTypeName));
}

template <class T>
Status FeatureReader::ReadList(std::string_view where, const JsonValue& value,
                               Status (FeatureReader::*read)(std::string_view,
                                                             const JsonValue&,
                                                             T*) const,
                               std::vector<T>* list) const {
  const auto* const values = value.As<JsonValue::Array>();
  if (values == nullptr) {
    return (this->*read)(where, value, &list->emplace_back());
  }
  list->reserve(values->size());
  for (size_t i = 0; i < values->size(); ++i) {
    Status status =
        (this->*read)(At(where, i), (*values)[i], &list->emplace_back());
    if (!status.ok()) return status;
  }
  return Status();
}

}  // namespace headrace::spec
