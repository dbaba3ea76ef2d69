#include "src/c/options.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <variant>

#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/c/error.h"

namespace headrace::c {

using spec::JsonValue;

Result<Options> Options::Parse(const char* json) {
  if (json == nullptr) return Options({});
  Result<JsonValue> value = spec::ParseJson(json);
  if (!value) {
    return InvalidArgument("the options are no JSON: " +
                           std::string(value.status().message()));
  }
  auto* const object = std::get_if<JsonValue::Object>(&value->value);
  if (object == nullptr) {
    return InvalidArgument("options are an object like {\"threads\": 4}, not " +
                           spec::Describe(*value));
  }
  return Options(std::move(*object));
}

const JsonValue* Options::Get(std::string_view name) {
  taken_.push_back(name);
  const JsonValue* const value = Find(members_, name);
  if (value == nullptr || value->As<spec::JsonNull>()) return nullptr;
  return value;
}

void Options::Take(std::string_view name, bool* out) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return;
  if (const auto* const flag = value->As<bool>()) {
    *out = *flag;
  } else {
    Refuse(name, *value, "true or false");
  }
}

void Options::Take(std::string_view name, std::string* out) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return;
  const auto* const text = value->As<std::string>();
  if (text != nullptr && !text->empty()) {
    *out = *text;
  } else {
    Refuse(name, *value, "a text that is not empty");
  }
}

void Options::Take(std::string_view name, std::vector<std::string>* out) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return;
  const auto* const list = value->As<JsonValue::Array>();
  if (list == nullptr || list->empty()) {
    return Refuse(name, *value, "a list of one text or more");
  }
  for (const JsonValue& item : *list) {
    const auto* const text = item.As<std::string>();
    if (text == nullptr) return Refuse(name, item, "a list of texts");
    out->push_back(*text);
  }
}

std::optional<uint64_t> WholeFrom(const JsonValue& value) {
  const auto* const number = value.As<spec::JsonNumber>();
  if (number == nullptr) return std::nullopt;
  uint64_t whole = 0;
  const char* const end = number->text.data() + number->text.size();
  const auto [stop, error] = std::from_chars(number->text.data(), end, whole);
  if (error != std::errc() || stop != end) return std::nullopt;
  return whole;
}

std::optional<uint64_t> Options::TakeWhole(std::string_view name,
                                           uint64_t least, uint64_t most) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<uint64_t> whole = WholeFrom(*value);
  if (whole && *whole >= least && *whole <= most) return whole;
  Refuse(name, *value,
         "a whole number from " + std::to_string(least) + " to " +
             std::to_string(most));
  return std::nullopt;
}

void Options::RefuseName(std::string_view name, const std::string& given,
                         std::vector<std::string_view> names) {
  Complain(InvalidArgument(Quote(name) + " is " + Quote(given) +
                           Suggestion(given, "its values", names)));
}

void Options::Refuse(std::string_view name, const JsonValue& value,
                     std::string_view takes) {
  Complain(InvalidArgument(Quote(name) + " is " + spec::Describe(value) +
                           "; it takes " + std::string(takes)));
}

void Options::Complain(const Status& problem) {
  if (problem_.ok()) problem_ = problem;
}

Status Options::Finish() const {
  for (const spec::JsonMember& member : members_) {
    if (std::ranges::find(taken_, member.key) != taken_.end()) continue;
    return InvalidArgument("there is no option " + Quote(member.key) +
                           Suggestion(member.key, "the options", taken_));
  }
  return problem_;
}

}  // namespace headrace::c
