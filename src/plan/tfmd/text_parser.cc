// ParseText makes a message of message_table.h from protobuf's text format. It
// accepts every text that libprotobuf's parser or Python's accepts.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/plan/tfmd/message_table.h"
#include "src/plan/tfmd/parsed_message.h"
#include "src/plan/tfmd/text_scalar.h"
#include "src/plan/tfmd/text_tokenizer.h"
#include "wire/wire.h"

namespace headrace::tfmd_forms {
namespace {

std::string DescribeToken(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kString:
      return "the string " +
             QuoteText(token.text.substr(1, token.text.size() - 2));
    default:
      return QuoteText(token.text);
  }
}

// Whether a validation report has this field where a Schema could begin.
bool IsOfAnomalies(std::string_view name) {
  return name == "baseline" || name == "anomaly_info" ||
         name == "anomaly_name_format";
}

char ClosingOf(char open) {
  return open == '{' ? '}' : open == '<' ? '>' : open == '[' ? ']' : 0;
}

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

// Whether a '-' may be apart from its number. Only libprotobuf accepts this,
// not Python, so the number must have a form that libprotobuf accepts.
bool MayStandApart(const Field& field, char sign, std::string_view digits) {
  return sign == '-' && RangeOf(field.type()).negative > 0 &&
         IsPlainWhole(digits);
}

// A parser reads one text of a Schema.
class TextParser {
 public:
  explicit TextParser(std::string_view text) : text_(text), tokens_(text) {}

  Result<ParsedMessage> Parse();

 private:
  // A scope is a message in the text.
  struct Scope {
    const MessageTable* type;
    ParsedMessage* message;  // null: nothing of it is kept
    int depth;               // messages around it
    Token open = {};  // the message's bracket; the outermost one has none
    // Bits of the fields that have occurred, and of the oneofs with a member.
    uint64_t fields = 0;
    uint32_t oneofs = 0;

    bool Keeps(const Field& field) const {
      return message != nullptr && field.is_kept();
    }
  };

  // These return false after an error, which is in error_.
  bool ParseFields(Scope* scope);
  bool ParseField(Scope* scope);
  bool CheckTwice(const Field& field, Scope* scope);
  bool ParseList(const Field& field, const Scope& scope);
  bool ParseValue(const Field& field, const Scope& scope);
  bool ParseMessage(const Field& field, const Scope& scope);
  bool ParseExpandedAny();
  bool SkipBody();

  bool ParseScalar(const Field& field, const Scope& scope);
  bool ParseBool(const Field& field, uint64_t* value);
  bool ParseInteger(const Field& field, uint64_t* value);
  bool ParseFloating(const Field& field, double* value);
  bool ParseEnum(const Field& field, uint64_t* value);
  // `value` may be null.
  bool ParseString(const Field& field, std::string* value);
  // A number or, if the field's type is not a whole number, a name.
  struct Number {
    char sign = 0;
    std::string_view digits = {};  // or letters
    std::string_view text = {};    // sign and digits
  };
  bool ReadNumber(const Field& field, Number* number);
  // Fails because `field` cannot have this number.
  bool Refuse(const Field& field, const Number& number, ScalarFault fault);

  // Fails at `at`, which is in the text.
  bool Fail(const char* at, const std::string& what);
  // Fails because `what` is expected instead of the current token.
  bool Expected(const std::string& what);
  bool ExpectedValue(const Field& field);
  bool UnknownField(const Scope& scope);
  bool TakeSymbol(char symbol);

