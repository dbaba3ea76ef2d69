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
  kWord,    // letters, digits and '_', no digit first
  kNumber,  // begins like one and goes on to what no number has: "1.5f",
            // "08", "1x"
  kString,  // one literal, with its quotes; escapes are not checked
  kSymbol,  // any other character
  kFault,   // a byte that no token has, or a string without end
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text = {};

  bool Is(char symbol) const {
    return kind == TokenKind::kSymbol && text[0] == symbol;
  }
  const char* end() const { return text.data() + text.size(); }
};

// Where libprotobuf and Python's parser cut tokens differently, these are the
// longer ones: a '+' or '-' within a number is part of it, but a sign in front
// of it is a symbol.
class TextTokenizer {
 public:
  // Skips a byte order mark, which Windows' editors write.
  explicit TextTokenizer(std::string_view text);

  const Token& current() const { return current_; }
  void Next();

  // The current token must be a kFault.
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

// It is like "line 3, column 14", both from 1.
std::string Place(std::string_view text, size_t offset);

// Messages show pieces of text like this: shortened, and as UTF-8.
std::string QuoteText(std::string_view text);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_TEXT_TOKENIZER_H_
