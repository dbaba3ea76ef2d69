// Fails every allocation of some calls in turn.

#ifndef HEADRACE_TESTS_OUT_OF_MEMORY_EVERY_ALLOCATION_H_
#define HEADRACE_TESTS_OUT_OF_MEMORY_EVERY_ALLOCATION_H_

#include <functional>
#include <string>
#include <vector>

#include "headrace/status.h"
#include "tests/process/failing_allocator.h"

namespace headrace::testing {

// What some calls came to.
struct Outcome {
  Status status;
  // What was given before the end: rows, say.
  std::vector<std::string> parts = {};
  // What else there is to know once all has been given.
  std::string rest = {};
};

// Makes its calls in FailingAllocator::During, and looks at what they gave
// outside of it.
using Attempt = std::function<Outcome(FailingAllocator* allocator)>;

// Runs the attempt with allocation 0 failing, then with 1, until none fails,
// and again so that all that come after the one fail, too. Each time it must
// come to what it comes to when none fails; or to kOutOfMemory, after the first
// of the parts. What it took it must have given back (checked where `whose` is
// this thread and malloc is replaced).
void FailEveryAllocation(Whose whose, const Attempt& attempt);

// For calls that return plain values: std::bad_alloc becomes kOutOfMemory.
template <class Calls>
Outcome TextOf(FailingAllocator* allocator, Calls&& calls) {
  Outcome outcome;
  try {
    outcome.rest = allocator->During(calls);
  } catch (const std::bad_alloc&) {
    outcome.status = Status::OutOfMemory();
  }
  return outcome;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_OUT_OF_MEMORY_EVERY_ALLOCATION_H_
