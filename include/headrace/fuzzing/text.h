// Mutates, word by word, text in formats with a simple grammar, such as JSON
// and protobuf's text format.

#ifndef HEADRACE_FUZZING_TEXT_H_
#define HEADRACE_FUZZING_TEXT_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/fuzzing/random.h"

namespace headrace::fuzzing {

class TextMutator {
 public:
  // Returns the text with one to three changes.
  static std::string Mutate(std::string_view text, Choice* choice) {
    TextMutator mutator(text, choice);
    for (size_t i = 1 + choice->Below(3); i > 0; --i) mutator.Change();
    std::string changed;
    for (const std::string& word : mutator.words_) changed += word;
    return changed;
  }

 private:
  // Keeps words whole, and splits all else into bytes.
  TextMutator(std::string_view text, Choice* choice) : choice_(*choice) {
    while (!text.empty()) {
      size_t size = 0;
      while (size < text.size() && IsOfWord(text[size])) ++size;
      size = size == 0 ? 1 : size;
      words_.emplace_back(text.substr(0, size));
      text.remove_prefix(size);
    }
  }

  static bool IsOfWord(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-' ||
           (c & 0x80) != 0;
  }

  std::string& Any() { return words_[choice_.Below(words_.size())]; }

  void Change() {
    if (words_.empty()) return;
    if (choice_.OneIn(5)) return ChangeStretch();
    static constexpr std::string_view kExtremes[] = {"0",
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
    std::string& word = Any();
    switch (choice_.Below(7)) {
      case 0:
        word.clear();
        break;
      case 1:
        word += std::string(word);
        break;
      case 2:
        std::swap(word, Any());
        break;
      case 3:
        word = std::string(Any());
        break;
      case 4:
        word = kExtremes[choice_.Below(std::size(kExtremes))];
        break;
      case 5:
        word.insert(choice_.Below(word.size() + 1), choice_.Bytes(1));
        break;
      default:
        word = std::to_string(static_cast<int64_t>(choice_.Integer()));
    }
  }

  // Repeats or drops a stretch of the text.
  void ChangeStretch() {
    const size_t begin = choice_.Below(words_.size());
    const size_t end = begin + choice_.Below(words_.size() - begin);
    const auto from = words_.begin() + static_cast<ptrdiff_t>(begin);
    const auto to = words_.begin() + static_cast<ptrdiff_t>(end);
    if (choice_.OneIn(2)) {
      words_.erase(from, to);
      return;
    }
    const std::vector<std::string> stretch(from, to);
    words_.insert(to, stretch.begin(), stretch.end());
  }

  Choice& choice_;
  std::vector<std::string> words_;
};

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZING_TEXT_H_
