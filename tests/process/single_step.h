// Runs a function one instruction of the processor at a time: what another
// thread might do between any two of them can be done there, each time at the
// same place.

#ifndef HEADRACE_TESTS_PROCESS_SINGLE_STEP_H_
#define HEADRACE_TESTS_PROCESS_SINGLE_STEP_H_

#include <functional>

namespace headrace::testing {

// False where the processor has no such mode, or a sanitizer wants every signal
// for itself.
bool CanSingleStep();

// Calls `between(argument)` before each instruction of `body`, on the thread of
// the caller, from a signal handler: it must neither allocate nor lock. Once it
// returns false, the rest of `body` runs as ever. One at a time; costs some
// microseconds an instruction.
void SingleStep(bool (*between)(void*), void* argument,
                const std::function<void()>& body);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_PROCESS_SINGLE_STEP_H_
