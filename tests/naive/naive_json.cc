#include "tests/naive/naive_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "src/base/json/json_text.h"

namespace headrace::testing {
namespace {

template <class Values, class Append>
void AppendList(const Values& values, std::string* out, Append append) {
  out->push_back('[');
  bool first = true;
  for (const auto& value : values) {
    if (!first) out->push_back(',');
    first = false;
    append(value);
  }
  out->push_back(']');
}

template <class Map, class Append>
void AppendObject(const Map& map, std::string* out, Append append) {
  out->push_back('{');
  bool first = true;
  for (const auto& [key, value] : map) {
    if (!first) out->push_back(',');
    first = false;
    AppendJsonString(key, out);
    out->push_back(':');
    append(value);
  }
  out->push_back('}');
}

// The list needs no wrapper that says its kind.
bool ShowsItsKind(const Feature& feature) {
  if (feature.size() == 0) return false;
  return feature.kind != Kind::kFloat ||
         std::all_of(feature.floats.begin(), feature.floats.end(),
                     [](float value) { return std::isfinite(value); });
}

void AppendValues(const Feature& feature, std::string* out) {
  switch (feature.kind) {
    case Kind::kNull:
      break;
    case Kind::kBytes:
      AppendList(feature.bytes, out,
                 [out](const auto& value) { AppendJsonBytes(value, out); });
      break;
    case Kind::kFloat:
      AppendList(feature.floats, out,
                 [out](float value) { AppendJsonFloat(value, out); });
      break;
    case Kind::kInt64:
      AppendList(feature.int64s, out,
                 [out](int64_t value) { out->append(std::to_string(value)); });
      break;
  }
}

}  // namespace

void AppendJsonFeature(const Feature& feature, std::string* out) {
  if (feature.kind == Kind::kNull) {
    out->append("null");
  } else if (ShowsItsKind(feature)) {
    AppendValues(feature, out);
  } else {
    out->append("{\"");
    out->append(KindName(feature.kind));
    out->append("\":");
    AppendValues(feature, out);
    out->push_back('}');
  }
}

void AppendJsonMessage(const Message& message, std::string* out) {
  const auto feature = [out](const Feature& f) { AppendJsonFeature(f, out); };
  if (message.type == MessageType::kElwc) {
    out->push_back('{');
    if (message.has_context || !message.features.empty()) {
      out->append("\"context\":");
      AppendObject(message.features, out, feature);
      out->push_back(',');
    }
    out->append("\"examples\":");
    AppendList(message.examples, out, [out](const Message& example) {
      AppendJsonMessage(example, out);
    });
    out->push_back('}');
    return;
  }
  if (message.type != MessageType::kSequence) {
    AppendObject(message.features, out, feature);
    return;
  }
  out->append("{\"context\":");
  AppendObject(message.features, out, feature);
  // An absent feature_lists message differs from an empty one.
  if (message.has_feature_lists || !message.feature_lists.empty()) {
    out->append(",\"feature_lists\":");
    AppendObject(message.feature_lists, out,
                 [out, feature](const std::vector<Feature>& steps) {
                   AppendList(steps, out, feature);
                 });
  }
  out->push_back('}');
}

}  // namespace headrace::testing
