// The part of TextParser that reads numbers, strings and names of enums.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/plan/tfmd/text_parser.h"
#include "src/plan/tfmd/text_scalar.h"

namespace headrace::tfmd_forms {
namespace {

// Bytes of the longest escape, "\\U0010ffff".
constexpr size_t kLongestEscape = 10;

// The largest magnitudes of a type.
struct Range {
  uint64_t positive;
  uint64_t negative;
};

Range RangeOf(FieldType type) {
  constexpr uint64_t kMost64 = std::numeric_limits<uint64_t>::max();
  constexpr uint64_t kMost32 = std::numeric_limits<uint32_t>::max();
  switch (type) {
    case FieldType::kUint64:
      return {kMost64, 0};
    case FieldType::kUint32:
      return {kMost32, 0};
    case FieldType::kEnum:
      return {kMost32 / 2, kMost32 / 2 + 1};
    default:
      return {kMost64 / 2, kMost64 / 2 + 1};
  }
}

// Whether a '-' may be apart from its number. libprotobuf accepts this and
// Python does not, so the number must be one of libprotobuf's.
bool MayStandApart(const Field& field, char sign, std::string_view digits) {
  return sign == '-' && RangeOf(field.type).negative > 0 &&
         IsPlainWhole(digits);
}

}  // namespace

bool TextParser::ReadNumber(const Field& field, Number* number) {
  const Token sign = tokens_.current();
  if (sign.Is('-') || sign.Is('+')) {
    number->sign = sign.text[0];
    tokens_.Next();
  }
  const Token token = tokens_.current();
  if (token.kind != TokenKind::kNumber && token.kind != TokenKind::kWord) {
    return ExpectedValue(field);
  }
  const char* const begin = sign.text.data();
  if (number->sign != 0 && token.text.data() != sign.end() &&
      !MayStandApart(field, number->sign, token.text)) {
    return Fail(begin, "expected " + Describe(field) + " for " +
                           Quote(field.name) + ", found a sign apart " +
                           "from its number");
  }
  number->digits = token.text;
  number->text = {begin, static_cast<size_t>(token.end() - begin)};
  tokens_.Next();
  return true;
}

bool TextParser::Refuse(const Field& field, const Number& number,
                        ScalarFault fault) {
  return Fail(
      number.text.data(),
      "expected " + Describe(field) + " for " + Quote(field.name) + ", found " +
          QuoteText(number.text) +
          (fault == ScalarFault::kTooLarge ? ", which is out of range" : ""));
}

bool TextParser::ParseBool(const Field& field, uint64_t* value) {
  const Token token = tokens_.current();
  const std::string_view text = token.text;
  if (token.kind == TokenKind::kWord) {
    *value = text == "true" || text == "True" || text == "t";
    if (*value == 0 && text != "false" && text != "False" && text != "f") {
      return ExpectedValue(field);
    }
  } else if (token.kind != TokenKind::kNumber || !IsPlainWhole(text) ||
             ParseWhole(text, 0, value) != ScalarFault::kNone || *value > 1) {
    return ExpectedValue(field);
  }
  tokens_.Next();
  return true;
}

bool TextParser::ParseInteger(const Field& field, uint64_t* value) {
  Number number;
  if (!ReadNumber(field, &number)) return false;
  uint64_t magnitude;
  const ScalarFault fault = ParseWhole(number.digits, number.sign, &magnitude);
  if (fault != ScalarFault::kNone) return Refuse(field, number, fault);
  const Range range = RangeOf(field.type);
  const bool negative = number.sign == '-';
  if (magnitude > (negative ? range.negative : range.positive)) {
    return Refuse(field, number, ScalarFault::kTooLarge);
  }
  *value = negative ? 0 - magnitude : magnitude;
  return true;
}

bool TextParser::ParseFloating(const Field& field, double* value) {
  Number number;
  if (!ReadNumber(field, &number)) return false;
  const ScalarFault fault = ParseDecimal(number.digits, number.sign, value);
  return fault == ScalarFault::kNone || Refuse(field, number, fault);
}

bool TextParser::ParseEnum(const Field& field, uint64_t* value) {
  const EnumTable& type = field.enumeration();
  const Token token = tokens_.current();
  const EnumValue* found;
  if (token.kind == TokenKind::kWord) {
    found = type.Find(token.text);
    tokens_.Next();
  } else {
    if (!ParseInteger(field, value)) return false;
    if (type.open) return true;
    found = type.Find(static_cast<int64_t>(*value));
  }
  if (found != nullptr) {
    *value = static_cast<uint64_t>(found->number);
    return true;
  }
  std::vector<std::string_view> names;
  for (const EnumValue& known : type.values) names.push_back(known.name);
  return Fail(token.text.data(),
              QuoteText(token.text) + " is not a value of " +
                  std::string(type.name) +
                  Suggestion(token.text, "its values", names));
}

bool TextParser::ParseString(const Field& field, std::string* value) {
  if (tokens_.current().kind != TokenKind::kString) return ExpectedValue(field);
  while (tokens_.current().kind == TokenKind::kString) {
    const std::string_view literal = tokens_.current().text;
    size_t fault;
    if (!Unescape(literal, value, &fault)) {
      return Fail(
          literal.data() + fault,
          QuoteText(literal.substr(fault, kLongestEscape)) +
              " does not begin with an escape sequence; \\x takes one or two "
              "hexadecimal digits, \\u four, \\U eight up to 0010ffff");
    }
    tokens_.Next();
  }
  return true;
}

bool TextParser::ParseScalar(const Field& field, const Scope& scope) {
  const MessageTable& type = *scope.type;
  ParsedMessage* const keep = scope.Keeps(field) ? scope.message : nullptr;
  switch (field.type) {
    case FieldType::kString:
    case FieldType::kBytes: {
      std::string value;
      if (!ParseString(field, keep != nullptr ? &value : nullptr)) return false;
      if (keep != nullptr) keep->Set(type, field, std::move(value));
      return true;
    }
    case FieldType::kFloat:
    case FieldType::kDouble: {
      double value;
      if (!ParseFloating(field, &value)) return false;
      if (keep != nullptr) keep->Set(type, field, value);
      return true;
    }
    default: {
      uint64_t value;
      const bool ok = field.type == FieldType::kBool ? ParseBool(field, &value)
                      : field.type == FieldType::kEnum
                          ? ParseEnum(field, &value)
                          : ParseInteger(field, &value);
      if (ok && keep != nullptr) keep->Set(type, field, value);
      return ok;
    }
  }
}

}  // namespace headrace::tfmd_forms
