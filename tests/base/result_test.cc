// Status and Result: what they say of values that are not there.

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "headrace/status.h"

namespace headrace::testing {
namespace {

const Status kFailure(ErrorCode::kNotFound, "no such thing");

// With assertions the death says why there is no value; without them it is a
// trap, and silent.
#ifdef NDEBUG
#define EXPECT_NO_VALUE(expression, reason) EXPECT_DEATH(expression, "")
#else
#define EXPECT_NO_VALUE(expression, reason) \
  EXPECT_DEATH(expression, "a Result has no value: " reason)
#endif

// Something to take from a value, so that using it is seen.
struct Thing {
  int number = 7;
};

TEST(Result, HoldsAValue) {
  Result<Thing> result(Thing{3});
  EXPECT_TRUE(result);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ((*result).number, 3);
  EXPECT_EQ(result->number, 3);
  EXPECT_EQ((*std::as_const(result)).number, 3);
  EXPECT_EQ(std::as_const(result)->number, 3);
}

TEST(Result, OfAnOptionalIsWhatItHolds) {
  Result<std::optional<Thing>> result(Thing{3});
  static_assert(std::is_same_v<decltype(*result), Thing&>);
  static_assert(std::is_same_v<decltype(result.operator->()), Thing*>);
  EXPECT_EQ(&*result, result.operator->());
  EXPECT_EQ((*result).number, result->number);
  (*result).number = 4;
  EXPECT_EQ(std::as_const(result)->number, 4);
  EXPECT_EQ((*std::move(result)).number, 4);
}

TEST(Result, OfAnOptionalAtTheEndIsOkAndFalse) {
  const Result<std::optional<Thing>> end{std::optional<Thing>()};
  EXPECT_TRUE(end.ok());
  EXPECT_FALSE(end);
  EXPECT_TRUE(end.status().ok());
}

TEST(Result, MovesItsValue) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(*result, nullptr);
}

TEST(ResultDeathTest, WithoutValueNoMemoryIsRead) {
  Result<Thing> failed(kFailure);
  EXPECT_NO_VALUE((*failed).number = 1, "not_found: no such thing");
  EXPECT_NO_VALUE(failed->number = 1, "not_found: no such thing");
  EXPECT_NO_VALUE(std::exit((*std::as_const(failed)).number), "not_found");
  EXPECT_NO_VALUE(std::exit(std::as_const(failed)->number), "not_found");
  EXPECT_NO_VALUE(std::exit((*std::move(failed)).number), "not_found");
}

TEST(ResultDeathTest, AtTheEndNoMemoryIsRead) {
  Result<std::optional<Thing>> end{std::optional<Thing>()};
  EXPECT_NO_VALUE((*end).number = 1, "ok");
  EXPECT_NO_VALUE(end->number = 1, "ok");
  Result<std::optional<Thing>> failed(kFailure);
  EXPECT_NO_VALUE((*failed).number = 1, "not_found");
  EXPECT_NO_VALUE(failed->number = 1, "not_found");
}

// What an error was moved from must not pass for a success.
TEST(Status, IsAnErrorAfterItWasMovedFrom) {
  Status status = kFailure;
  const Status moved = std::move(status);
  EXPECT_EQ(moved.code(), ErrorCode::kNotFound);
  EXPECT_EQ(status.code(), ErrorCode::kNotFound);  // NOLINT: on purpose
}

TEST(Result, IsAnErrorAfterItWasMovedFrom) {
  Result<Thing> result(kFailure);
  const Result<Thing> moved = std::move(result);
  EXPECT_FALSE(moved.ok());
  EXPECT_FALSE(result.ok());  // NOLINT: on purpose
  EXPECT_EQ(result.status().code(), ErrorCode::kNotFound);
}

TEST(Status, OfSuccessHasNothingToSay) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::kOk);
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.info(), nullptr);
  EXPECT_EQ(status.ToString(), "ok");
}

}  // namespace
}  // namespace headrace::testing
