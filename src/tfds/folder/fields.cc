#include "src/tfds/folder/fields.h"

#include <charconv>
#include <system_error>

#include "src/base/text/quote.h"

namespace headrace::tfds {

using spec::Describe;
using spec::JsonNull;
using spec::JsonNumber;
using spec::JsonValue;

namespace {

constexpr size_t kMaxDimensions = 32;

std::string CamelCase(std::string_view name) {
  std::string camel;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '_' || i + 1 == name.size()) {
      camel += name[i];
    } else {
      camel += static_cast<char>(name[++i] - 'a' + 'A');
    }
  }
  return camel;
}

}  // namespace

std::optional<int64_t> ParseWhole(const JsonValue& value) {
  if (const auto* number = value.As<JsonNumber>()) return number->whole;
  const auto* text = value.As<std::string>();
  if (text == nullptr) return std::nullopt;
  int64_t whole = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, whole);
  if (error != std::errc() || stop != end) return std::nullopt;
  return whole;
}

const JsonValue* Fields::Get(std::string_view name) {
  const std::string camel = CamelCase(name);
  const JsonValue* value = Find(*object_, camel);
  if (camel != name) {
    const JsonValue* const snake = Find(*object_, name);
    if (value != nullptr && snake != nullptr) {
      Complain(Quote(camel) + " is there twice, also as " + Quote(name));
    }
    if (value == nullptr) value = snake;
  }
  if (value == nullptr || value->As<JsonNull>() != nullptr) return nullptr;
  return value;
}

void Fields::Refuse(std::string_view name, const JsonValue& value,
                    std::string_view wanted) {
  Complain(Quote(CamelCase(name)) + " is " + Describe(value) + ", not " +
           std::string(wanted));
}

// Returns null for an absent field, and for one of another type.
template <class T>
const T* Fields::Typed(std::string_view name, std::string_view wanted) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return nullptr;
  const T* const typed = value->As<T>();
  if (typed == nullptr) Refuse(name, *value, wanted);
  return typed;
}

const JsonValue::Object* Fields::Object(std::string_view name) {
  return Typed<JsonValue::Object>(name, "an object");
}

const JsonValue::Array* Fields::List(std::string_view name) {
  return Typed<JsonValue::Array>(name, "a list");
}

std::string Fields::Text(std::string_view name) {
  const auto* const text = Typed<std::string>(name, "a text");
  return text == nullptr ? std::string() : *text;
}

bool Fields::Flag(std::string_view name) {
  const bool* const flag = Typed<bool>(name, "true or false");
  return flag != nullptr && *flag;
}

std::optional<int64_t> Fields::Whole(std::string_view name) {
  const JsonValue* const value = Get(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<int64_t> whole = ParseWhole(*value);
  if (!whole) Refuse(name, *value, "a whole number of 64 bits");
  return whole;
}

std::vector<int64_t> Fields::Shape() {
  const JsonValue* const value = Get("shape");
  if (value == nullptr) return {};
  const auto* dimensions = value->As<JsonValue::Array>();
  if (const auto* const object = value->As<JsonValue::Object>()) {
    Fields fields(*object);
    dimensions = fields.List("dimensions");
    Complain(fields.problem());
    if (dimensions == nullptr) return {};
  } else if (dimensions == nullptr) {
    Refuse("shape", *value, "a list of dimensions");
    return {};
  }
  if (dimensions->size() > kMaxDimensions) {
    Complain("the shape has " + std::to_string(dimensions->size()) +
             " dimensions; the most are " + std::to_string(kMaxDimensions));
    return {};
  }
  std::vector<int64_t> shape;
  for (const JsonValue& dimension : *dimensions) {
    const bool is_null = dimension.As<JsonNull>() != nullptr;
    const auto size =
        is_null ? std::optional<int64_t>(-1) : ParseWhole(dimension);
    if (!size || *size < -1) Refuse("shape", dimension, "a size or -1");
    shape.push_back(size.value_or(-1));
  }
  return shape;
}

}  // namespace headrace::tfds
