// Lists of short texts are written as one.

#ifndef HEADRACE_TESTS_SUPPORT_WORDS_H_
#define HEADRACE_TESTS_SUPPORT_WORDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::testing {

// Split("a|b c|", '|') is {"a", "b c", ""}.
inline std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t end; (end = text.find(separator)) != text.npos;) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_WORDS_H_
