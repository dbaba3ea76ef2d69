// Casts that no golden file has: `exact`, and values that do not fit.

#include "src/base/cast.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace headrace::testing {
namespace {

bool Fits(DType to, int64_t value, bool exact = false) {
  return FindUncastable(DType::kInt64, to, exact, &value, 1) == 1;
}

TEST(Cast, ExactFloatsRoundNoInteger) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  // The first integer that the type rounds.
  for (const auto& [to, rounded] :
       {std::pair(DType::kFloat, int64_t{16777217}),
        std::pair(DType::kFloat64, int64_t{9007199254740993}),
        std::pair(DType::kFloat16, int64_t{2049}),
        std::pair(DType::kBfloat16, int64_t{257})}) {
    for (const int64_t sign : {1, -1}) {
      EXPECT_TRUE(Fits(to, sign * rounded));
      EXPECT_FALSE(Fits(to, sign * rounded, true));
      EXPECT_TRUE(Fits(to, sign * (rounded - 1), true));
      EXPECT_TRUE(Fits(to, sign * (rounded + 1), true));
    }
    EXPECT_TRUE(Fits(to, 0, true));
    EXPECT_FALSE(Fits(to, kMost, true));
    EXPECT_EQ(Fits(to, kLeast, true), to != DType::kFloat16);
  }
}

TEST(Cast, IntegersMayBecomeInfiniteAsFloat16) {
  EXPECT_TRUE(Fits(DType::kFloat16, 65519));
  EXPECT_FALSE(Fits(DType::kFloat16, 65520));
  EXPECT_FALSE(Fits(DType::kFloat16, -65520));
  EXPECT_TRUE(Fits(DType::kBfloat16, std::numeric_limits<int64_t>::max()));

  // In whichever block of values.
  for (const size_t place : {0u, 255u, 256u, 700u}) {
    std::vector<int64_t> values(800, 65504);
    values[place] = 70000;
    values[750] = 70000;
    EXPECT_EQ(FindUncastable(DType::kInt64, DType::kFloat16, false,
                             values.data(), values.size()),
              place);
    std::vector<uint16_t> halves(800);
    Cast(DType::kInt64, DType::kFloat16, values.data(), values.size(),
         halves.data());
    for (size_t i = 0; i < 800; ++i) {
      EXPECT_EQ(halves[i], i == place || i == 750 ? 0x7c00 : 0x7bff) << i;
    }
  }
}

TEST(Cast, RangesOfIntegers) {
  EXPECT_TRUE(Fits(DType::kUint8, 255, true));
  EXPECT_FALSE(Fits(DType::kUint8, 256));
  EXPECT_FALSE(Fits(DType::kUint64, -1));
  EXPECT_TRUE(Fits(DType::kBool, 256));
  const std::vector<int64_t> values = {0, 256, -1};
  std::vector<uint8_t> bools(3);
  Cast(DType::kInt64, DType::kBool, values.data(), 3, bools.data());
  EXPECT_EQ(bools, (std::vector<uint8_t>{0, 1, 1}));
}

TEST(Cast, Pairs) {
  EXPECT_TRUE(CanCast(DType::kInt64, DType::kBfloat16));
  EXPECT_TRUE(CanCast(DType::kFloat, DType::kFloat64));
  EXPECT_FALSE(CanCast(DType::kFloat, DType::kInt32));
  EXPECT_FALSE(CanCast(DType::kFloat, DType::kBool));
  EXPECT_FALSE(CanCast(DType::kInt64, DType::kBytes));
  EXPECT_FALSE(CanCast(DType::kBytes, DType::kInt64));
}

TEST(Cast, FiniteFloatsMustStayFinite) {
  const std::vector<float> values = {std::nanf(""),
                                     std::numeric_limits<float>::infinity(),
                                     65519.0f, 65520.0f};
  EXPECT_EQ(
      FindUncastable(DType::kFloat, DType::kFloat16, false, values.data(), 4),
      3u);
}

}  // namespace
}  // namespace headrace::testing
