#include "fuzz/text_input.h"

#include <cctype>
#include <utility>
#include <vector>

namespace headrace::fuzzing {
namespace {

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '.' || c == '-' || (c & 0x80) != 0;
}

// Words are whole tokens, all else is taken byte by byte.
std::vector<std::string> Tokens(std::string_view text) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    size_t size = 0;
    while (size < text.size() && IsWord(text[size])) ++size;
    size = size == 0 ? 1 : size;
    tokens.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return tokens;
}

const std::vector<std::string>& Extremes() {
  static const auto* const words =
      new std::vector<std::string>{"0",
                                   "-1",
                                   "1",
                                   "2147483648",
                                   "4294967296",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "18446744073709551616",
                                   "1e400",
                                   "-0.0",
                                   "nan",
                                   "true",
                                   "null",
                                   "3037000500",
                                   "\"",
                                   "\\u0000",
                                   "\xff",
                                   "[",
                                   "{",
                                   "}"};
  return *words;
}

void ChangeToken(std::vector<std::string>* tokens, Random* random) {
  std::string& token = (*tokens)[random->Below(tokens->size())];
  switch (random->Below(7)) {
    case 0:
      token.clear();
      break;
    case 1:
      token += token;
      break;
    case 2:
      std::swap(token, (*tokens)[random->Below(tokens->size())]);
      break;
    case 3:
      token = (*tokens)[random->Below(tokens->size())];
      break;
    case 4:
      token = random->Pick(Extremes());
      break;
    case 5:
      token.insert(random->Below(token.size() + 1), random->Bytes(1));
      break;
    default:
      token = std::to_string(random->Int64());
  }
}

// A stretch of the text is repeated or dropped.
void ChangeStretch(std::vector<std::string>* tokens, Random* random) {
  const size_t begin = random->Below(tokens->size());
  const size_t end = begin + random->Below(tokens->size() - begin);
  const auto from = tokens->begin() + static_cast<ptrdiff_t>(begin);
  const auto to = tokens->begin() + static_cast<ptrdiff_t>(end);
  if (random->OneIn(2)) {
    tokens->erase(from, to);
    return;
  }
  const std::vector<std::string> stretch(from, to);
  tokens->insert(to, stretch.begin(), stretch.end());
}

}  // namespace

std::string ChangeText(std::string_view input, Random* random) {
  std::vector<std::string> tokens = Tokens(input);
  for (size_t changes = 1 + random->Below(3); changes > 0; --changes) {
    if (tokens.empty()) break;
    if (random->OneIn(5)) {
      ChangeStretch(&tokens, random);
    } else {
      ChangeToken(&tokens, random);
    }
  }
  std::string text;
  for (const std::string& token : tokens) text += token;
  return text;
}

}  // namespace headrace::fuzzing
