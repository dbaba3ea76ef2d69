#include "src/cli/json/json_line_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/json/json_text.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

using Json = nlohmann::json;

// The container that the next value belongs to.
enum class Place : uint8_t {
  kLine,          // MESSAGE
  kFeatures,      // {"age": FEATURE, ...}
  kSequence,      // {"context": FEATURES, "feature_lists": FEATURE_LISTS}
  kList,          // {"context": FEATURES, "examples": EXAMPLES}
  kExamples,      // [FEATURES, ...]
  kFeatureLists,  // {"k": STEPS, ...}
  kSteps,         // [FEATURE, ...]
  kValues,        // [1, 2], the first value shows the kind
  kWrapper,       // {"float": WRAPPED_VALUES}
  kWrappedValues,
  kB64,  // {"b64": "..."}
};

// Builds the Message from SAX events, as only they keep the text of numbers.
class MessageBuilder : public nlohmann::json_sax<Json> {
 public:
  MessageBuilder(MessageType type, Message* message) : message_(message) {
    message_->type = type;
  }

  bool null() override;
  bool boolean(bool value) override { return Refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return AddInt64(value, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > uint64_t{std::numeric_limits<int64_t>::max()}) {
      return FailRange(std::to_string(value));
    }
    return AddInt64(static_cast<int64_t>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override;
  bool string(string_t& value) override;
  bool binary(binary_t&) override { return false; }  // not in JSON text
  bool start_object(size_t) override;
  bool key(string_t& key) override;
  bool end_object() override;
  bool start_array(size_t) override;
  bool end_array() override;
  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override;

  // The error, once parsing has failed. The feature is empty if none is
  // concerned.
  const std::string& error() const { return error_; }
  const std::string& feature() const { return feature_name_; }

 private:
  bool Fail(std::string message);
  bool FailRange(const std::string& number);
  // Fails because `found` has no meaning here; the error says what is expected.
  bool Refuse(std::string_view found) {
    return Fail(std::string(found) + " where " + Expected());
  }
  std::string Expected() const;

  bool At(Place place) const { return places_.back() == place; }
  bool AtFeature() const { return At(Place::kFeatures) || At(Place::kSteps); }
  bool AtValue() const {
    return At(Place::kValues) || At(Place::kWrappedValues);
  }
  // Whether the wrapper says that values are floats.
  bool AtWrappedFloat() const {
    return At(Place::kWrappedValues) && current_->kind == Kind::kFloat;
  }
  bool Enter(Place place) {
    places_.push_back(place);
    return true;
  }
  void BeginFeature();
  bool AddInt64(int64_t value, const std::string& text);
  bool AddFloat(float value, const std::string& text);
  bool AddBytes(std::string value);
  // Sets or checks the kind of the list; `text` is the value of that kind.
  bool HasKind(Kind kind, std::string_view text);
  bool FeatureKey(const std::string& key);
  bool SequenceKey(const std::string& key);
  bool WrapperKey(const std::string& key);

  Message* message_;
  Message* example_ = nullptr;  // of a list
  std::vector<Place> places_ = {Place::kLine};
  std::string key_;           // given last
  std::string feature_name_;  // the feature being read
  // The message's feature, or its steps, of that name.
  Feature* named_feature_ = nullptr;
  std::vector<Feature>* named_steps_ = nullptr;
  Feature* current_ = nullptr;
  std::vector<Feature>* steps_ = nullptr;
  bool has_context_ = false;
  bool has_second_key_ = false;  // beside the context
  bool has_key_ = false;         // in a wrapper or a b64 object
  std::string error_;
};

bool MessageBuilder::Fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
  return false;
}

bool MessageBuilder::FailRange(const std::string& number) {
  return Fail(number +
              " does not fit an int64; for a float write it with a '.' or an "
              "exponent");
}

std::string MessageBuilder::Expected() const {
  switch (places_.back()) {
    case Place::kLine:
      return "a JSON object is expected";
    case Place::kFeatures:
    case Place::kSteps:
      return "a list is expected, like [29], [\"text\"] or [4.5]; null is a "
             "feature without a kind";
    case Place::kList:
      if (key_ == "examples")
        return "a list of objects of features is expected";
      [[fallthrough]];
    case Place::kSequence:
    case Place::kExamples:
      return "an object of features is expected";
    case Place::kFeatureLists:
      return "a list of steps is expected, like [[1, 2], [3]]";
    case Place::kValues:
      return "a value is expected: a number, a string or {\"b64\": \"...\"}";
    case Place::kWrapper:
      return "a list is expected, like {\"float\": [\"NaN\"]}";
    case Place::kWrappedValues:
      return "a value of kind " + std::string(KindName(current_->kind)) +
             " is expected";
    case Place::kB64:
      return "a base64 string is expected";
  }
  return "it has no meaning";
}

void MessageBuilder::BeginFeature() {
  current_ = At(Place::kSteps) ? &steps_->emplace_back() : named_feature_;
}

bool MessageBuilder::HasKind(Kind kind, std::string_view text) {
  if (!AtValue()) return Refuse(text);
  if (At(Place::kWrappedValues)) {
    return current_->kind == kind || Refuse(text);
  }
  if (current_->size() == 0) current_->kind = kind;
  if (current_->kind == kind) return true;
  std::string message = std::string(text) + " (" + std::string(KindName(kind)) +
                        ") in a list of " +
                        std::string(KindName(current_->kind));
  if (current_->kind == Kind::kFloat && kind == Kind::kInt64) {
    message += "; write " + std::string(text) + ".0";
  } else if (current_->kind == Kind::kInt64 && kind == Kind::kFloat) {
    message += "; for a list of floats write " +
               std::to_string(current_->int64s.front()) + ".0 for " +
               std::to_string(current_->int64s.front());
  } else if (current_->kind != Kind::kBytes && kind == Kind::kBytes) {
    message +=
        "; a list has one kind (names like \"NaN\" need {\"float\": "
        "[...]})";
  } else {
    message += "; a list has one kind";
  }
  return Fail(std::move(message));
}

bool MessageBuilder::AddInt64(int64_t value, const std::string& text) {
  if (AtWrappedFloat()) {
    return AddFloat(ParseJsonFloat(text).value_or(0), text);
  }
  if (!HasKind(Kind::kInt64, text)) return false;
  current_->int64s.push_back(value);
  return true;
}

bool MessageBuilder::AddFloat(float value, const std::string& text) {
  if (!HasKind(Kind::kFloat, text)) return false;
  current_->floats.push_back(value);
  return true;
}

bool MessageBuilder::AddBytes(std::string value) {
  if (!HasKind(Kind::kBytes, "a string")) return false;
  current_->bytes.push_back(std::move(value));
  return true;
}

bool MessageBuilder::null() {
  if (At(Place::kSequence) && key_ == "feature_lists") {
    return true;  // as if the key were absent
  }
  if (!AtFeature()) return Refuse("null");
  BeginFeature();
  return true;
}

bool MessageBuilder::number_float(number_float_t, const string_t& text) {
  // A whole number that fits no 64-bit type is passed here, too.
  if (text.find_first_of(".eE") == std::string::npos) return FailRange(text);
  const std::optional<float> value = ParseJsonFloat(text);
  if (!value) return Fail(text + " is too large for a float");
  return AddFloat(*value, text);
}

bool MessageBuilder::string(string_t& value) {
  if (At(Place::kB64)) {
    std::optional<std::string> bytes = ParseBase64(value);
    if (!bytes) return Fail("\"b64\" is not base64");
    current_->bytes.push_back(*std::move(bytes));  // checked at the brace
    return true;
  }
  if (AtWrappedFloat()) {
    const std::optional<float> number = ParseJsonFloatName(value);
    if (!number) {
      return Fail("\"" + Printable(value) +
                  "\" is not a float; the names are \"NaN\", \"Infinity\", "
                  "\"-Infinity\" and bits like \"0x7fc00001\"");
    }
    return AddFloat(*number, value);
  }
  return AddBytes(std::move(value));
}

bool MessageBuilder::start_object(size_t) {
  switch (places_.back()) {
    case Place::kLine:
      return Enter(message_->type == MessageType::kSequence ? Place::kSequence
                   : message_->type == MessageType::kElwc   ? Place::kList
                                                            : Place::kFeatures);
    case Place::kList:
      if (key_ != "context") return Refuse("an object");
      message_->has_context = true;
      example_ = nullptr;
      return Enter(Place::kFeatures);
    case Place::kExamples:
      example_ = &message_->examples.emplace_back();
      return Enter(Place::kFeatures);
    case Place::kSequence:
      if (key_ == "context") return Enter(Place::kFeatures);
      message_->has_feature_lists = true;
      return Enter(Place::kFeatureLists);
    default:
      break;
  }
  has_key_ = false;
  if (AtFeature()) {
    BeginFeature();
    return Enter(Place::kWrapper);
  }
  if (!AtValue()) return Refuse("an object");
  return HasKind(Kind::kBytes, "an object") && Enter(Place::kB64);
}

// Adds an empty value and returns it; null if the map has the key already. Most
// lines have sorted keys.
template <class Map>
typename Map::mapped_type* AddLast(const std::string& key, Map* map) {
  const size_t size = map->size();
  const auto it = map->try_emplace(map->end(), key);
  return map->size() > size ? &it->second : nullptr;
}

bool MessageBuilder::FeatureKey(const std::string& key) {
  feature_name_ = key;
  if (At(Place::kFeatures)) {
    Message* const owner = example_ != nullptr ? example_ : message_;
    named_feature_ = AddLast(key, &owner->features);
    return named_feature_ != nullptr || Fail("the key occurs twice");
  }
  named_steps_ = AddLast(key, &message_->feature_lists);
  return named_steps_ != nullptr || Fail("the key occurs twice");
}

bool MessageBuilder::SequenceKey(const std::string& key) {
  feature_name_.clear();
  const bool is_list = At(Place::kList);
  const std::string_view second = is_list ? "examples" : "feature_lists";
  const bool is_context = key == "context";
  if (!is_context && key != second) {
    return Fail("key \"" + Printable(key) + "\" in " +
                (is_list ? "an ExampleListWithContext" : "a SequenceExample") +
                ", which has \"context\" and \"" + std::string(second) + "\"");
  }
  if (std::exchange(is_context ? has_context_ : has_second_key_, true)) {
    return Fail("key \"" + key + "\" occurs twice");
  }
  return true;
}

bool MessageBuilder::WrapperKey(const std::string& key) {
  const std::optional<Kind> kind = ParseKind(key);
  if (!kind || *kind == Kind::kNull) {
    return Fail("key \"" + Printable(key) +
                "\" where one of \"int64\", \"float\" and \"bytes\" is "
                "expected" +
                (key == "b64" ? "; write [{\"b64\": \"...\"}]" : ""));
  }
  if (std::exchange(has_key_, true)) {
    return Fail("a feature has one kind; \"" + key + "\" is its second");
  }
  current_->kind = *kind;
  return true;
}

bool MessageBuilder::key(string_t& key) {
  key_ = key;
  switch (places_.back()) {
    case Place::kFeatures:
    case Place::kFeatureLists:
      return FeatureKey(key);
    case Place::kSequence:
    case Place::kList:
      return SequenceKey(key);
    case Place::kWrapper:
      return WrapperKey(key);
    default:
      if (key == "b64" && !std::exchange(has_key_, true)) return true;
      return Fail("bytes as an object are {\"b64\": \"...\"} and nothing else");
  }
}

bool MessageBuilder::end_object() {
  const Place place = places_.back();
  if ((place == Place::kWrapper || place == Place::kB64) && !has_key_) {
    return Fail(place == Place::kWrapper
                    ? "{} says no kind; write {\"int64\": []}, {\"float\": []} "
                      "or {\"bytes\": []}, or null for no kind"
                    : "bytes as an object are {\"b64\": \"...\"}");
  }
  places_.pop_back();
  if (At(Place::kLine) || At(Place::kSequence) || At(Place::kList) ||
      At(Place::kExamples)) {
    feature_name_.clear();
  }
  return true;
}

bool MessageBuilder::start_array(size_t) {
  if (AtFeature()) {
    BeginFeature();
    return Enter(Place::kValues);
  }
  if (At(Place::kWrapper)) return Enter(Place::kWrappedValues);
  if (At(Place::kFeatureLists)) {
    steps_ = named_steps_;
    return Enter(Place::kSteps);
  }
  if (At(Place::kList) && key_ == "examples") return Enter(Place::kExamples);
  return Refuse("a list");
}

bool MessageBuilder::end_array() {
  if (At(Place::kValues) && current_->size() == 0) {
    return Fail(
        "[] does not show its kind; write {\"int64\": []}, {\"float\": []} or "
        "{\"bytes\": []}");
  }
  places_.pop_back();
  return true;
}

bool MessageBuilder::parse_error(size_t position, const std::string&,
                                 const nlohmann::detail::exception& error) {
  // The parser says "[json.exception.parse_error.101] parse error at line 1,
  // column 8: syntax error while ...", but we name the place in our own words.
  std::string_view text = error.what();
  if (const size_t at = text.find(": ");
      at != std::string_view::npos && text.find("at line") < at) {
    text.remove_prefix(at + 2);
  } else if (const size_t bracket = text.find("] ");
             bracket != std::string_view::npos) {
    text.remove_prefix(bracket + 2);
  }
  feature_name_.clear();
  return Fail("column " + std::to_string(position) + ": " +
              Printable(Shortened(text, 200)));
}

// Returns a record of --message raw as one value of kind bytes.
std::string AsFeatureOfBytes(std::string_view line) {
  return "{\"\":{\"bytes\":[" + std::string(line) + "]}}";
}

// Whether an object looks like a wrapped feature: an object that contains it
// may then be an Example.
bool LooksWrapped(const Json& object) {
  return object.size() == 1 && object.begin()->is_array() &&
         ParseKind(object.begin().key()).has_value();
}

// An Example may have a feature "examples" of bytes, [{"b64": "..."}], whose
// list is not empty.
bool IsListOfFeatures(const Json& examples) {
  return examples.is_array() &&
         std::all_of(examples.begin(), examples.end(), [](const Json& item) {
           return item.is_object() &&
                  !(item.size() == 1 && item.begin().key() == "b64" &&
                    item.begin()->is_string());
         });
}

bool LooksLikeList(const Json& object) {
  const auto examples = object.find("examples");
  if (examples == object.end() || !IsListOfFeatures(*examples)) return false;
  if (object.size() == 1) return true;
  const auto context = object.find("context");
  return object.size() == 2 && context != object.end() && context->is_object();
}

}  // namespace

