// Quotes names from the input, for messages.

#ifndef HEADRACE_SRC_BASE_TEXT_QUOTE_H_
#define HEADRACE_SRC_BASE_TEXT_QUOTE_H_

#include <string>
#include <string_view>

namespace headrace {

// Adds double quotes, with backslashes before quotes and backslashes; escapes
// invisible characters as Printable does (display_text.h); shortens long names.
std::string Quote(std::string_view name);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_QUOTE_H_
