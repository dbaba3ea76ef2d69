// What comes from a file must not drive the terminal of people who read it.

#ifndef HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::cli {

// Escapes what is not visible (base/text/visible_text.h) and stray bytes (\n,
// \x1b, \u202e). Idempotent except for the backslash itself, which stays.
std::string Printable(std::string_view text);

// A terminal gives Printable text so many columns: 2 per East Asian wide
// character and emoji, 0 per combining mark. This is an approximation; fonts
// differ.
size_t DisplayWidth(std::string_view text);

// Gives at most `width` columns of Printable text, the last an ellipsis where
// something was cut, which is never inside a character.
std::string Shortened(std::string_view text, size_t width);

// Blanks follow or precede `text`, up to `width` columns.
std::string Padded(std::string_view text, size_t width, bool right);

// The text is like "912 B", "1.5 KiB" or "3.2 GiB".
std::string ByteSize(uint64_t bytes);

// The number is rounded to so many digits behind the point: "0.50".
std::string Decimal(double number, int digits);

// 1234567 becomes "1,234,567".
std::string Grouped(uint64_t number);

// The text is like "1 record", "2 records" or "1,000 records".
std::string Counted(uint64_t number, std::string_view singular);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