Result<Message> ParseJsonLine(std::string_view line, MessageType type) {
  Message message;
  MessageBuilder builder(type, &message);
  if (!Json::sax_parse(line.begin(), line.end(), &builder)) {
    return Status(ErrorInfo{.code = ErrorCode::kMalformed,
                            .message = builder.error(),
                            .feature = builder.feature()});
  }
  return message;
}

Result<std::string> ParseJsonBytes(std::string_view line) {
  Result<Message> message =
      ParseJsonLine(AsFeatureOfBytes(line), MessageType::kExample);
  const Status wrong(ErrorCode::kMalformed,
                     "a raw record is a string or {\"b64\": \"...\"}");
  if (!message || message->features.size() != 1) return wrong;
  std::vector<std::string>& values = message->features.begin()->second.bytes;
  if (values.size() != 1) return wrong;
  return std::move(values.front());
}

MessageType JsonLineType(std::string_view line) {
  const Json json = Json::parse(line.begin(), line.end(), nullptr,
                                /*allow_exceptions=*/false);
  if (!json.is_object() || json.empty()) return MessageType::kExample;
  if (LooksLikeList(json)) return MessageType::kElwc;
  bool decided = false;
  for (const auto& [key, value] : json.items()) {
    const bool lists = key == "feature_lists";
    if (key != "context" && !lists) return MessageType::kExample;
    if (!value.is_object() && !(lists && value.is_null())) {
      return MessageType::kExample;
    }
    if (value.is_object() && !LooksWrapped(value)) decided = true;
  }
  return decided || json.size() == 2 ? MessageType::kSequence
                                     : MessageType::kExample;
}

}  // namespace headrace::cli
