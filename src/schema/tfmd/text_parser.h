// Protobuf's text format to a message of message_table.h. Accepts what either
// of the parsers in use accepts, libprotobuf's and Python's.

#ifndef HEADRACE_SRC_SCHEMA_TFMD_TEXT_PARSER_H_
#define HEADRACE_SRC_SCHEMA_TFMD_TEXT_PARSER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "src/schema/tfmd/message_table.h"
#include "src/schema/tfmd/parsed_message.h"
#include "src/schema/tfmd/text_scalar.h"
#include "src/schema/tfmd/text_tokenizer.h"

namespace headrace::tfmd_forms {

// Of a Schema. For one text.
class TextParser {
 public:
  explicit TextParser(std::string_view text) : text_(text), tokens_(text) {}

  Result<ParsedMessage> Parse();

 private:
  // Where a message is in the text.
  struct Scope {
    const MessageTable* type;
    ParsedMessage* message;  // null where nothing of it is kept
    int depth;               // messages around it
    Token open = {};         // its bracket; nothing for the outermost message
    // Fields that were there and oneofs that have a member, as bits.
    uint64_t fields = 0;
    uint32_t oneofs = 0;

    bool Keeps(const Field& field) const {
      return message != nullptr && type->IndexOf(field) < type->num_kept;
    }
  };

  // All return false after an error, which is in error_.
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
  // A number or, where `field` is no whole number, a name; with its sign.
  struct Number {
    char sign = 0;
    std::string_view digits = {};  // or letters
    std::string_view text = {};    // all of it
  };
  bool ReadNumber(const Field& field, Number* number);
  // That a number is none that `field` can have.
  bool Refuse(const Field& field, const Number& number, ScalarFault fault);

  // At a byte of the text.
  bool Fail(const char* at, const std::string& what);
  // At the current token, which is something else.
  bool Expected(const std::string& what);
  bool ExpectedValue(const Field& field);
  bool UnknownField(const Scope& scope);
  bool TakeSymbol(char symbol);

  std::string_view text_;
  TextTokenizer tokens_;
  std::string error_;
};

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_SCHEMA_TFMD_TEXT_PARSER_H_
