#include "tests/out_of_memory/every_allocation.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "src/base/memory/memory_pool.h"
#include "tests/naive/batch_columns.h"
#include "tests/process/allocation_counter.h"

namespace headrace::testing {
namespace {

// Of what a run gave that had no memory.
std::string WhatIsWrong(const Outcome& expected, const Outcome& actual,
                        bool has_failed) {
  if (actual.status.code() != ErrorCode::kOutOfMemory) {
    const std::string difference = Difference(expected.status, actual.status);
    if (!difference.empty()) return difference;
    if (actual.parts != expected.parts) return "other parts";
    return actual.rest == expected.rest ? "" : "another end";
  }
  if (!has_failed) return "no memory, though no allocation failed";
  const bool is_begin = actual.parts.size() <= expected.parts.size() &&
                        std::equal(actual.parts.begin(), actual.parts.end(),
                                   expected.parts.begin());
  return is_begin ? "" : "other parts before the end";
}

// False when no allocation failed any more, and after a failure.
bool FailOne(uint64_t number, Failing failing, Whose whose,
             const Attempt& attempt, const Outcome& expected) {
  // What it keeps would never be asked for.
  MemoryPool::OfProcess().Clear();
  const size_t live = LiveAllocations();
  bool has_failed = false;
  {
    FailingAllocator allocator(number, failing, whose);
    const Outcome outcome = attempt(&allocator);
    has_failed = allocator.has_failed();
    const std::string wrong = WhatIsWrong(expected, outcome, has_failed);
    if (!wrong.empty()) {
      ADD_FAILURE() << "allocation " << number
                    << (failing == Failing::kOne ? "" : " and all after it")
                    << ": " << wrong;
      return false;
    }
  }
  MemoryPool::OfProcess().Clear();
  if (whose == Whose::kThisThread && LiveAllocations() != live) {
    ADD_FAILURE() << "allocation " << number << ": leaks "
                  << LiveAllocations() - live << " of its allocations";
    return false;
  }
  return has_failed;
}

}  // namespace

void FailEveryAllocation(Whose whose, const Attempt& attempt) {
  if (!AllocationsAreCounted()) GTEST_SKIP() << "operator new is a sanitizer's";
  constexpr uint64_t kNone = ~uint64_t{0};
  // The first run fills what the C library keeps.
  Outcome expected;
  for (int i = 0; i < 2; ++i) {
    FailingAllocator none(kNone, Failing::kOne, whose);
    expected = attempt(&none);
  }
  ASSERT_NE(expected.status.code(), ErrorCode::kOutOfMemory);
  FailingAllocator first(0, Failing::kAllFromThere, whose);
  static_cast<void>(attempt(&first));
  EXPECT_TRUE(first.has_failed());
  for (const Failing failing : {Failing::kOne, Failing::kAllFromThere}) {
    uint64_t number = 0;
    while (FailOne(number, failing, whose, attempt, expected)) ++number;
  }
}

}  // namespace headrace::testing
