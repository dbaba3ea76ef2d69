// TextTokenizer cuts protobuf's text format into tokens.

#ifndef HEADRACE_SRC_PLAN_TFMD_TEXT_TOKENIZER_H_
#define HEADRACE_SRC_PLAN_TFMD_TEXT_TOKENIZER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::tfmd_forms {

enum class TokenKind : uint8_t {
  kEnd,     // of the text
  kWord,    // letters, digits and '_', not a digit first
  kNumber,  // begins like a number, and ends where no number can go on:
            // "1.5f", "08", "1x"
  kString,  // one literal, with its quotes; escapes are not checked
  kSymbol,  // any other character
  kFault,   // a byte that is in no token, or a string without end
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text = {};

  bool Is(char symbol) const {
    return kind == TokenKind::kSymbol && text[0] == symbol;
  }
  const char* end() const { return text.data() + text.size(); }
};

// Where libprotobuf and Python's parser disagree, TextTokenizer makes the
// longer token: a '+' or '-' within a number is part of the number, but a sign
// before it is a symbol.
class TextTokenizer {
 public:
  // Skips a byte order mark, which editors on Windows write.
  explicit TextTokenizer(std::string_view text);

  const Token& current() const { return current_; }
  void Next();

  // Says what is wrong with the current token, which must be a kFault.
  std::string Fault() const;

 private:
  void SkipSpace();
  TokenKind Take();
  template <class Predicate>
  void TakeWhile(Predicate&& predicate);
  TokenKind TakeString();

  const char* p_;
  const char* end_;
  Token current_;
};

// Quotes a piece of text for a message: shortened, and as UTF-8.
std::string QuoteText(std::string_view text);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_TEXT_TOKENIZER_H_
