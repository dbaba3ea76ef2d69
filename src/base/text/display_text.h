// Names and values of the input, which may be any bytes, as people read them:
// they must not drive a terminal, nor look like something else.

#ifndef HEADRACE_SRC_BASE_TEXT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_BASE_TEXT_DISPLAY_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace {

struct Character {
  uint32_t code = 0;
  size_t size = 1;        // in bytes
  bool is_valid = false;  // false: `code` is a stray byte
};

// Returns what the text begins with, which must not be empty.
Character FirstCharacter(std::string_view text);

// Escapes what is not visible (visible_text.h) and stray bytes (\n, \x1b,
// \u202e). Idempotent except for the backslash itself, which stays.
std::string Printable(std::string_view text);

// Returns about at most `most` bytes of that; "…" stands for what is left out.
// `size` is that of the whole value, of which `bytes` may be the beginning.
std::string Printable(std::string_view bytes, uint64_t size, size_t most);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_DISPLAY_TEXT_H_
