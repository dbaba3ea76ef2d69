// Shows sanitizers which pieces of memory headrace's allocators hand out and
// take back. Without a sanitizer these functions do nothing.

#ifndef HEADRACE_SRC_BASE_MEMORY_MEMORY_MARKS_H_
#define HEADRACE_SRC_BASE_MEMORY_MEMORY_MARKS_H_

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define HEADRACE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEADRACE_ASAN 1
#elif __has_feature(memory_sanitizer)
#define HEADRACE_MSAN 1
#endif
#endif

#if defined(HEADRACE_ASAN)
#include <sanitizer/asan_interface.h>
#elif defined(HEADRACE_MSAN)
#include <sanitizer/msan_interface.h>
#endif

namespace headrace {

// Marks memory that may be used from now on and has no content yet.
inline void MarkHandedOut([[maybe_unused]] void* memory,
                          [[maybe_unused]] size_t size) {
#if defined(HEADRACE_ASAN)
  __asan_unpoison_memory_region(memory, size);
#elif defined(HEADRACE_MSAN)
  // __msan_allocated_memory does nothing where malloc does not poison.
  __msan_poison(memory, size);
#endif
}

// Marks memory that a library without instrumentation has written.
inline void MarkWritten([[maybe_unused]] void* memory,
                        [[maybe_unused]] size_t size) {
#if defined(HEADRACE_MSAN)
  __msan_unpoison(memory, size);
#endif
}

inline void MarkTakenBack([[maybe_unused]] void* memory,
                          [[maybe_unused]] size_t size) {
#if defined(HEADRACE_ASAN)
  __asan_poison_memory_region(memory, size);
#endif
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_MEMORY_MEMORY_MARKS_H_
