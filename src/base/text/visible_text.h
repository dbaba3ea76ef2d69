// Which characters people see: for programs that show names and values of
// files, where two that look alike may differ. Print an escape for what cannot
// be seen, as headrace's own displays do.
//
// Nothing here fails. Any number of threads may call.

#ifndef HEADRACE_SRC_BASE_TEXT_VISIBLE_TEXT_H_
#define HEADRACE_SRC_BASE_TEXT_VISIBLE_TEXT_H_

#include <cstdint>

namespace headrace {

// Returns whether a character of Unicode leaves ink of its own or is the space
// U+0020. False for controls, marks and overrides of direction, joiners,
// variation selectors and all others that Unicode says to ignore in displays;
// for other spaces and separators, letters and symbols that are blank (U+3164,
// U+2800), and code points that stand for no character that all know
// (surrogates, private use, noncharacters, beyond U+10FFFF).
bool IsVisible(uint32_t code_point);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_TEXT_VISIBLE_TEXT_H_
