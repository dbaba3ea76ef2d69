// Messages show names from the input like this.

#ifndef HEADRACE_SRC_BASE_TEXT_QUOTE_H_
#define HEADRACE_SRC_BASE_TEXT_QUOTE_H_

#include <string>
#include <string_view>

namespace headrace {

// Adds double quotes, replaces bytes that a terminal acts on by \xNN, and
// shortens long names. `name` is UTF-8.
std::string Quote(std::string_view name);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_QUOTE_H_
