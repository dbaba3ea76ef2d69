#include "src/plan/tfmd/text_tokenizer.h"

#include <array>
#include <cstdio>
#include <cstring>

#include "src/base/text/quote.h"
#include "wire/utf8.h"

namespace headrace::tfmd_forms {
namespace {

// <cctype> depends on the locale.
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsWord(char c) { return IsWordStart(c) || IsDigit(c); }
bool IsNumber(char c) { return IsWord(c) || c == '.' || c == '+' || c == '-'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsPrintable(char c) { return c > ' ' && c < '\x7f'; }

// The maximum size in bytes of a token in an error message.
constexpr size_t kLongestToken = 60;

}  // namespace

TextTokenizer::TextTokenizer(std::string_view text)
    : p_(text.data()), end_(text.data() + text.size()) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) p_ += kByteOrderMark.size();
  Next();
}

void TextTokenizer::Next() {
  SkipSpace();
  const char* const begin = p_;
  current_.kind = Take();
  current_.text = {begin, static_cast<size_t>(p_ - begin)};
}

void TextTokenizer::SkipSpace() {
  for (; p_ != end_; ++p_) {
    if (*p_ == '#') {
      // A comment may have any byte up to the end of its line.
      const void* line_end =
          std::memchr(p_, '\n', static_cast<size_t>(end_ - p_));
      p_ = line_end == nullptr ? end_ : static_cast<const char*>(line_end);
      if (p_ == end_) return;
    } else if (!IsSpace(*p_)) {
      return;
    }
  }
}

template <class Predicate>
void TextTokenizer::TakeWhile(Predicate&& predicate) {
  while (p_ != end_ && predicate(*p_)) ++p_;
}

TokenKind TextTokenizer::Take() {
  if (p_ == end_) return TokenKind::kEnd;
  if (IsWordStart(*p_)) {
    TakeWhile(IsWord);
    return TokenKind::kWord;
  }
  if (IsDigit(*p_) || (*p_ == '.' && end_ - p_ > 1 && IsDigit(p_[1]))) {
    TakeWhile(IsNumber);
    return TokenKind::kNumber;
  }
  if (*p_ == '"' || *p_ == '\'') return TakeString();
  return IsPrintable(*p_++) ? TokenKind::kSymbol : TokenKind::kFault;
}

TokenKind TextTokenizer::TakeString() {
  const char quote = *p_++;
  for (;;) {
    TakeWhile([quote](char c) { return c != quote && c != '\\' && c != '\n'; });
    if (p_ == end_ || *p_ == '\n') return TokenKind::kFault;
    if (*p_++ == quote) return TokenKind::kString;
    // A quote after a backslash does not end the string.
    if (p_ == end_ || *p_ == '\n') return TokenKind::kFault;
    ++p_;
  }
}

std::string TextTokenizer::Fault() const {
  const char first = current_.text[0];
  if (first == '"' || first == '\'') {
    return "a string that does not end on its line";
  }
  std::array<char, 40> text;
  const auto byte = static_cast<unsigned>(static_cast<unsigned char>(first));
  std::snprintf(text.data(), text.size(), "the byte 0x%02x outside of a string",
                byte);
  return text.data();
}

std::string QuoteText(std::string_view text) {
  std::string shown(text.substr(0, kLongestToken));
  if (shown.size() < text.size()) shown += "...";
  // The cut may be inside a character.
  if (!wire::IsUtf8(shown)) {
    for (char& c : shown) {
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    }
  }
  return Quote(shown);
}

}  // namespace headrace::tfmd_forms
