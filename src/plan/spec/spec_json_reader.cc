// ReadFeature.

#include "src/plan/spec/spec_json_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/json/json_text.h"
#include "src/base/out_of_memory.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/plan/spec/function_names.h"

namespace headrace::spec {
namespace {

// Returns the bit of a layout in a set of layouts.
constexpr uint8_t Bit(Layout layout) {
  return static_cast<uint8_t>(1 << static_cast<int>(layout));
}
constexpr uint8_t kFixedLen = Bit(Layout::kFixedLen);
constexpr uint8_t kSequence = Bit(Layout::kFixedLenSequence);
constexpr uint8_t kVarLen = Bit(Layout::kVarLen);
constexpr uint8_t kSparse = Bit(Layout::kSparse);
constexpr uint8_t kRagged = Bit(Layout::kRagged);
constexpr uint8_t kMatrix = Bit(Layout::kMatrix);
constexpr uint8_t kJagged = Bit(Layout::kJagged);
constexpr uint8_t kGroup = kMatrix | kJagged;
constexpr uint8_t kFeature = 0x1f;  // all others
constexpr uint8_t kAnyLayout = kFeature | kGroup;

// A field that the JSON of a feature has (docs/formats/spec.md).
struct SpecField {
  std::string_view name;
  uint8_t layouts;     // layouts that have the field
  uint8_t required;    // layouts that need the field
  uint8_t groups = 0;  // groups whose members have the field
  bool is_own = true;  // features that are no members have it, too
};

// In the order of docs/formats/spec.md.
constexpr SpecField kFields[] = {
    {"name", kAnyLayout, kAnyLayout, kGroup},
    {"kind", kAnyLayout, kAnyLayout, kGroup},
    {"dtype", kFeature, kFeature, kGroup},
    {"shape", kFixedLen | kSequence | kRagged, kFixedLen | kSequence, kGroup},
    {"default", kFixedLen | kSequence, 0, kGroup},
    {"allow_missing", kSequence, 0},
    {"pad_to", kVarLen, 0, kMatrix},
    {"truncate", kVarLen, 0, kMatrix},
    {"index_keys", kSparse, kSparse},
    {"value_key", kSparse | kRagged, kSparse, kJagged},
    {"size", kSparse, kSparse},
    {"already_sorted", kSparse, 0},
    {"check_indices", kSparse, 0},
    {"partitions", kRagged, 0},
    {"row_splits_dtype", kRagged, 0},
    {"column", kFeature, 0, kGroup},
    {"as", kAnyLayout, kGroup, kMatrix},
    {"as_bits", kFeature, 0},
    {"encoding", kFixedLen | kRagged, 0, kMatrix},
    {"item_shape", kRagged, 0},
    {"item_shape_key", kRagged, 0},
    {"group", kRagged, 0},
    {"exact", kMatrix, 0},
    {"weights", kJagged, 0},
    {"lengths_dtype", kJagged, 0},
    {"present", kFixedLen | kVarLen, 0, kMatrix, false},
    {"first_n", kFixedLen | kRagged, 0, kJagged, false},
    {"last_n", kFixedLen | kRagged, 0, kJagged, false},
    {"weight_key", kFixedLen | kRagged, 0, kJagged, false},
    {"sequence", kRagged, 0, kJagged, false},
    {"map", kFeature, 0, kGroup},
    {"features", kGroup, kGroup},
};

// Returns null if there is no such field.
const SpecField* FindSpecField(std::string_view name) {
  const auto* const field = std::ranges::find(kFields, name, &SpecField::name);
  return field == std::end(kFields) ? nullptr : field;
}

// Returns whether a feature of any of the layouts has the field. `group` is the
// layout of the group that it is a member of, or 0.
bool Has(const SpecField& field, uint8_t layouts, uint8_t group) {
  return (field.layouts & layouts) != 0 &&
         (group == 0 ? field.is_own : (field.groups & group) != 0);
}

// Returns the names of the fields that any of the layouts has.
std::vector<std::string_view> FieldNames(uint8_t layouts, uint8_t group) {
  std::vector<std::string_view> names;
  for (const SpecField& field : kFields) {
    if (Has(field, layouts, group)) names.push_back(field.name);
  }
  return names;
}

// Returns a text like "fixed_len and fixed_len_sequence". With no layouts it is
// empty.
std::string LayoutNames(uint8_t layouts) {
  std::string text;
  for (const auto& [layout, name] : EnumNames<Layout>()) {
    if ((layouts & Bit(layout)) == 0) continue;
    if (!text.empty()) text += " and ";
    text += name;
  }
  return text;
}

// Says which features have a field that those of these layouts lack.
std::string OwnersOf(const SpecField& field, uint8_t layouts) {
  if (field.groups != 0 && (!field.is_own || (field.layouts & layouts) != 0)) {
    return LayoutNames(field.layouts) +
           (field.is_own ? "" : " in " + LayoutNames(field.groups));
  }
  return LayoutNames(field.layouts);
}

template <class Enum>
std::vector<std::string_view> NamesOf() {
  std::vector<std::string_view> names;
  for (const EnumName<Enum>& known : EnumNames<Enum>()) {
    names.push_back(known.name);
  }
  return names;
}

constexpr std::string_view kWireDTypes[] = {"int64", "float", "bytes"};
constexpr std::string_view kRowSplitsDTypes[] = {"int32", "int64"};

constexpr char kExample[] =
    "{\"name\": \"age\", \"kind\": \"var_len\", \"dtype\": \"int64\"}";

std::string At(std::string_view where, size_t index) {
  return std::string(where) + "[" + std::to_string(index) + "]";
}

// Reads one object of "features" or "sequence_features". Errors are kBadSpec
// and name the feature and the field.
class FeatureReader {
 public:
  // Errors begin with `place`, like "features[2]", until the name is known;
  // then with `what` and the name.
  FeatureReader(std::string place, std::string_view what,
                const SpecJsonOptions& options)
      : place_(std::move(place)), what_(what), options_(options) {}
  // Reads a member of a group, which has this layout and type.
  FeatureReader(std::string place, std::string_view what,
                const SpecJsonOptions& options, Layout group,
                std::optional<DType> group_as)
      : place_(std::move(place)),
        what_(what),
        options_(options),
        group_(Bit(group)),
        group_as_(group_as) {}

