// A test may try for seconds by default, for minutes on demand.

#ifndef HEADRACE_TESTS_SUPPORT_EFFORT_H_
#define HEADRACE_TESTS_SUPPORT_EFFORT_H_

#include <cstdlib>

// A sanitizer makes everything several times slower and stack frames larger,
// and has an allocator of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEADRACE_TESTS_INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define HEADRACE_TESTS_INSTRUMENTED 1
#else
#define HEADRACE_TESTS_INSTRUMENTED 0
#endif
#else
#define HEADRACE_TESTS_INSTRUMENTED 0
#endif

namespace headrace::testing {

inline constexpr bool kInstrumented = HEADRACE_TESTS_INSTRUMENTED != 0;

// An instrumented build tries one in so many of very many similar cases: a
// sample shows what it looks for, too. The number is prime, so that cases that
// come in turns all have theirs.
inline constexpr int kCaseStride = kInstrumented ? 7 : 1;

// If HEADRACE_SLOW_TESTS is set, tests of minutes run, too.
inline bool SlowTestsWanted() {
  return std::getenv("HEADRACE_SLOW_TESTS") != nullptr;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_EFFORT_H_
