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

// Returns nullopt if no value has that name.
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

void FeatureReader::Fail(const std::string& what) {
  if (!problem_.ok()) return;
  problem_ = Status(ErrorInfo{.code = ErrorCode::kBadSpec,
                              .message = place_ + ": " + what,
                              .feature = feature_.name});
}

void FeatureReader::Refuse(std::string_view where, const JsonValue& value,
                           std::string_view wanted) {
  Fail(std::string(where) + " is " + Describe(value) + "; " +
       std::string(wanted));
}

Status FeatureReader::Read(const JsonValue& value) {
  const auto* fields = value.As<JsonValue::Object>();
  if (fields == nullptr) {
    return Status(ErrorCode::kBadSpec, place_ + " is " + Describe(value) +
                                           "; it takes an object like " +
                                           kExample);
  }
  ReadHead(*fields);
  for (const JsonMember& member : *fields) {
    if (!problem_.ok()) break;
    ReadField(member.key, member.value);
  }
  return problem_;
}

// Reads name, kind and dtype first, since the other fields depend on them.
void FeatureReader::ReadHead(const JsonValue::Object& fields) {
  if (const JsonValue* name = Find(fields, "name")) {
    std::string text;
    Take("\"name\"", *name, &text);
    if (!problem_.ok()) return;
    place_ = std::string(what_) + " " + Quote(text);
    feature_.name = std::move(text);
  }
  const JsonValue* const kind = Find(fields, "kind");
  if (kind != nullptr) ReadLayout(*kind);
  CheckFields(fields, kind != nullptr);
  if (!problem_.ok()) return;
  TakeDType("\"dtype\"", *Find(fields, "dtype"), kWireDTypes,
            &feature_.config.dtype);
}

void FeatureReader::ReadLayout(const JsonValue& value) {
  std::string name;
  Take("\"kind\"", value, &name);
  const std::span<const Layout> layouts = AllLayouts();
  if (const auto layout = FindNamed(name, layouts, LayoutName)) {
    feature_.config.layout = *layout;
    return;
  }
  Fail("unknown kind " + Quote(name) +
       SuggestNamed(name, "the kinds", layouts, LayoutName));
}