  Status Read(const JsonValue& value);
  // Reading must have succeeded.
  NamedFeature& feature() { return feature_; }

 private:
  // Keeps the first problem; values read after it mean nothing.
  void Fail(const std::string& what);
  // Fails because the value at `where` is not what is wanted.
  void Refuse(std::string_view where, const JsonValue& value,
              std::string_view wanted);

  void ReadHead(const JsonValue::Object& fields);
  void ReadLayout(const JsonValue& value);
  void CheckFields(const JsonValue::Object& fields, bool has_kind);
  void ReadField(std::string_view name, const JsonValue& value);
  void ReadDefault(std::string_view where, const JsonValue& value);
  void ReadMembers(const JsonValue& value);
  void ReadKeys(std::string_view where, const JsonValue& value,
                std::optional<DefaultValues>* keys);

  void Take(std::string_view where, const JsonValue& value, bool* answer);
  void Take(std::string_view where, const JsonValue& value, int64_t* number);
  void Take(std::string_view where, const JsonValue& value, float* number);
  void Take(std::string_view where, const JsonValue& value, std::string* text);
  void Take(std::string_view where, const JsonValue& value,
            Partition* partition);
  void Take(std::string_view where, const JsonValue& value,
            ValueFunction* function);
  void Take(std::string_view where, const JsonValue& value, Clip::Bound* bound);
  void TakeVocabulary(std::string_view where, const JsonValue::Object& fields,
                      Vocabulary* vocabulary);
  void TakeFile(std::string_view where, const JsonValue& value,
                std::string* path);
  void TakeScale(std::string_view where, const JsonValue& value, Scale* scale);
  void TakeClip(std::string_view where, const JsonValue& value, Clip* clip);
  void TakeBytes(std::string_view where, const JsonValue& value,
                 std::string* bytes);
  template <class T>
  void Take(std::string_view where, const JsonValue& value,
            std::optional<T>* out) {
    Take(where, value, &out->emplace());
  }
  template <class T>
  void Take(std::string_view where, const JsonValue& value,
            std::vector<T>* list) {
    TakeList(where, value, list,
             [this](std::string_view at, const JsonValue& item, T* out) {
               Take(at, item, out);
             });
  }
  // Accepts a single value as a list of one, as TensorFlow does.
  template <class T, class TakeItem>
  void TakeList(std::string_view where, const JsonValue& value,
                std::vector<T>* list, TakeItem take);
  // Reads one of the names `known`; `whose` says what they are.
  template <class Enum>
  void TakeNamed(std::string_view where, const JsonValue& value,
                 std::string_view whose,
                 std::span<const std::string_view> known, Enum* out);

