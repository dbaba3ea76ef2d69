// Included before everything else by a build with generated mutants: which of
// them is active. See generated.py.

#ifndef HEADRACE_TESTS_MUTANTS_MUTANT_SWITCH_H_
#define HEADRACE_TESTS_MUTANTS_MUTANT_SWITCH_H_

#include <type_traits>

namespace headrace::mutants {

extern int active;                       // none is -1
extern volatile unsigned char* reached;  // one byte a mutant: its place was run

[[gnu::always_inline]] inline bool IsActive(int number) {
  reached[number] = 1;
  return active == number;
}

}  // namespace headrace::mutants

// What the compiler computes is as ever: types depend on it.
[[gnu::always_inline]] constexpr bool headrace_mutant(int number) {
  return !std::is_constant_evaluated() && headrace::mutants::IsActive(number);
}

#endif  // HEADRACE_TESTS_MUTANTS_MUTANT_SWITCH_H_
