#include "src/read/reader/given_options.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <variant>

#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"

namespace headrace {
namespace {

using spec::JsonValue;

constexpr uint64_t kToTheEnd = ~uint64_t{0};

Status WrongOption(const std::string& text) {
  return Status(ErrorCode::kInvalidArgument, text);
}

// Returns the value if it is a whole number that fits uint64_t; empty for any
// other value.
std::optional<uint64_t> WholeFrom(const JsonValue& value) {
  const auto* const number = value.As<spec::JsonNumber>();
  if (number == nullptr) return std::nullopt;
  uint64_t whole = 0;
  const char* const end = number->text.data() + number->text.size();
  const auto [stop, error] = std::from_chars(number->text.data(), end, whole);
  if (error != std::errc() || stop != end) return std::nullopt;
  return whole;
}

bool IsWhole(const JsonValue& value) {
  const auto* const number = value.As<spec::JsonNumber>();
  return number && !number->text.empty() &&
         number->text.find_first_not_of("0123456789", number->text[0] == '-') ==
             std::string::npos;
}

// Returns the numbers of a list that has `least` to `most` of them, such as
// [begin, end]; empty for any other value. Null after the first number means
// kToTheEnd.
std::optional<std::vector<uint64_t>> WholesFrom(const JsonValue& value,
                                                size_t least, size_t most) {
  const auto* const list = value.As<JsonValue::Array>();
  if (list == nullptr || list->size() < least || list->size() > most) {
    return std::nullopt;
  }
  std::vector<uint64_t> numbers;
  for (const JsonValue& item : *list) {
    const bool is_open = item.As<spec::JsonNull>() && !numbers.empty();
    const auto number = is_open ? kToTheEnd : WholeFrom(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Returns a text for messages: shows lists of up to three items in full, and
// describes all other values.
std::string Shown(const JsonValue& value) {
  const auto* const list = value.As<JsonValue::Array>();
  if (list == nullptr || list->size() > 3) return spec::Describe(value);
  std::string text;
  for (const JsonValue& item : *list) {
    text += (text.empty() ? "" : ", ") + Shown(item);
  }
  return "[" + text + "]";
}

}  // namespace

Result<GivenOptions> GivenOptions::Parse(const char* json) {
  if (json == nullptr) return GivenOptions({});
  Result<JsonValue> value = spec::ParseJson(json);
  if (!value) {
    return WrongOption("the options are not JSON: " +
                       std::string(value.status().message()));
  }
  auto* const object = std::get_if<JsonValue::Object>(&value->value);
  if (object == nullptr) {
    return WrongOption("options are an object like {\"threads\": 4}, not " +
                       spec::Describe(*value));
  }
  return GivenOptions(std::move(*object));
}

const JsonValue* GivenOptions::Get(std::string_view name) {
  taken_.push_back(name);
  const JsonValue* const value = Find(members_, name);
  if (value == nullptr || value->As<spec::JsonNull>()) return nullptr;
  return value;
}

void GivenOptions::Take(std::string_view name, bool* out) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return;
  if (const auto* const flag = value->As<bool>()) {
    *out = *flag;
  } else {
    Refuse(name, *value, "true or false", true);
  }
}

void GivenOptions::Take(std::string_view name, std::string* out) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return;
  const auto* const text = value->As<std::string>();
  if (text != nullptr && !text->empty()) {
    *out = *text;
  } else {
    Refuse(name, *value, "a string that is not empty", text == nullptr);
  }
}

void GivenOptions::Take(std::string_view name, std::vector<std::string>* out) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return;
  const auto* const list = value->As<JsonValue::Array>();
  if (list == nullptr || list->empty()) {
    return Refuse(name, *value, "a list of at least one string",
                  list == nullptr);
  }
  for (const JsonValue& item : *list) {
    const auto* const text = item.As<std::string>();
    if (text == nullptr) return Refuse(name, item, "a list of strings", true);
    out->push_back(*text);
  }
}

void GivenOptions::Take(std::string_view name, std::vector<Shard>* out) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return;
  std::vector<const JsonValue*> pairs = {value};
  const auto* const list = value->As<JsonValue::Array>();
  if (list && !list->empty() && list->front().As<JsonValue::Array>()) {
    pairs.clear();
    for (const JsonValue& pair : *list) pairs.push_back(&pair);
  }
  for (const JsonValue* pair : pairs) {
    const auto shard = WholesFrom(*pair, 2, 2);
    if (!shard || (*shard)[0] >= (*shard)[1] || (*shard)[1] > UINT32_MAX) {
      return Refuse(
          name, *pair,
          "[index, count] with index below count, or a list of such pairs");
    }
    if ((*shard)[1] == 1) continue;  // one part is the whole
    out->push_back({.index = static_cast<uint32_t>((*shard)[0]),
                    .count = static_cast<uint32_t>((*shard)[1])});
  }
}