// Fails if a field is unknown, or a required one missing. Without a kind an
// unknown field is reported first: it may be a misspelled "kind".
void FeatureReader::CheckFields(const JsonValue::Object& fields,
                                bool has_kind) {
  const std::string kind(LayoutName(feature_.config.layout));
  const uint8_t layouts = has_kind ? Bit(feature_.config.layout) : kAnyLayout;
  for (const JsonMember& member : fields) {
    if (!problem_.ok()) return;
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
}

// ReadHead has read name, kind and dtype.
void FeatureReader::ReadField(std::string_view name, const JsonValue& value) {
  const std::string where = Quote(name);
  FeatureConfig& config = feature_.config;
  const auto take = [&](std::string_view key, auto* field) {
    if (name == key) Take(where, value, field);
  };
  take("shape", &config.shape);
  take("allow_missing", &config.allow_missing);
  take("pad_to", &config.pad_to);
  take("truncate", &config.truncate);
  take("index_keys", &config.index_keys);
  take("value_key", &config.value_key);
  take("size", &config.size);
  take("already_sorted", &config.already_sorted);
  take("check_indices", &config.check_indices);
  take("partitions", &config.partitions);
  take("column", &config.column);
  take("as_bits", &config.as_bits);
  take("item_shape", &config.item_shape);
  take("item_shape_key", &config.item_shape_key);
  take("group", &config.group);
  if (name == "default") {
    ReadDefault(where, value);
  } else if (name == "row_splits_dtype") {
    TakeDType(where, value, kRowSplitsDTypes, &config.row_splits_dtype);
  } else if (name == "as") {
    TakeDType(where, value, kTensorDTypes, &config.as.emplace(config.dtype));
  } else if (name == "encoding") {
    TakeNamed<Encoding>(where, value, "the encodings", kEncodings, EncodingName,
                        &config.encoding);
  }
}

void FeatureReader::ReadDefault(std::string_view where,
                                const JsonValue& value) {
  DefaultValues& values = feature_.config.default_values.emplace();
  switch (feature_.config.dtype) {
    case DType::kFloat:
      return Take(where, value, &values.emplace<std::vector<float>>());
    case DType::kBytes:
      return TakeList(where, value, &values.emplace<std::vector<std::string>>(),
                      [this](std::string_view at, const JsonValue& item,
                             std::string* out) { TakeBytes(at, item, out); });
    default:
      return Take(where, value, &values.emplace<std::vector<int64_t>>());
  }
}

void FeatureReader::Take(std::string_view where, const JsonValue& value,
                         bool* answer) {
  const bool* const boolean = value.As<bool>();
  if (boolean == nullptr) return Refuse(where, value, "it takes true or false");
  *answer = *boolean;
}

void FeatureReader::Take(std::string_view where, const JsonValue& value,
                         int64_t* number) {
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
}

void FeatureReader::Take(std::string_view where, const JsonValue& value,
                         float* number) {
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
}

void FeatureReader::Take(std::string_view where, const JsonValue& value,
                         std::string* text) {
  const auto* const found = value.As<std::string>();
  if (found == nullptr) return Refuse(where, value, "it takes a string");
  *text = *found;
}

void FeatureReader::TakeBytes(std::string_view where, const JsonValue& value,
                              std::string* bytes) {
  if (value.As<std::string>()) return Take(where, value, bytes);
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
}

void FeatureReader::Take(std::string_view where, const JsonValue& value,
                         Partition* partition) {
  const auto* const object = value.As<JsonValue::Object>();
  if (object == nullptr || object->size() != 1) {
    return Refuse(where, value,
                  "it takes an object of one key, like {\"row_lengths\": "
                  "\"lengths\"} or {\"uniform_row_length\": 3}");
  }
  const JsonMember& member = object->front();
  const std::span<const PartitionType> types = kPartitionTypes;
  const auto type = FindNamed(member.key, types, PartitionTypeName);
  const std::string inside = Quote(member.key) + " in " + std::string(where);
  if (!type) {
    return Fail(
        "unknown partition " + inside +
        SuggestNamed(member.key, "the partitions", types, PartitionTypeName));
  }
  partition->type = *type;
  if (*type == PartitionType::kUniformRowLength) {
    return Take(inside, member.value, &partition->uniform_row_length);
  }
  Take(inside, member.value, &partition->key);
}

template <class Enum>
void FeatureReader::TakeNamed(std::string_view where, const JsonValue& value,
                              std::string_view whose,
                              std::span<const Enum> known,
                              std::string_view (*name_of)(Enum), Enum* out) {
  std::string name;
  Take(where, value, &name);
  if (const auto found = FindNamed(name, known, name_of)) {
    *out = *found;
    return;
  }
  // TensorFlow calls bytes "string".
  const std::string meant = name == "string" ? "bytes" : name;
  Fail(std::string(where) + " is " + Quote(name) +
       SuggestNamed(meant, whose, known, name_of));
}

void FeatureReader::TakeDType(std::string_view where, const JsonValue& value,
                              std::span<const DType> known, DType* dtype) {
  TakeNamed<DType>(where, value, "the types", known, DTypeName, dtype);
}

template <class T, class TakeItem>
void FeatureReader::TakeList(std::string_view where, const JsonValue& value,
                             std::vector<T>* list, TakeItem take) {
  const auto* const values = value.As<JsonValue::Array>();
  if (values == nullptr) return take(where, value, &list->emplace_back());
  list->reserve(values->size());
  for (size_t i = 0; i < values->size() && problem_.ok(); ++i) {
    take(At(where, i), (*values)[i], &list->emplace_back());
  }
}

}  // namespace headrace::spec
