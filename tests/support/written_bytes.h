// Output may hold bytes that nobody wrote; only MemorySanitizer knows.

#ifndef HEADRACE_TESTS_SUPPORT_WRITTEN_BYTES_H_
#define HEADRACE_TESTS_SUPPORT_WRITTEN_BYTES_H_

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define HEADRACE_TESTS_MSAN 1
#include <sanitizer/msan_interface.h>
#endif
#endif

namespace headrace::testing {

#if defined(HEADRACE_TESTS_MSAN)
inline constexpr bool kUnwrittenIsKnown = true;
#else
inline constexpr bool kUnwrittenIsKnown = false;
#endif

// False where a byte was never written since its memory was handed out.
inline bool IsWritten([[maybe_unused]] const void* data,
                      [[maybe_unused]] size_t size) {
#if defined(HEADRACE_TESTS_MSAN)
  return size == 0 || __msan_test_shadow(data, size) == -1;
#else
  return true;
#endif
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_WRITTEN_BYTES_H_
