// Makes names and values of the input, which may be any bytes, readable for
// people. The result must not send control codes to a terminal or pass for some
// other text.

#ifndef HEADRACE_SRC_BASE_TEXT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_BASE_TEXT_DISPLAY_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headrace {

// Unicode code points from `first` to `last`, both included.
struct CodeRange {
  uint32_t first;
  uint32_t last;
};

// Returns whether a range has the code point. The ranges ascend and are
// disjoint.
bool IsInRanges(uint32_t code_point, std::span<const CodeRange> ranges);

// Returns whether a Unicode character leaves ink or is the space U+0020. False
// for controls, direction marks and overrides, joiners, variation selectors and
// all others that Unicode says to ignore in displays; for other spaces and
// separators; for blank letters and symbols (U+3164, U+2800); and for code
// points without a standard character (surrogates, private use, noncharacters,
// beyond U+10FFFF).
bool IsVisible(uint32_t code_point);

struct Character {
  uint32_t code = 0;
  size_t size = 1;        // in bytes
  bool is_valid = false;  // false: `code` is a stray byte
};

// Returns the first character of the text, which must not be empty.
Character FirstCharacter(std::string_view text);

// Escapes invisible characters and stray bytes: \n, \x1b,
// \u202e. Backslashes stay as they are, so the function is idempotent.
std::string Printable(std::string_view text);

// Returns the same text, cut to about `most` bytes, with "…" for the rest.
// `size` is the size of the whole value, of which `bytes` may be the beginning.
std::string Printable(std::string_view bytes, uint64_t size, size_t most);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_DISPLAY_TEXT_H_
