// Messages show names from the input like this.

#ifndef HEADRACE_SRC_BASE_TEXT_QUOTE_H_
#define HEADRACE_SRC_BASE_TEXT_QUOTE_H_

#include <string>
#include <string_view>

namespace headrace {

// Adds double quotes, with backslashes before quotes and backslashes, escapes
// what is not visible, as Printable does (display_text.h), and shortens.
std::string Quote(std::string_view name);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_QUOTE_H_
