// Names from the input, as they may appear in messages.

#ifndef HEADRACE_SRC_BASE_QUOTE_H_
#define HEADRACE_SRC_BASE_QUOTE_H_

#include <string>
#include <string_view>

namespace headrace {

// In double quotes, without bytes that a terminal acts on (they become \xNN),
// and shortened when it is very long. `name` is UTF-8.
std::string Quote(std::string_view name);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_QUOTE_H_
