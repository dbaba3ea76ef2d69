#include "src/plan/tfmd/text_parser.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/plan/tfmd/text_scalar.h"
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

}  // namespace

Result<ParsedMessage> TextParser::Parse() {
  ParsedMessage message;
  Scope scope = {.type = &SchemaMessage(), .message = &message, .depth = 0};
  if (!ParseFields(&scope)) return Status(ErrorCode::kBadSpec, error_);
  return message;
}

bool TextParser::Fail(const char* at, const std::string& what) {
  error_ = Place(text_, static_cast<size_t>(at - text_.data())) + ": " + what;
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
                      "\" of line" + Place(text_, opened).substr(4));
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
  if (!TakeSymbol(':') && field->type != FieldType::kMessage) {
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
  return field.type == FieldType::kMessage ? ParseMessage(field, scope)
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
                                ? scope.message->MakeMessage(*scope.type, field)
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

}  // namespace headrace::tfmd_forms
