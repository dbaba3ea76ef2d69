// TextParser makes a message of message_table.h from protobuf's text format. It
// accepts every text that libprotobuf's parser or Python's accepts.

#ifndef HEADRACE_SRC_PLAN_TFMD_TEXT_PARSER_H_
#define HEADRACE_SRC_PLAN_TFMD_TEXT_PARSER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "src/plan/tfmd/message_table.h"
#include "src/plan/tfmd/parsed_message.h"
#include "src/plan/tfmd/text_scalar.h"
#include "src/plan/tfmd/text_tokenizer.h"

namespace headrace::tfmd_forms {

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
      return message != nullptr && type->IndexOf(field) < type->num_kept;
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
  // A number or, if the field is not a whole number, a name.
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

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_TEXT_PARSER_H_
