// Golden files and failure messages write bytes as hex digits.

#ifndef HEADRACE_TESTS_SUPPORT_HEX_H_
#define HEADRACE_TESTS_SUPPORT_HEX_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headrace::testing {

// Each byte has two digits, in lower case.
std::string ToHex(std::string_view bytes);

// Messages show records like this; very long ones are left out.
std::string HexOf(std::span<const std::string_view> records);

// Empty for text that is not hex. Spaces are allowed, so that tests can show
// where fields begin.
std::optional<std::string> ParseHex(std::string_view text);

// Bad hex in a literal gives a string that no test expects.
std::string Hex(std::string_view text);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_HEX_H_
