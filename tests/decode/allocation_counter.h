// Counts what this program allocates: linking the .cc replaces operator new and
// aligned_alloc.

#ifndef HEADRACE_TESTS_DECODE_ALLOCATION_COUNTER_H_
#define HEADRACE_TESTS_DECODE_ALLOCATION_COUNTER_H_

#include <cstddef>

namespace headrace::testing {

// Calls of these by any thread since the program began.
size_t AllocationCount();

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_DECODE_ALLOCATION_COUNTER_H_
