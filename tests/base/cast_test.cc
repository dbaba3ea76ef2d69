// Casts of values to the types of groups, beside the compiler's own.

#include "src/base/cast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace headrace::testing {
namespace {

constexpr DType kCastTypes[] = {
    DType::kFloat,  DType::kInt64,  DType::kInt32,   DType::kInt16,
    DType::kInt8,   DType::kUint64, DType::kUint32,  DType::kUint16,
    DType::kUint8,  DType::kBool,   DType::kFloat16, DType::kBfloat16,
    DType::kFloat64};

std::vector<int64_t> EdgeInts() {
  std::vector<int64_t> ints = {0, std::numeric_limits<int64_t>::min()};
  for (int bit = 0; bit < 63; ++bit) {
    for (const int64_t off : {-2, -1, 0, 1, 2}) {
      const auto value = static_cast<int64_t>((uint64_t{1} << bit) +
                                              static_cast<uint64_t>(off));
      ints.push_back(value);
      ints.push_back(-value);
    }
  }
  for (const int64_t value : {65503, 65504, 65519, 65520, 65521, 65535}) {
    ints.push_back(value);
    ints.push_back(-value);
  }
  return ints;
}

std::vector<float> EdgeFloats() {
  std::vector<float> floats;
  for (uint32_t top = 0; top < 0x10000; top += 13) {
    for (const uint32_t low :
         {0x0u, 0x1u, 0x7fffu, 0x8000u, 0x8001u, 0xf000u}) {
      floats.push_back(std::bit_cast<float>(top << 16 | low));
    }
  }
  for (const uint32_t bits :
       {0x477fefffu, 0x477ff000u, 0x477ff001u, 0x7f7f7fffu, 0x7f7f8000u,
        0x7f7f8001u, 0x7f800000u, 0x7fc00000u, 0x7f800001u}) {
    floats.push_back(std::bit_cast<float>(bits));
    floats.push_back(std::bit_cast<float>(bits | 0x80000000u));
  }
  return floats;
}

TEST(CastTest, WhichTypes) {
  for (const DType to : kCastTypes) {
    EXPECT_TRUE(CanCast(DType::kInt64, to));
    const bool is_float = to == DType::kFloat || to == DType::kFloat64 ||
                          to == DType::kFloat16 || to == DType::kBfloat16;
    EXPECT_EQ(CanCast(DType::kFloat, to), is_float);
  }
  EXPECT_FALSE(CanCast(DType::kInt64, DType::kBytes));
  EXPECT_FALSE(CanCast(DType::kBytes, DType::kInt64));
}

// The three ways to ask for values that do not fit say the same.
TEST(CastTest, RangesAgree) {
  for (const DType to : kCastTypes) {
    for (const bool exact : {false, true}) {
      const auto range = RangeOf(DType::kInt64, to, exact);
      const bool all = CastsAll(DType::kInt64, to, exact);
      for (const int64_t value : EdgeInts()) {
        const bool fits =
            FindUncastable(DType::kInt64, to, exact, &value, 1) == 1;
        if (range) {
          EXPECT_EQ(range->Holds(value), fits) << value;
        }
        EXPECT_TRUE(fits || !all) << value;
      }
      if (!CanCast(DType::kFloat, to)) continue;
      const auto floats = RangeOf(DType::kFloat, to, exact);
      for (const float value : EdgeFloats()) {
        const bool fits =
            FindUncastable(DType::kFloat, to, exact, &value, 1) == 1;
        EXPECT_EQ(floats->Holds(value), fits) << value;
        EXPECT_TRUE(fits || !CastsAll(DType::kFloat, to, exact)) << value;
      }
    }
  }
}

// The first of many is found, wherever it is.
TEST(CastTest, FindsTheFirst) {
  for (size_t size = 1; size < 200; ++size) {
    std::vector<int64_t> ints(size, 7);
    std::vector<float> floats(size, 7.0f);
    EXPECT_EQ(
        FindUncastable(DType::kInt64, DType::kInt8, false, ints.data(), size),
        size);
    const size_t at = size * 5 / 7;
    ints[at] = 128;
    ints[size - 1] = -129;
    EXPECT_EQ(
        FindUncastable(DType::kInt64, DType::kInt8, false, ints.data(), size),
        std::min(at, size - 1));
    floats[at] = floats[size - 1] = 65520.0f;
    EXPECT_EQ(FindUncastable(DType::kFloat, DType::kFloat16, false,
                             floats.data(), size),
              at);
    EXPECT_EQ(FindUncastable(DType::kFloat, DType::kBfloat16, false,
                             floats.data(), size),
              size);
  }
}

TEST(CastTest, IntsBecomeFloats) {
  for (const int64_t value : EdgeInts()) {
    float narrow;
    double wide;
    Cast(DType::kInt64, DType::kFloat, &value, 1, &narrow);
    Cast(DType::kInt64, DType::kFloat64, &value, 1, &wide);
    EXPECT_EQ(narrow, static_cast<float>(value));
    EXPECT_EQ(wide, static_cast<double>(value));
  }
  // As a float it is 2^32 + 2^24, halfway between two bfloat16s. Rounded once,
  // it would be the upper one.
  const int64_t twice = (int64_t{1} << 32) + (int64_t{1} << 24) + 1;
  uint16_t half;
  Cast(DType::kInt64, DType::kBfloat16, &twice, 1, &half);
  EXPECT_EQ(half, 0x4f80);
}

TEST(CastTest, Exact) {
  const auto holds = [](DType to, int64_t value) {
    return FindUncastable(DType::kInt64, to, true, &value, 1) == 1;
  };
  EXPECT_TRUE(holds(DType::kFloat, int64_t{1} << 24));
  EXPECT_FALSE(holds(DType::kFloat, (int64_t{1} << 24) + 1));
  EXPECT_TRUE(holds(DType::kFloat, (int64_t{1} << 24) + 2));
  EXPECT_TRUE(holds(DType::kFloat64, int64_t{1} << 53));
  EXPECT_FALSE(holds(DType::kFloat64, -(int64_t{1} << 53) - 1));
  EXPECT_TRUE(holds(DType::kFloat16, 2048));
  EXPECT_FALSE(holds(DType::kFloat16, 2049));
  EXPECT_FALSE(holds(DType::kFloat16, 65536));
  EXPECT_TRUE(holds(DType::kBfloat16, std::numeric_limits<int64_t>::min()));
}

}  // namespace
}  // namespace headrace::testing
