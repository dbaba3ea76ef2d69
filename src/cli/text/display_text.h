// Text on a terminal: how wide it is, and how it is made to fit.

#ifndef HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "src/base/text/display_text.h"
#include "src/base/text/numbers.h"

namespace headrace::cli {

// A terminal gives Printable text so many columns: 2 per East Asian wide
// character and emoji, 0 per combining mark. This is an approximation; fonts
// differ.
size_t DisplayWidth(std::string_view text);

// Gives at most `width` columns of Printable text, the last an ellipsis where
// something was cut, which is never inside a character.
std::string Shortened(std::string_view text, size_t width);

// Blanks follow or precede `text`, up to `width` columns.
std::string Padded(std::string_view text, size_t width, bool right);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
