// Text on a terminal: measures its width, and makes it fit.

#ifndef HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "src/base/text/display_text.h"
#include "src/base/text/numbers.h"

namespace headrace::cli {

// Returns the columns that Printable text has on a terminal: 2 per East Asian
// wide character and emoji, 0 per combining mark. This is an approximation;
// fonts differ.
size_t DisplayWidth(std::string_view text);

// Returns at most `width` columns of Printable text. The last is an ellipsis
// where something was cut, which is never inside a character.
std::string Shortened(std::string_view text, size_t width);

// Adds blanks after `text` or, if `right`, before it, up to `width` columns.
std::string Padded(std::string_view text, size_t width, bool right);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
