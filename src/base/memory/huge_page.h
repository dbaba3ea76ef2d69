// Fresh pages of 4 KiB cost more than decoding or copying into them, so large
// memory uses pages of 2 MiB if the system has them.

#ifndef HEADRACE_SRC_BASE_MEMORY_HUGE_PAGE_H_
#define HEADRACE_SRC_BASE_MEMORY_HUGE_PAGE_H_

#include <sys/mman.h>

#include <cstddef>

namespace headrace {

inline constexpr size_t kHugePage = size_t{2} << 20;

// Asks for huge pages, as a hint. `data` begins at a multiple of kHugePage,
// unless the size is less: then nothing is done.
inline void AdviseHugePages(void* data, size_t size) {
#ifdef MADV_HUGEPAGE
  if (size >= kHugePage) madvise(data, size, MADV_HUGEPAGE);
#else
  static_cast<void>(data);
  static_cast<void>(size);
#endif
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_MEMORY_HUGE_PAGE_H_
