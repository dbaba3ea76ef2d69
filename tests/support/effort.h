// How much a test may try: seconds by default, minutes on demand.

#ifndef HEADRACE_TESTS_SUPPORT_EFFORT_H_
#define HEADRACE_TESTS_SUPPORT_EFFORT_H_

#include <cstdlib>

namespace headrace::testing {

// Built with a sanitizer, which makes everything several times slower and
// stack frames larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kInstrumented = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
inline constexpr bool kInstrumented = true;
#else
inline constexpr bool kInstrumented = false;
#endif
#else
inline constexpr bool kInstrumented = false;
#endif

// HEADRACE_SLOW_TESTS is set in the environment: tests of minutes run too.
inline bool SlowTestsWanted() {
  return std::getenv("HEADRACE_SLOW_TESTS") != nullptr;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_EFFORT_H_
