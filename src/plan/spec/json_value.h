// JsonValue is a small tree of a JSON text, for descriptions that people write.

#ifndef HEADRACE_SRC_PLAN_SPEC_JSON_VALUE_H_
#define HEADRACE_SRC_PLAN_SPEC_JSON_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"
#include "headrace/variant.h"

namespace headrace::spec {

struct JsonNull {};

struct JsonNumber {
  // The number if it has no '.' or exponent, and fits the type.
  std::optional<int64_t> whole = {};
  // The text of the number, so that a float is not rounded to a double. The
  // text of a whole "-0" may have lost its "-".
  std::string text = {};
};

struct JsonMember;

struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;  // in the order of the text

  // Returns null if the value is not a T.
  template <class T>
  const T* As() const {
    return std::get_if<T>(&value);
  }

  Variant<JsonNull, bool, JsonNumber, std::string, Array, Object> value;
};

struct JsonMember {
  std::string key = {};
  JsonValue value = {};
};

// Returns null if the object has no such member.
const JsonValue* Find(const JsonValue::Object& object, std::string_view key);

// For messages: "null", "true", "2.5", "\"text\"", "a list", "an object".
std::string Describe(const JsonValue& value);

// Returns kBadSpec, with line and column (in bytes, from 1), if the text is not
// one JSON value, if an object has a key twice, or if more than `deepest` lists
// and objects are inside one another. Trees are destroyed recursively.
Result<JsonValue> ParseJson(std::string_view text, size_t deepest = 64);

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_PLAN_SPEC_JSON_VALUE_H_
