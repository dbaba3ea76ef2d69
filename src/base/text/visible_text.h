// Which characters people see, for programs that show names and values of
// files, where two that look alike may differ. Print an escape for an invisible
// character, as headrace's own displays do.
//
// Never fails; thread-safe.

#ifndef HEADRACE_SRC_BASE_TEXT_VISIBLE_TEXT_H_
#define HEADRACE_SRC_BASE_TEXT_VISIBLE_TEXT_H_

#include <cstdint>

namespace headrace {

// Returns whether a Unicode character leaves ink or is the space U+0020. False
// for controls, direction marks and overrides, joiners, variation selectors and
// all others that Unicode says to ignore in displays; for other spaces and
// separators; for blank letters and symbols (U+3164, U+2800); and for code
// points without a character that all know (surrogates, private use,
// noncharacters, beyond U+10FFFF).
bool IsVisible(uint32_t code_point);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_VISIBLE_TEXT_H_
