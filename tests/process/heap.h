// What this program's memory comes to, where the allocator says: with glibc,
// and without a sanitizer. Elsewhere it is 0, and bounds hold for nothing.

#ifndef HEADRACE_TESTS_PROCESS_HEAP_H_
#define HEADRACE_TESTS_PROCESS_HEAP_H_

#include <malloc.h>

#include <cstddef>

namespace headrace::testing {

// Bytes in use, those of large blocks with their pages.
inline size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_PROCESS_HEAP_H_
