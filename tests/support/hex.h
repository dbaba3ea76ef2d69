// Hex digits, as golden files and failure messages write bytes.

#ifndef HEADRACE_TESTS_SUPPORT_HEX_H_
#define HEADRACE_TESTS_SUPPORT_HEX_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headrace::testing {

// Lower case, two digits a byte.
std::string ToHex(std::string_view bytes);

// Of several records, for a message; very long ones are left out.
std::string HexOf(std::span<const std::string_view> records);

// The inverse; empty for text that is not hex. Spaces are allowed, so that
// tests can show where fields begin.
std::optional<std::string> ParseHex(std::string_view text);

// For literals in tests: bad hex gives a string that no test expects.
std::string Hex(std::string_view text);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_HEX_H_
