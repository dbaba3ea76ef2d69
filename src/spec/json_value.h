// A JSON text as a tree: small, for descriptions that people write.

#ifndef HEADRACE_SRC_SPEC_JSON_VALUE_H_
#define HEADRACE_SRC_SPEC_JSON_VALUE_H_

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
  // Without '.' and exponent, and in the range of the type.
  std::optional<int64_t> whole = {};
  // As written, so that a float need not be rounded through a double. A whole
  // number may have lost its leading "-" before 0.
  std::string text = {};
};

struct JsonMember;

struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;  // in the order of the text

  // Null where the value is not a T.
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

// The member's value; null where there is none.
const JsonValue* Find(const JsonValue::Object& object, std::string_view key);

// For messages: "null", "true", "2.5", "\"text\"", "a list", "an object".
std::string Describe(const JsonValue& value);

// kBadSpec, with line and column (in bytes, from 1), for a text that is not
// one JSON value, for a key that an object has twice, and for lists and objects
// too deep inside one another.
Result<JsonValue> ParseJson(std::string_view text);

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_SPEC_JSON_VALUE_H_
