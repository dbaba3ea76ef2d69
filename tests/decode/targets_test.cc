// The sweep itself: that it runs what the decoder was compiled for.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/decode/example/decode_block.h"
#include "tests/support/each_target.h"

namespace headrace::testing {
namespace {

TEST(TargetSweep, RunsEveryTargetOfThisCpu) {
  EXPECT_THAT(MissingTargets(), ::testing::IsEmpty());
  EXPECT_FALSE(RunnableTargets().empty());
}

TEST(TargetSweep, DecoderIsCompiledForAllOfThem) {
  const std::vector<std::string> compiled = decode::DecodeTargets();
  for (const Target& target : RunnableTargets()) {
    EXPECT_THAT(compiled, ::testing::Contains(target.name));
  }
}

// Without help the decoder takes the best target, so a better one that the
// sweep does not know would show here.
TEST(TargetSweep, BeginsWithTheBest) {
  EXPECT_EQ(decode::DecodeTarget(), RunnableTargets().front().name);
}

// What is asked for is what runs.
TEST(TargetSweep, DispatchFollows) {
  for (const Target& target : RunnableTargets()) {
    ScopedTarget scope(target);
    EXPECT_EQ(decode::DecodeTarget(), target.name);
  }
}

}  // namespace
}  // namespace headrace::testing
