// Bytes after an object can be read up to the end of the object's last page.

#ifndef HEADRACE_SRC_BASE_MEMORY_PAGE_SLACK_H_
#define HEADRACE_SRC_BASE_MEMORY_PAGE_SLACK_H_

#include <cstddef>
#include <cstdint>

namespace headrace {

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define HEADRACE_OBJECTS_END 1
#endif
#endif
// These check accesses by object, not by page.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    defined(__ARM_FEATURE_MEMORY_TAGGING)
#define HEADRACE_OBJECTS_END 1
#endif

// Returns whether `slack` bytes after the object are known to be readable.
// Their values are unknown and may change while they are read.
inline bool HasSlack(const void* object, size_t size, size_t slack) {
#ifdef HEADRACE_OBJECTS_END
  static_cast<void>(object);
  static_cast<void>(size);
  return slack == 0;
#else
  constexpr uintptr_t kPage = 4096;  // no system has smaller pages
  if (size == 0) return slack == 0;
  const uintptr_t last = reinterpret_cast<uintptr_t>(object) + size - 1;
  return last % kPage + slack < kPage;
#endif
}

#undef HEADRACE_OBJECTS_END

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_MEMORY_PAGE_SLACK_H_
