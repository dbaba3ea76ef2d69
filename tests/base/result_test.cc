// Status and Result: what they say of values that are not there.

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "headrace/status.h"

namespace headrace::testing {
namespace {

const Status kFailure(ErrorCode::kNotFound, "no such thing");

// The death says why there is no value, with and without assertions.
#define EXPECT_NO_VALUE(expression, reason) \
  EXPECT_DEATH(expression, "a Result has no value: " reason)

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
  EXPECT_NO_VALUE((*end).number = 1, "the stream is at its end");
  EXPECT_NO_VALUE(end->number = 1, "the stream is at its end");
  EXPECT_NO_VALUE(end.value().number = 1, "the stream is at its end");
  Result<std::optional<Thing>> failed(kFailure);
  EXPECT_NO_VALUE((*failed).number = 1, "not_found");
  EXPECT_NO_VALUE(failed->number = 1, "not_found");
}

TEST(Result, GivesAnotherValueWhereThereIsNone) {
  const Result<std::string> good("a"), bad(kFailure);
  EXPECT_EQ(good.value(), "a");
  EXPECT_EQ(good.value_or("b"), "a");
  EXPECT_EQ(bad.value_or("b"), "b");
  const Result<std::optional<int>> end{std::optional<int>()};
  EXPECT_EQ(end.value_or(5), 5);
  EXPECT_EQ(Result<std::optional<int>>(4).value_or(5), 4);
  EXPECT_EQ(*Result<std::unique_ptr<int>>(std::make_unique<int>(7)).value(), 7);
  EXPECT_EQ(Result<std::unique_ptr<int>>(kFailure).value_or(nullptr), nullptr);
}

TEST(Result, IsComparedByWhatItHolds) {
  using Ints = Result<std::optional<int>>;
  const Ints end{std::optional<int>()};
  EXPECT_EQ(Ints(3), Ints(3));
  EXPECT_NE(Ints(3), Ints(4));
  EXPECT_NE(Ints(3), end);
  EXPECT_NE(end, Ints(kFailure));
  EXPECT_EQ(Ints(kFailure), Ints(kFailure));
}

struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {};

TEST(Result, TakesWhatBecomesItsValue) {
  const auto make = []() -> Result<std::unique_ptr<Base>> {
    return std::make_unique<Derived>();
  };
  EXPECT_NE(*make(), nullptr);
  const Result<std::optional<std::string>> text = "text";
  EXPECT_EQ(*text, "text");
  static_assert(!std::is_convertible_v<int*, Result<std::string>>);
  static_assert(std::is_convertible_v<Status, Result<std::string>>);
}

TEST(Status, IsComparedByItsFields) {
  EXPECT_EQ(Status(), Status());
  EXPECT_EQ(kFailure, Status(ErrorCode::kNotFound, "no such thing"));
  EXPECT_NE(kFailure, Status(ErrorCode::kNotFound, "another"));
  EXPECT_NE(kFailure, Status());
  EXPECT_TRUE(kFailure == ErrorCode::kNotFound);
  EXPECT_TRUE(kFailure != ErrorCode::kIo);
  EXPECT_TRUE(Status() == ErrorCode::kOk);
}

Status OkIf(bool ok) { return ok ? Status() : kFailure; }
Result<int> NumberIf(bool ok) {
  HEADRACE_RETURN_IF_ERROR(OkIf(ok));
  return 3;
}
Result<std::string> TextIf(bool first, bool second) {
  HEADRACE_RETURN_IF_ERROR(NumberIf(first));
  HEADRACE_ASSIGN_OR_RETURN(const int number, NumberIf(second));
  int again = 0;
  HEADRACE_ASSIGN_OR_RETURN(again, NumberIf(true));
  return std::to_string(number + again);
}

TEST(Status, IsReturnedByMacros) {
  EXPECT_EQ(*TextIf(true, true), "6");
  EXPECT_EQ(TextIf(false, true).status(), kFailure);
  EXPECT_EQ(TextIf(true, false).status(), kFailure);
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
