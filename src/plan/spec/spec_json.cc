// ReadSpec and FeatureSpec::FromJson.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/plan/spec/spec_json_reader.h"

namespace headrace::spec {
namespace {

Status BadSpec(std::string message) {
  return Status(ErrorCode::kBadSpec, std::move(message));
}

// A function of FeatureSpec that adds a feature.
using Add = FeatureSpec& (FeatureSpec::*)(std::string, FeatureConfig) &;

// Reads the features of the list `key`, which may be absent.
Status ReadFeatures(const JsonValue::Object& top, std::string_view key,
                    std::string_view what, const SpecJsonOptions& options,
                    Add add, FeatureSpec* spec) {
  const JsonValue* const value = Find(top, key);
  if (value == nullptr) return Status();
  const auto* const list = value->As<JsonValue::Array>();
  if (list == nullptr) {
    return BadSpec(Quote(key) + " is " + Describe(*value) +
                   "; it takes a list of features");
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string place = Quote(key) + "[" + std::to_string(i) + "]";
    HEADRACE_ASSIGN_OR_RETURN(NamedFeature feature,
                              ReadFeature((*list)[i], place, what, options));
    (spec->*add)(std::move(feature.name), std::move(feature.config));
  }
  return Status();
}

constexpr EnumName<MessageType> kMessages[] = {
    {MessageType::kExample, "example"},
    {MessageType::kSequence, "sequence_example"},
    {MessageType::kElwc, "elwc"},
    {MessageType::kExampleInExample, "example_in_example"}};

Result<MessageType> ReadMessageType(const JsonValue::Object& top) {
  const JsonValue* const value = Find(top, "message");
  if (value == nullptr) return MessageType::kExample;
  const auto* const name = value->As<std::string>();
  for (const EnumName<MessageType>& known : kMessages) {
    if (name != nullptr && *name == known.name) return known.value;
  }
  return BadSpec("\"message\" is " + Describe(*value) +
                 "; it takes \"example\", \"sequence_example\", \"elwc\" or "
                 "\"example_in_example\"");
}

constexpr std::string_view kListKeys[] = {
    "example_features", "list_size", "size_feature_name", "mask_feature_name"};

Status ReadListSize(const JsonValue::Object& top, ListOptions* lists) {
  const JsonValue* const value = Find(top, "list_size");
  if (value == nullptr || value->As<JsonNull>()) return Status();
  const auto* const number = value->As<JsonNumber>();
  if (number == nullptr || !number->whole) {
    return BadSpec("\"list_size\" is " + Describe(*value) +
                   "; it takes a whole number");
  }
  lists->list_size = *number->whole;
  return Status();
}

Status ReadName(const JsonValue::Object& top, std::string_view key,
                std::optional<std::string>* name) {
  const JsonValue* const value = Find(top, key);
  if (value == nullptr || value->As<JsonNull>()) return Status();
  const auto* const text = value->As<std::string>();
  if (text == nullptr) {
    return BadSpec(Quote(key) + " is " + Describe(*value) +
                   "; it takes the name of a tensor");
  }
  *name = *text;
  return Status();
}

Status ReadLists(const JsonValue::Object& top, FeatureSpec* spec) {
  ListOptions lists;
  Status status = ReadListSize(top, &lists);
  if (status.ok()) {
    status = ReadName(top, "size_feature_name", &lists.size_feature_name);
  }
  if (status.ok()) {
    status = ReadName(top, "mask_feature_name", &lists.mask_feature_name);
  }
  if (status.ok()) spec->SetLists(std::move(lists));
  return status;
}

Status CheckTop(const JsonValue::Object& top, MessageType message) {
  static constexpr std::string_view kKeys[] = {
      "message",   "features",          "sequence_features", "example_features",
      "list_size", "size_feature_name", "mask_feature_name"};
  for (const JsonMember& member : top) {
    if (std::ranges::find(kKeys, member.key) == std::end(kKeys)) {
      return BadSpec("unknown field " + Quote(member.key) +
                     Suggestion(member.key, "the fields of a spec", kKeys));
    }
  }
  for (const std::string_view key : kListKeys) {
    if (IsListOfExamples(message) || !Find(top, key)) continue;
    return BadSpec(Quote(key) +
                   " is for \"message\": \"elwc\" or "
                   "\"example_in_example\"");
  }
  if (message != MessageType::kSequence && Find(top, "sequence_features")) {
    return BadSpec(
        "\"sequence_features\" are for \"message\": \"sequence_example\"");
  }
  if (message == MessageType::kExample && !Find(top, "features")) {
    return BadSpec("field \"features\" is missing");
  }
  return Status();
}

}  // namespace

Result<FeatureSpec> ReadSpec(const JsonValue& json,
                             const SpecJsonOptions& options) {
  const auto* const top = json.As<JsonValue::Object>();
  if (top == nullptr) {
    return BadSpec(
        "a spec is an object like {\"message\": \"example\", "
        "\"features\": [...]}, not " +
        Describe(json));
  }
  const Result<MessageType> message = ReadMessageType(*top);
  if (!message.ok()) return message.status();
  if (Status status = CheckTop(*top, *message); !status.ok()) return status;

  FeatureSpec spec(*message);
  Status status = ReadFeatures(*top, "features", "feature", options,
                               &FeatureSpec::Add, &spec);
  if (status.ok()) {
    status = ReadFeatures(*top, "sequence_features", "sequence feature",
                          options, &FeatureSpec::AddSequence, &spec);
  }
  if (status.ok()) {
    status = ReadFeatures(*top, "example_features", "example feature", options,
                          &FeatureSpec::AddToExamples, &spec);
  }
  if (status.ok() && IsListOfExamples(*message)) {
    status = ReadLists(*top, &spec);
  }
  if (!status.ok()) return status;
  return spec;
}

}  // namespace headrace::spec

namespace headrace {

Result<FeatureSpec> FeatureSpec::FromJson(std::string_view text,
                                          const SpecJsonOptions& options) {
  return CatchOutOfMemory([&]() -> Result<FeatureSpec> {
    const auto json = spec::ParseJson(text);
    return json.ok() ? spec::ReadSpec(*json, options) : json.status();
  });
}

}  // namespace headrace