  std::string place_;
  std::string what_;
  const SpecJsonOptions& options_;
  uint8_t group_ = 0;  // the layout's bit for a member
  std::optional<DType> group_as_;
  NamedFeature feature_;
  Status problem_;
};

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
    place_ = what_ + " " + Quote(text);
    feature_.name = std::move(text);
  }
  const JsonValue* const kind = Find(fields, "kind");
  if (kind != nullptr) {
    ReadLayout(*kind);
  } else if (group_ != 0) {
    feature_.config.layout = Layout::kFixedLen;
  }
  CheckFields(fields, kind != nullptr || group_ != 0);
  if (!problem_.ok()) return;
  // Members depend on the type of their group.
  if (IsGroup(feature_.config.layout)) {
    return ReadField("as", *Find(fields, "as"));
  }
  TakeNamed("\"dtype\"", *Find(fields, "dtype"), "the types", kWireDTypes,
            &feature_.config.dtype);
}

void FeatureReader::ReadLayout(const JsonValue& value) {
  std::string name;
  Take("\"kind\"", value, &name);
  if (const auto layout = ParseName<Layout>(name)) {
    feature_.config.layout = *layout;
    return;
  }
  Fail("unknown kind " + Quote(name) +
       Suggestion(name, "the kinds", NamesOf<Layout>()));
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
                             FieldNames(layouts, group_)));
    }
    if (!Has(*field, layouts, group_)) {
      return Fail(
          "field " + Quote(member.key) + " belongs to " +
          OwnersOf(*field, layouts) + ", not to " + kind +
          (group_ == 0 ? "" : " in " + LayoutNames(group_)) +
          Suggestion(member.key, "its fields", FieldNames(layouts, group_)));
    }
  }
  for (const SpecField& field : kFields) {
    if (field.name == "kind" && group_ != 0) continue;
    if ((field.required & layouts) != 0 && !Find(fields, field.name)) {
      return Fail("field " + Quote(field.name) + " is missing");
    }
  }
}

// Reads one of the other fields: ReadHead has read name, kind and dtype.
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
  take("exact", &config.exact);
  take("weights", &config.weights);
  take("present", &config.present);
  take("first_n", &config.first_n);
  take("last_n", &config.last_n);
  take("weight_key", &config.weight_key);
  take("sequence", &config.sequence);
  take("map", &config.map);
  if (name == "features") {
    ReadMembers(value);
  } else if (name == "lengths_dtype") {
    TakeNamed(where, value, "the types", kRowSplitsDTypes,
              &config.lengths_dtype);
  } else if (name == "default") {
    ReadDefault(where, value);
  } else if (name == "row_splits_dtype") {
    TakeNamed(where, value, "the types", kRowSplitsDTypes,
              &config.row_splits_dtype);
  } else if (name == "as") {
    TakeNamed(where, value, "the types", NamesOf<DType>(),
              &config.as.emplace(config.dtype));
  } else if (name == "encoding") {
    TakeNamed(where, value, "the encodings", NamesOf<Encoding>(),
              &config.encoding);
    // Encoded members of a group hold numbers of its type, unless they say
    // otherwise.
    if (group_ != 0 && !config.as) config.as = group_as_;
  }
}

