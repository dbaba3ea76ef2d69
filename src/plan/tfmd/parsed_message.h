// ParsedMessage holds those fields of a message that a Schema keeps.

#ifndef HEADRACE_SRC_PLAN_TFMD_PARSED_MESSAGE_H_
#define HEADRACE_SRC_PLAN_TFMD_PARSED_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "headrace/variant.h"
#include "src/plan/tfmd/message_table.h"

namespace headrace::tfmd_forms {

struct ParsedMessage;

// The value of a field; std::monostate if it is not set. Bools, whole numbers
// and enums are uint64_t, floats and doubles are double. Strings and bytes are
// std::string, or std::vector if repeated. Messages are always a std::vector,
// of one message if not repeated.
using Value = Variant<std::monostate, uint64_t, double, std::string,
                      std::vector<std::string>, std::vector<ParsedMessage>>;

struct ParsedMessage {
  // Indexed like the fields of the type; empty while nothing is set.
  std::vector<Value> values = {};

  // Returns null if the field is not set.
  template <class T>
  T* Get(size_t field) {
    return field < values.size() ? std::get_if<T>(&values[field]) : nullptr;
  }

  Value& At(const MessageTable& type, size_t field) {
    if (values.empty()) values.resize(type.num_kept);
    return values[field];
  }

  // Returns the value of a field, which is an empty T if it was not set.
  template <class T>
  T& Make(const MessageTable& type, size_t field) {
    Value& value = At(type, field);
    T* const made = std::get_if<T>(&value);
    return made != nullptr ? *made : value.emplace<T>();
  }

  // Returns the message to merge the field's bytes into. It is valid until the
  // next call for the same field.
  ParsedMessage* MakeMessage(const MessageTable& type, const Field& field) {
    auto& list = Make<std::vector<ParsedMessage>>(type, type.IndexOf(field));
    if (list.empty() || field.repeated()) list.emplace_back();
    return &list.back();
  }

  // Sets or, if repeated, appends; `field` must be kept and not a message.
  template <class T>
  void Set(const MessageTable& type, const Field& field, T value) {
    const size_t index = type.IndexOf(field);
    if constexpr (std::is_same_v<T, std::string>) {
      if (field.repeated()) {
        Make<std::vector<std::string>>(type, index).push_back(std::move(value));
        return;
      }
    }
    At(type, index) = std::move(value);
  }
};

// The functions whose names begin with Take move the value of a field out of
// its message; it is empty if the field is not set.
inline std::vector<ParsedMessage> TakeList(ParsedMessage* message,
                                           size_t field) {
  auto* list = message->Get<std::vector<ParsedMessage>>(field);
  return list == nullptr ? std::vector<ParsedMessage>() : std::move(*list);
}

// Returns null if the field is not set.
inline ParsedMessage* Child(ParsedMessage* message, size_t field) {
  auto* list = message->Get<std::vector<ParsedMessage>>(field);
  return list == nullptr ? nullptr : &list->front();
}

inline std::optional<std::string> TakeString(ParsedMessage* message,
                                             size_t field) {
  auto* text = message->Get<std::string>(field);
  if (text == nullptr) return std::nullopt;
  return std::move(*text);
}

inline std::string TakeName(ParsedMessage* message, size_t field) {
  return TakeString(message, field).value_or(std::string());
}

inline std::vector<std::string> TakeStrings(ParsedMessage* message,
                                            size_t field) {
  auto* list = message->Get<std::vector<std::string>>(field);
  return list == nullptr ? std::vector<std::string>() : std::move(*list);
}

inline std::optional<int64_t> Int(ParsedMessage* message, size_t field) {
  const auto* value = message->Get<uint64_t>(field);
  if (value == nullptr) return std::nullopt;
  return static_cast<int64_t>(*value);
}

inline bool IsTrue(ParsedMessage* message, size_t field) {
  return Int(message, field).value_or(0) != 0;
}

// The enums of schema.h have the numbers of the tables' enums.
template <class Enum>
Enum EnumOf(ParsedMessage* message, size_t field) {
  return static_cast<Enum>(Int(message, field).value_or(0));
}

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_PARSED_MESSAGE_H_
