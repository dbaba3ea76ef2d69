// ParsedMessage holds those fields of a message that a Schema keeps
// (Field::is_kept of message_table.h).

#ifndef HEADRACE_SRC_PLAN_TFMD_PARSED_MESSAGE_H_
#define HEADRACE_SRC_PLAN_TFMD_PARSED_MESSAGE_H_

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "headrace/status.h"
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
  const MessageTable* type;
  // Indexed like the fields of the type; empty while nothing is set.
  std::vector<Value> values = {};

  // Returns null if the field is not set. The type must have the field and keep
  // it.
  Value* Find(std::string_view name) {
    const Field* const field = type->Find(name);
    assert(field != nullptr && field->is_kept());
    if (values.empty()) return nullptr;
    Value& value = values[type->IndexOf(*field)];
    return std::holds_alternative<std::monostate>(value) ? nullptr : &value;
  }
  // Returns the value of a field, which is an empty T if it was not set.
  template <class T>
  T& Make(const Field& field) {
    Value& value = At(field);
    T* const made = std::get_if<T>(&value);
    return made != nullptr ? *made : value.emplace<T>();
  }
  // Returns the message to merge the field's bytes into. It is valid until the
  // next call for the same field.
  ParsedMessage* MakeMessage(const Field& field) {
    auto& list = Make<std::vector<ParsedMessage>>(field);
    if (list.empty() || field.repeated()) list.push_back({&field.message()});
    return &list.back();
  }
  // Sets or, if repeated, appends; `field` must be kept and not a message.
  template <class T>
  void Set(const Field& field, T value) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (field.repeated()) {
        Make<std::vector<std::string>>(field).push_back(std::move(value));
        return;
      }
    }
    At(field) = std::move(value);
  }

 private:
  Value& At(const Field& field) {
    if (values.empty()) values.resize(type->fields.size());
    return values[type->IndexOf(field)];
  }
};

// ParseBinary (binary_parser.cc) and ParseText (text_parser.cc) parse a Schema,
// and return kBadSpec if it is invalid.
Result<ParsedMessage> ParseBinary(std::string_view bytes);
Result<ParsedMessage> ParseText(std::string_view text);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_PARSED_MESSAGE_H_
