// Joins and splits lists of words.

#ifndef HEADRACE_SRC_CLI_TEXT_WORDS_H_
#define HEADRACE_SRC_CLI_TEXT_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

namespace headrace::cli {

std::string Joined(const std::vector<std::string>& words,
                   std::string_view separator);

// Leaves out empty words.
std::vector<std::string> Split(std::string_view text, char separator);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_WORDS_H_
