// Inputs that are text in some language.

#ifndef HEADRACE_FUZZ_TEXT_INPUT_H_
#define HEADRACE_FUZZ_TEXT_INPUT_H_

#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"

namespace headrace::fuzzing {

// Words, numbers and signs taken out, doubled, exchanged with others of the
// text, or made extreme: most results are still text of the language.
std::string ChangeText(std::string_view input, Random* random);

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_TEXT_INPUT_H_
