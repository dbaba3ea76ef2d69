// These inputs are text in some language.

#ifndef HEADRACE_FUZZ_TEXT_INPUT_H_
#define HEADRACE_FUZZ_TEXT_INPUT_H_

#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "headrace/fuzzing.h"

namespace headrace::fuzzing {

// Drops, doubles or exchanges words, numbers and signs of the text, or makes
// them extreme: most results are still text of the language.
inline std::string ChangeText(std::string_view input, Random* random) {
  Choice choice(random->Bits());
  return TextMutator::Mutate(input, &choice);
}

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_TEXT_INPUT_H_
