// Quotes names from the input, for messages.

#ifndef HEADRACE_SRC_BASE_TEXT_QUOTE_H_
#define HEADRACE_SRC_BASE_TEXT_QUOTE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace headrace {

// Adds double quotes, with backslashes before quotes and backslashes; escapes
// invisible characters as Printable does (display_text.h); shortens long names.
std::string Quote(std::string_view name);

// Returns a text like "line 3, column 14": where byte `offset` of `text` is, or
// the end of the text. Both count from 1, columns in bytes.
std::string LineAndColumn(std::string_view text, size_t offset);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_QUOTE_H_