  std::string_view text_;
  TextTokenizer tokens_;
  std::string error_;
};

Result<ParsedMessage> TextParser::Parse() {
  ParsedMessage message = {&SchemaMessage()};
  Scope scope = {.type = message.type, .message = &message, .depth = 0};
  if (!ParseFields(&scope)) return Status(ErrorCode::kBadSpec, error_);
  return message;
}

bool TextParser::Fail(const char* at, const std::string& what) {
  error_ = LineAndColumn(text_, static_cast<size_t>(at - text_.data())) + ": " +
           what;
  return false;
}

bool TextParser::Expected(const std::string& what) {
  const Token& token = tokens_.current();
  return Fail(token.text.data(),
              "expected " + what + ", found " +
                  (token.kind == TokenKind::kFault ? tokens_.Fault()
                                                   : DescribeToken(token)));
}

bool TextParser::ExpectedValue(const Field& field) {
  return Expected(Describe(field) + " for " + Quote(field.name));
}

bool TextParser::TakeSymbol(char symbol) {
  if (!tokens_.current().Is(symbol)) return false;
  tokens_.Next();
  return true;
}

bool TextParser::ParseFields(Scope* scope) {
  const bool outermost = scope->open.text.empty();
  const char close = outermost ? '\0' : ClosingOf(scope->open.text[0]);
  for (;;) {
    const Token& token = tokens_.current();
    if (token.kind == TokenKind::kWord) {
      if (!ParseField(scope)) return false;
    } else if (token.Is('[') &&
               scope->type->syntax == MessageTable::Syntax::kExpandable) {
      if (!ParseExpandedAny()) return false;
    } else if (outermost) {
      return token.kind == TokenKind::kEnd || Expected("the name of a field");
    } else if (token.Is(close)) {
      tokens_.Next();
      return true;
    } else {
      const auto opened =
          static_cast<size_t>(scope->open.text.data() - text_.data());
      return Expected("the name of a field or the \"" + std::string(1, close) +
                      "\" of line" + LineAndColumn(text_, opened).substr(4));
    }
  }
}

bool TextParser::UnknownField(const Scope& scope) {
  const std::string_view name = tokens_.current().text;
  if (scope.depth == 0 && IsOfAnomalies(name)) {
    return Fail(name.data(), Quote(name) +
                                 " is a field of Anomalies, which a validation "
                                 "reports; expected a Schema");
  }
  std::vector<std::string_view> names;
  for (const Field& field : scope.type->fields) {
    if (field.number != 0) names.push_back(field.name);
  }
  std::string what = "unknown field " + QuoteText(name) + " of " +
                     std::string(scope.type->name);
  what += names.empty() ? ", which has none"
                        : Suggestion(name, "its fields", names);
  return Fail(name.data(), what);
}

bool TextParser::CheckTwice(const Field& field, Scope* scope) {
  if (field.repeated()) return true;
  const char* const at = tokens_.current().text.data();
  const uint64_t bit = uint64_t{1} << scope->type->IndexOf(field);
  const uint32_t oneof =
      field.in_oneof() ? 1u << static_cast<int>(field.label) : 0;
  if ((scope->fields & bit) != 0 || (scope->oneofs & oneof) != 0) {
    std::string_view other;  // the same field, or another of its oneof
    for (const Field& set : scope->type->fields) {
      if ((set.name == field.name ||
           (field.in_oneof() && set.label == field.label)) &&
          (scope->fields >> scope->type->IndexOf(set) & 1) != 0) {
        other = set.name;
      }
    }
    const std::string one = "one " + std::string(scope->type->name);
    return Fail(at, other == field.name
                        ? "a second " + Quote(field.name) + " in " + one
                        : Quote(field.name) + " and " + Quote(other) + " in " +
                              one + ", which has only one of them");
  }
  scope->fields |= bit;
  scope->oneofs |= oneof;
  return true;
}

bool TextParser::ParseField(Scope* scope) {
  const Field* const field = scope->type->Find(tokens_.current().text);
  if (field == nullptr) return UnknownField(*scope);
  if (!CheckTwice(*field, scope)) return false;
  tokens_.Next();
  if (!TakeSymbol(':') && field->type() != FieldType::kMessage) {
    return Expected("\":\" after " + Quote(field->name));
  }
  const bool ok = tokens_.current().Is('[') ? ParseList(*field, *scope)
                                            : ParseValue(*field, *scope);
  if (!ok) return false;
  if (!TakeSymbol(',')) TakeSymbol(';');
  return true;
}

bool TextParser::ParseList(const Field& field, const Scope& scope) {
  if (!field.repeated()) {
    return Expected(Describe(field) + " for " + Quote(field.name) +
                    ", which is not repeated");
  }
  tokens_.Next();
  if (TakeSymbol(']')) return true;
  for (;;) {
    if (!ParseValue(field, scope)) return false;
    if (TakeSymbol(']')) return true;
    if (!TakeSymbol(',')) {
      return Expected("\",\" or \"]\" in the list of " + Quote(field.name));
    }
  }
}

bool TextParser::ParseValue(const Field& field, const Scope& scope) {
  return field.type() == FieldType::kMessage ? ParseMessage(field, scope)
                                             : ParseScalar(field, scope);
}

bool TextParser::ParseMessage(const Field& field, const Scope& scope) {
  const MessageTable& type = field.message();
  const Token open = tokens_.current();
  if (!open.Is('{') && !open.Is('<')) return ExpectedValue(field);
  if (type.syntax == MessageTable::Syntax::kOpaque) return SkipBody();
  if (scope.depth == wire::kMaxDepth) {
    return Fail(open.text.data(), "more than " +
                                      std::to_string(wire::kMaxDepth) +
                                      " messages inside one another");
  }
  tokens_.Next();
  Scope inner = {.type = &type,
                 .message = scope.Keeps(field)
                                ? scope.message->MakeMessage(field)
                                : nullptr,
                 .depth = scope.depth + 1,
                 .open = open};
  return ParseFields(&inner);
}

// Parses [type.googleapis.com/package.Type] { ... }, of any type.
bool TextParser::ParseExpandedAny() {
  static constexpr std::string_view kUrl = "-.~!$&()*+,;=%/";
  tokens_.Next();
  bool prefix = false, slash = false, name = false;
  for (; !tokens_.current().Is(']'); tokens_.Next()) {
    const Token& token = tokens_.current();
    const bool url = token.kind == TokenKind::kWord ||
                     token.kind == TokenKind::kNumber ||
                     (token.kind == TokenKind::kSymbol &&
                      kUrl.find(token.text[0]) != kUrl.npos);
    if (!url) return Expected("the \"]\" of a type URL");
    slash |= prefix && token.Is('/');
    name = token.kind == TokenKind::kWord;
    prefix = true;
  }
  if (!slash || !name) {
    return Expected("a type URL like \"type.googleapis.com/package.Type\"");
  }
  tokens_.Next();
  TakeSymbol(':');
  const Token& open = tokens_.current();
  if (!open.Is('{') && !open.Is('<')) return Expected("\"{\" or \"<\"");
  return SkipBody();
}

// Skips a body without recursion, since its depth is not limited.
bool TextParser::SkipBody() {
  std::string closing;  // of the brackets that are open
  do {
    const Token& token = tokens_.current();
    const char symbol = token.kind == TokenKind::kSymbol ? token.text[0] : '\0';
    if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kFault) {
      return Expected("\"" + closing.substr(closing.size() - 1) + "\"");
    }
    if (ClosingOf(symbol) != 0) {
      closing += ClosingOf(symbol);
    } else if (symbol == closing.back()) {
      closing.pop_back();
    } else if (symbol == '}' || symbol == '>' || symbol == ']') {
      return Expected("\"" + closing.substr(closing.size() - 1) + "\"");
    }
    tokens_.Next();
  } while (!closing.empty());
  return true;
}

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
  const Range range = RangeOf(field.type());
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
  ParsedMessage* const keep = scope.Keeps(field) ? scope.message : nullptr;
  switch (field.type()) {
    case FieldType::kString:
    case FieldType::kBytes: {
      std::string value;
      if (!ParseString(field, keep != nullptr ? &value : nullptr)) return false;
      if (keep != nullptr) keep->Set(field, std::move(value));
      return true;
    }
    case FieldType::kFloat:
    case FieldType::kDouble: {
      double value;
      if (!ParseFloating(field, &value)) return false;
      if (keep != nullptr) keep->Set(field, value);
      return true;
    }
    default: {
      uint64_t value;
      const bool ok =
          field.type() == FieldType::kBool   ? ParseBool(field, &value)
          : field.type() == FieldType::kEnum ? ParseEnum(field, &value)
                                             : ParseInteger(field, &value);
      if (ok && keep != nullptr) keep->Set(field, value);
      return ok;
    }
  }
}

}  // namespace

Result<ParsedMessage> ParseText(std::string_view text) {
  return TextParser(text).Parse();
}

}  // namespace headrace::tfmd_forms
