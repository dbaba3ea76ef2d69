#include "src/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

TEST(ParallelTest, EachNumberOnce) {
  for (const size_t count : {0u, 1u, 5u, 1000u}) {
    for (const size_t threads : {0u, 1u, 3u, 2000u}) {
      std::vector<std::atomic<int>> calls(count);
      std::atomic<size_t> last_thread = 0;
      EXPECT_THAT(ForEachInParallel(count, threads,
                                    [&](size_t i, size_t thread) {
                                      ++calls[i];
                                      if (thread > last_thread) {
                                        last_thread = thread;
                                      }
                                      return Status();
                                    }),
                  IsOk());
      for (const std::atomic<int>& call : calls) EXPECT_EQ(call, 1);
      EXPECT_LT(last_thread, std::max<size_t>(threads, 1));
    }
  }
}

TEST(ParallelTest, OneThreadIsTheCaller) {
  const std::thread::id caller = std::this_thread::get_id();
  EXPECT_THAT(ForEachInParallel(10, 1,
                                [&](size_t, size_t thread) {
                                  EXPECT_EQ(thread, 0u);
                                  EXPECT_EQ(std::this_thread::get_id(), caller);
                                  return Status();
                                }),
              IsOk());
}

TEST(ParallelTest, TheLowestFailureIsReturned) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<size_t> calls = 0;
    const Status status =
        ForEachInParallel(1000, 4, [&](size_t i, size_t) -> Status {
          ++calls;
          if (i < 20) return Status();
          return Status(ErrorCode::kIo, "number " + std::to_string(i));
        });
    EXPECT_THAT(status, HasCode(ErrorCode::kIo));
    EXPECT_EQ(status.message(), "number 20");
    EXPECT_LE(calls, 24u);  // those below, and one a thread
  }
}

TEST(ParallelTest, NoMemoryIsAFailure) {
  EXPECT_THAT(ForEachInParallel(100, 3,
                                [](size_t i, size_t) -> Status {
                                  if (i == 5) throw std::bad_alloc();
                                  return Status();
                                }),
              HasCode(ErrorCode::kOutOfMemory));
}

}  // namespace
}  // namespace headrace::testing
