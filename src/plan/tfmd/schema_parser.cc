// Schema::Parse, FromText and FromBinary.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "headrace/schema.h"
#include "src/base/out_of_memory.h"
#include "src/plan/tfmd/message_table.h"
#include "src/plan/tfmd/parsed_message.h"
#include "src/plan/tfmd/schema_fields.h"
#include "src/plan/tfmd/text_tokenizer.h"

namespace headrace::tfmd_forms {
namespace {

// Narrows a number to a float; a text may have a larger one.
float Narrow(double value) {
  constexpr double kMax = std::numeric_limits<float>::max();
  // Larger numbers round to infinity: this is halfway to what would be the next
  // float if exponents went on.
  constexpr double kRoundedToMax = kMax + 0x1p103;
  if (std::fabs(value) <= kMax || std::isnan(value)) {
    return static_cast<float>(value);
  }
  const float size = std::fabs(value) <= kRoundedToMax
                         ? std::numeric_limits<float>::max()
                         : std::numeric_limits<float>::infinity();
  return value < 0 ? -size : size;
}

// A visitor of schema_fields.h that moves values out of a ParsedMessage. Does
// not change values that are not set.
class FieldReader {
 public:
  explicit FieldReader(ParsedMessage* message) : message_(message) {}

  template <class T>
  void operator()(std::string_view name, T& value) {
    if (Value* const field = message_->Find(name)) Take(field, value);
  }
  template <class T>
  void operator()(std::string_view name, std::optional<T>& value) {
    if (Value* const field = message_->Find(name)) Take(field, value.emplace());
  }
  template <class Visit>
  void Part(std::string_view name, bool, Visit visit) {
    if (Value* const field = message_->Find(name)) VisitEach(field, visit);
  }
  template <class T, class Visit>
  void Optional(std::string_view name, std::optional<T>& value, Visit visit) {
    Part(name, true, [&](FieldReader& part) { visit(part, value.emplace()); });
  }
  template <class T, class Visit>
  void Each(std::string_view name, std::vector<T>& list, Visit visit) {
    Part(name, true,
         [&](FieldReader& part) { visit(part, list.emplace_back()); });
  }
  // Of equal keys, the last value counts.
  template <class T>
  void Map(std::string_view name, std::vector<T>& items) {
    std::map<std::string, size_t> indexes;
    Part(name, true, [&](FieldReader& entry) {
      T item;
      entry("key", item.name);
      entry("value", item);
      const auto [at, added] = indexes.try_emplace(item.name, items.size());
      if (added) items.emplace_back();
      items[at->second] = std::move(item);
    });
  }
  template <class T, class OneOf>
  void Case(std::string_view name, OneOf& value) {
    if (Value* const field = message_->Find(name)) {
      Take(field, value.template emplace<T>());
    }
  }
  template <class T>
  void Constant(std::string_view name, std::optional<T>& value, T constant) {
    if (message_->Find(name) != nullptr) value = constant;
  }

 private:
  template <class Visit>
  static void VisitEach(Value* field, Visit visit) {
    for (ParsedMessage& message :
         *std::get_if<std::vector<ParsedMessage>>(field)) {
      FieldReader part(&message);
      visit(part);
    }
  }
  static void Take(Value* field, std::string& text) {
    text = std::move(*std::get_if<std::string>(field));
  }
  static void Take(Value* field, std::vector<std::string>& texts) {
    texts = std::move(*std::get_if<std::vector<std::string>>(field));
  }
  template <class T>
  static void Take(Value* field, std::vector<T>& list) {
    VisitEach(field, [&list](FieldReader& part) {
      VisitFields(list.emplace_back(), part);
    });
  }
  template <class T>
  static void Take(Value* field, T& value) {
    if constexpr (std::is_same_v<T, float>) {
      value = Narrow(*std::get_if<double>(field));
    } else if constexpr (std::is_same_v<T, double>) {
      value = *std::get_if<double>(field);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      // The enums of schema.h have the numbers of the tables' enums.
      value = static_cast<T>(*std::get_if<uint64_t>(field));
    } else {
      VisitEach(field,
                [&value](FieldReader& part) { VisitFields(value, part); });
    }
  }

  ParsedMessage* message_;
};

Result<Schema> ToSchema(Result<ParsedMessage> parsed) {
  if (!parsed.ok()) return parsed.status();
  Schema schema;
  FieldReader reader(&*parsed);
  VisitFields(schema, reader);
  return schema;
}

bool IsControl(char c) {
  return (static_cast<unsigned char>(c) < ' ' && !(c >= '\t' && c <= '\r')) ||
         c == '\x7f';
}

bool HasControl(std::string_view bytes) {
  for (const char c : bytes) {
    if (IsControl(c)) return true;
  }
  return false;
}

// Decides what bytes that are neither a valid text nor a valid message are more
// like. Nearly every field of a serialized message has a length or a number
// that is a control character; a text begins with a field.
bool LooksLikeText(std::string_view bytes) {
  constexpr size_t kEnough = 256;
  if (!HasControl(bytes.substr(0, kEnough))) return true;
  const Token first = TextTokenizer(bytes).current();
  return first.kind == TokenKind::kWord &&
         SchemaMessage().Find(first.text) != nullptr;
}

// Bytes can be both a text and a serialized Schema: 0x0a, which serialized
// schemas begin with, is a line feed, and a length of 35 is a '#', after which
// text may be anything. Control characters distinguish them. A serialized
// feature has one, the number of its type, so bytes that have control
// characters are a serialized Schema if they can be; if not, they are a text
// that has a control character in a string or a comment. Bytes without control
// characters are a text if they can be.
Result<Schema> ReadAny(std::string_view bytes) {
  const bool control = HasControl(bytes);
  Result<Schema> first =
      ToSchema(control ? ParseBinary(bytes) : ParseText(bytes));
  if (first.ok()) return first;
  Result<Schema> second =
      ToSchema(control ? ParseText(bytes) : ParseBinary(bytes));
  if (second.ok()) return second;
  return LooksLikeText(bytes) == control ? second : first;
}

}  // namespace
}  // namespace headrace::tfmd_forms

namespace headrace {

Result<Schema> Schema::FromText(std::string_view text) {
  return CatchOutOfMemory(
      [&] { return tfmd_forms::ToSchema(tfmd_forms::ParseText(text)); });
}

Result<Schema> Schema::FromBinary(std::string_view bytes) {
  return CatchOutOfMemory(
      [&] { return tfmd_forms::ToSchema(tfmd_forms::ParseBinary(bytes)); });
}

Result<Schema> Schema::Parse(std::string_view bytes) {
  return CatchOutOfMemory([&] { return tfmd_forms::ReadAny(bytes); });
}

}  // namespace headrace