void FeatureReader::ReadMembers(const JsonValue& value) {
  const auto* const list = value.As<JsonValue::Array>();
  if (list == nullptr) {
    return Refuse("\"features\"", value, "it takes a list of features");
  }
  const std::string of = place_ + ", feature";
  for (size_t i = 0; i < list->size() && problem_.ok(); ++i) {
    FeatureReader member(place_ + ", " + At("features", i), of, options_,
                         feature_.config.layout, feature_.config.as);
    problem_ = member.Read((*list)[i]);
    feature_.config.members.push_back(std::move(member.feature()));
  }
}

void FeatureReader::ReadDefault(std::string_view where,
                                const JsonValue& value) {
  ReadKeys(where, value, &feature_.config.default_values);
}

// Reads values of the feature's type.
void FeatureReader::ReadKeys(std::string_view where, const JsonValue& value,
                             std::optional<DefaultValues>* keys) {
  DefaultValues& values = keys->emplace();
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
  const auto type = ParseName<PartitionType>(member.key);
  const std::string inside = Quote(member.key) + " in " + std::string(where);
  if (!type) {
    return Fail(
        "unknown partition " + inside +
        Suggestion(member.key, "the partitions", NamesOf<PartitionType>()));
  }
  partition->type = *type;
  if (*type == PartitionType::kUniformRowLength) {
    return Take(inside, member.value, &partition->uniform_row_length);
  }
  Take(inside, member.value, &partition->key);
}

// Reads a function, which is the first field of its object.
void FeatureReader::Take(std::string_view where, const JsonValue& value,
                         ValueFunction* function) {
  const auto* const object = value.As<JsonValue::Object>();
  if (object == nullptr || object->empty()) {
    return Refuse(where, value,
                  "it takes functions like {\"hash_bucket\": 1000}");
  }
  for (const std::string_view name : kFunctionNames) {
    const JsonValue* const argument = Find(*object, name);
    if (argument == nullptr) continue;
    const std::string inside = Quote(name) + " in " + std::string(where);
    if (name == "vocabulary") {
      return TakeVocabulary(where, *object, &function->emplace<Vocabulary>());
    }
    if (object->size() > 1) {
      return Refuse(where, value, "it takes one function per object");
    }
    if (name == "hash_bucket") {
      return Take(inside, *argument, &function->emplace<HashBucket>().buckets);
    }
    if (name == "bucketize") {
      if (argument->As<JsonValue::Array>() == nullptr) {
        return Refuse(inside, *argument, "it takes a list of boundaries");
      }
      return Take(inside, *argument,
                  &function->emplace<Bucketize>().boundaries);
    }
    if (name == "clip") {
      return TakeClip(inside, *argument, &function->emplace<Clip>());
    }
    if (name == "scale") {
      return TakeScale(inside, *argument, &function->emplace<Scale>());
    }
    const bool* const is_true = argument->As<bool>();
    if (is_true == nullptr || !*is_true) {
      return Refuse(inside, *argument, "it takes true");
    }
    function->emplace<Log1p>();
    return;
  }
  // A vocabulary of keys has no file.
  if (Find(*object, "keys") != nullptr) {
    return TakeVocabulary(where, *object, &function->emplace<Vocabulary>());
  }
  Fail("unknown function " + Quote(object->front().key) + " in " +
       std::string(where) +
       Suggestion(object->front().key, "the functions", kFunctionNames));
}

