// Text for people: what comes from a file must not drive their terminal.

#ifndef HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::cli {

// UTF-8 in which control characters, bidirectional overrides and stray bytes
// are escapes (\n, \x1b, \u202e). Idempotent but for the backslash itself,
// which is left alone.
std::string Printable(std::string_view text);

// Columns a terminal gives to Printable text: 2 for East Asian wide characters
// and emoji, 0 for combining marks. An approximation; fonts differ.
size_t DisplayWidth(std::string_view text);

// At most `width` columns of Printable text, the last an ellipsis where
// something was cut. Nothing is cut inside a character.
std::string Shortened(std::string_view text, size_t width);

// `text` followed, or preceded, by blanks up to `width` columns.
std::string Padded(std::string_view text, size_t width, bool right);

// "912 B", "1.5 KiB", "3.2 GiB".
std::string ByteSize(uint64_t bytes);

// With so many digits behind the point, rounded: "0.50".
std::string Decimal(double number, int digits);

// 1234567 -> "1,234,567".
std::string Grouped(uint64_t number);

// "1 record", "2 records", "1,000 records".
std::string Counted(uint64_t number, std::string_view singular);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
