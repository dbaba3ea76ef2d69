#include "src/plan/spec/spec_json_reader.h"

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
#include "src/plan/spec/feature_reader.h"

namespace headrace {
namespace {

using spec::Describe;
using spec::Find;
using spec::JsonMember;
using spec::JsonValue;

Status BadSpec(std::string message) {
  return Status(ErrorCode::kBadSpec, std::move(message));
}

// Reads the features of the list `key`, which may be absent.
template <class Add>
Status ReadFeatures(const JsonValue::Object& top, std::string_view key,
                    std::string_view what, Add add) {
  const JsonValue* const value = Find(top, key);
  if (value == nullptr) return Status();
  const auto* const list = value->As<JsonValue::Array>();
  if (list == nullptr) {
    return BadSpec(Quote(key) + " is " + Describe(*value) +
                   "; it takes a list of features");
  }
  for (size_t i = 0; i < list->size(); ++i) {
    spec::FeatureReader reader(Quote(key) + "[" + std::to_string(i) + "]",
                               what);
    if (Status status = reader.Read((*list)[i]); !status.ok()) return status;
    add(std::move(reader.feature()));
  }
  return Status();
}

Result<MessageType> ReadMessageType(const JsonValue::Object& top) {
  const JsonValue* const value = Find(top, "message");
  if (value == nullptr) return MessageType::kExample;
  const auto* const name = value->As<std::string>();
  if (name != nullptr && *name == "example") return MessageType::kExample;
  if (name != nullptr && *name == "sequence_example") {
    return MessageType::kSequence;
  }
  if (name != nullptr && *name == "elwc") return MessageType::kElwc;
  if (name != nullptr && *name == "example_in_example") {
    return MessageType::kExampleInExample;
  }
  return BadSpec("\"message\" is " + Describe(*value) +
                 "; it takes \"example\", \"sequence_example\", \"elwc\" or "
                 "\"example_in_example\"");
}

constexpr std::string_view kListKeys[] = {
    "example_features", "list_size", "size_feature_name", "mask_feature_name"};

Status ReadListSize(const JsonValue::Object& top, ListOptions* lists) {
  const JsonValue* const value = Find(top, "list_size");
  if (value == nullptr || value->As<spec::JsonNull>()) return Status();
  const auto* const number = value->As<spec::JsonNumber>();
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
  if (value == nullptr || value->As<spec::JsonNull>()) return Status();
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
  if (message == MessageType::kExample) {
    if (!Find(top, "features")) {
      return BadSpec("field \"features\" is missing");
    }
  }
  return Status();
}

}  // namespace

Result<FeatureSpec> spec::ReadSpec(const JsonValue& json) {
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
  Status status =
      ReadFeatures(*top, "features", "feature", [&spec](NamedFeature feature) {
        spec.Add(std::move(feature.name), std::move(feature.config));
      });
  if (!status.ok()) return status;
  status = ReadFeatures(*top, "sequence_features", "sequence feature",
                        [&spec](NamedFeature feature) {
                          spec.AddSequence(std::move(feature.name),
                                           std::move(feature.config));
                        });
  if (!status.ok() || !IsListOfExamples(*message)) {
    return status.ok() ? Result<FeatureSpec>(std::move(spec)) : status;
  }
  status = ReadFeatures(*top, "example_features", "example feature",
                        [&spec](NamedFeature feature) {
                          spec.AddToExamples(std::move(feature.name),
                                             std::move(feature.config));
                        });
  if (status.ok()) status = ReadLists(*top, &spec);
  if (!status.ok()) return status;
  return spec;
}

Result<FeatureSpec> FeatureSpec::FromJson(std::string_view text) {
  return CatchOutOfMemory([&]() -> Result<FeatureSpec> {
    const Result<JsonValue> json = spec::ParseJson(text);
    return json.ok() ? spec::ReadSpec(*json) : json.status();
  });
}

}  // namespace headrace
