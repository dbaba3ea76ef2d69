// GoogleTest tests sweep the targets with this.

#ifndef HEADRACE_TESTS_SUPPORT_EACH_TARGET_H_
#define HEADRACE_TESTS_SUPPORT_EACH_TARGET_H_

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/target_sweep.h"

namespace headrace::testing {

// Calls `body` once per target, best first. Fails when the sweep ran fewer
// targets than the CPU has.
template <class Body>
void ForEachTarget(Body body) {
  EXPECT_THAT(MissingTargets(), ::testing::IsEmpty());
  for (const Target& target : RunnableTargets()) {
    SCOPED_TRACE("target " + target.name);
    ScopedTarget scope(target);
    body();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_EACH_TARGET_H_
