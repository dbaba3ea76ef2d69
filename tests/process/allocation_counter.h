// Counts what this program allocates: linking the .cc replaces the program's
// allocation functions, so it is linked by name, never with a library. Those
// functions also fail where failing_allocator.h says so.

#ifndef HEADRACE_TESTS_PROCESS_ALLOCATION_COUNTER_H_
#define HEADRACE_TESTS_PROCESS_ALLOCATION_COUNTER_H_

#include <cstddef>

namespace headrace::testing {

// Calls of operator new and aligned_alloc by any thread since the program
// began; with glibc and without a sanitizer also of malloc, calloc and realloc,
// which the memory of windows comes from.
size_t AllocationCount();

// Calls of munmap and madvise by any thread, where malloc is counted: pages
// that this process has can leave it by no others.
size_t PageReturnCount();

// How many allocations have not been freed; 0 where malloc itself is not
// replaced.
size_t LiveAllocations();

// False where a sanitizer lets nobody replace operator new (those of threads
// and of memory): then all counts are 0.
bool AllocationsAreCounted();

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_PROCESS_ALLOCATION_COUNTER_H_
