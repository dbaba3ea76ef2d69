// Code on a thread whose stack is small: input must never decide how deep it
// goes.

#ifndef HEADRACE_TESTS_PROCESS_SMALL_STACK_H_
#define HEADRACE_TESTS_PROCESS_SMALL_STACK_H_

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "gtest/gtest.h"
#include "tests/support/effort.h"

namespace headrace::testing {

inline size_t SmallStackBytes() {
  constexpr long kSmall = (kInstrumented ? 1024 : 64) << 10;
  // The least that some systems give is more.
  return static_cast<size_t>(std::max(kSmall, sysconf(_SC_THREAD_STACK_MIN)));
}

template <class Body>
void OnSmallStack(Body body) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, SmallStackBytes()), 0);
  const auto run = [](void* argument) -> void* {
    (*static_cast<Body*>(argument))();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &body), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_PROCESS_SMALL_STACK_H_