void FeatureReader::TakeVocabulary(std::string_view where,
                                   const JsonValue::Object& fields,
                                   Vocabulary* vocabulary) {
  static constexpr std::string_view kNames[] = {
      "vocabulary", "keys", "oov_buckets", "oov", "default", "size"};
  for (const auto& [key, value] : fields) {
    const std::string inside = Quote(key) + " in " + std::string(where);
    if (key == "vocabulary") {
      TakeFile(inside, value, &vocabulary->file);
    } else if (key == "keys") {
      if (value.As<JsonValue::Array>() == nullptr) {
        return Refuse(inside, value, "it takes a list of keys");
      }
      ReadKeys(inside, value, &vocabulary->keys);
    } else if (key == "oov_buckets") {
      Take(inside, value, &vocabulary->oov_buckets);
    } else if (key == "oov") {
      std::string place;
      Take(inside, value, &place);
      vocabulary->oov_first = place == "first";
      if (problem_.ok() && place != "first" && place != "last") {
        Refuse(inside, value, "it takes \"first\" or \"last\"");
      }
    } else if (key == "default") {
      Take(inside, value, &vocabulary->default_id);
    } else if (key == "size") {
      Take(inside, value, &vocabulary->size);
    } else {
      Fail("unknown field " + inside +
           Suggestion(key, "the fields of a vocabulary", kNames));
    }
    if (!problem_.ok()) return;
  }
}

void FeatureReader::TakeFile(std::string_view where, const JsonValue& value,
                             std::string* path) {
  Take(where, value, path);
  if (!problem_.ok() || path->empty()) return;
  if (!options_.files) {
    return Refuse(where, value,
                  "this spec must not name files, but it can list their lines "
                  "as \"keys\"");
  }
  if (!options_.folder.empty() && !path->starts_with('/')) {
    *path =
        options_.folder + (options_.folder.ends_with('/') ? "" : "/") + *path;
  }
}

void FeatureReader::TakeClip(std::string_view where, const JsonValue& value,
                             Clip* clip) {
  const auto* const bounds = value.As<JsonValue::Array>();
  if (bounds == nullptr || bounds->size() != 2) {
    return Refuse(where, value, "it takes a list of two bounds");
  }
  Take(At(where, 0), (*bounds)[0], &clip->lo);
  Take(At(where, 1), (*bounds)[1], &clip->hi);
}

// Bounds have the type of the feature.
void FeatureReader::Take(std::string_view where, const JsonValue& value,
                         Clip::Bound* bound) {
  if (feature_.config.dtype == DType::kInt64) {
    const auto* const number = value.As<JsonNumber>();
    if (number != nullptr && number->whole) {
      bound->emplace<int64_t>(*number->whole);
      return;
    }
  }
  Take(where, value, &bound->emplace<float>());
}

void FeatureReader::TakeScale(std::string_view where, const JsonValue& value,
                              Scale* scale) {
  const auto* const fields = value.As<JsonValue::Object>();
  const bool is_whole = fields != nullptr && fields->size() == 2 &&
                        Find(*fields, "mean") && Find(*fields, "std");
  if (!is_whole) {
    return Refuse(where, value, "it takes an object of \"mean\" and \"std\"");
  }
  Take("\"mean\" in " + std::string(where), *Find(*fields, "mean"),
       &scale->mean);
  Take("\"std\" in " + std::string(where), *Find(*fields, "std"), &scale->std);
}

template <class Enum>
void FeatureReader::TakeNamed(std::string_view where, const JsonValue& value,
                              std::string_view whose,
                              std::span<const std::string_view> known,
                              Enum* out) {
  std::string name;
  Take(where, value, &name);
  if (std::ranges::find(known, name) != known.end()) {
    *out = *ParseName<Enum>(name);
    return;
  }
  // TensorFlow calls bytes "string".
  const std::string meant = name == "string" ? "bytes" : name;
  Fail(std::string(where) + " is " + Quote(name) +
       Suggestion(meant, whose, known));
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

}  // namespace

Result<NamedFeature> ReadFeature(const JsonValue& value, std::string place,
                                 std::string_view what,
                                 const SpecJsonOptions& options) {
  FeatureReader reader(std::move(place), what, options);
  Status status = reader.Read(value);
  if (!status.ok()) return status;
  return std::move(reader.feature());
}

}  // namespace headrace::spec