void GivenOptions::Take(std::string_view name, ByteRange* out) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return;
  const auto range = WholesFrom(*value, 2, 2);
  if (!range || (*range)[0] > (*range)[1]) {
    return Refuse(name, *value,
                  "[begin, end] or [begin, null], begin not after end");
  }
  *out = {.begin = (*range)[0], .end = (*range)[1]};
}

void GivenOptions::Take(std::string_view name, std::vector<RecordRange>* out) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return;
  const auto* const list = value->As<JsonValue::Array>();
  constexpr std::string_view kTakes =
      "a list with [begin, end] or [begin, end, records of the file] for each "
      "path";
  if (list == nullptr) return Refuse(name, *value, kTakes);
  for (const JsonValue& item : *list) {
    const auto range = WholesFrom(item, 2, 3);
    if (!range) return Refuse(name, item, kTakes);
    out->push_back(
        {.begin = (*range)[0],
         .end = (*range)[1],
         .file_records = range->size() == 3 ? (*range)[2] : kToTheEnd});
  }
}

void GivenOptions::Take(std::string_view name, IndexChoice out) {
  std::string index = "auto";
  Take(name, &index);
  if (index == "required") {
    *out.use = IndexUse::kRequired;
  } else if (index == "none") {
    *out.use = IndexUse::kNone;
  } else if (index != "auto") {
    *out.directory = index;
  }
}

std::optional<uint64_t> GivenOptions::TakeWhole(std::string_view name,
                                                const WholeRange& range) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return std::nullopt;
  const auto* const text = value->As<std::string>();
  if (text && !range.word.empty() && *text == range.word) return range.meaning;
  const std::optional<uint64_t> whole = WholeFrom(*value);
  if (whole && *whole >= range.least && *whole <= range.most) return whole;
  std::string takes = "a whole number from " + std::to_string(range.least) +
                      " to " + std::to_string(range.most);
  if (!range.word.empty()) takes += ", or " + Quote(range.word);
  const bool is_other_word = text && !range.word.empty();
  Refuse(name, *value, takes, !IsWhole(*value) && !is_other_word);
  return std::nullopt;
}

std::string GivenOptions::TakeName(std::string_view name,
                                   const std::vector<std::string_view>& names) {
  std::string given;
  Take(name, &given);
  if (!given.empty() && std::ranges::find(names, given) == names.end()) {
    Complain(WrongOption(Quote(name) + " is " + Quote(given) +
                         Suggestion(given, "its values", names)));
  }
  return given;
}

void GivenOptions::Refuse(std::string_view name, const JsonValue& value,
                          std::string_view takes, bool is_wrong_type) {
  if (problem_.ok()) is_wrong_type_ = is_wrong_type;
  Complain(WrongOption(Quote(name) + " is " + Shown(value) + "; it takes " +
                       std::string(takes)));
}

void GivenOptions::Complain(const Status& problem) {
  if (problem_.ok()) problem_ = problem;
}

Status GivenOptions::Finish() const {
  for (const spec::JsonMember& member : members_) {
    if (std::ranges::find(taken_, member.key) != taken_.end()) continue;
    return WrongOption("there is no option " + Quote(member.key) +
                       Suggestion(member.key, "the options", taken_));
  }
  return problem_;
}

}  // namespace headrace
