// Conversions against an independent way: the compiler's own, and doubles.

#include "src/base/convert.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace headrace::testing {
namespace {

template <class T>
void CheckInts(DType to) {
  using Limits = std::numeric_limits<T>;
  std::vector<int64_t> fits = {0, 1, 100};
  std::vector<int64_t> unfit = {std::numeric_limits<int64_t>::min()};
  if (sizeof(T) < 8) {
    fits.push_back(static_cast<int64_t>(Limits::max()));
    fits.push_back(static_cast<int64_t>(Limits::min()));
    unfit.push_back(static_cast<int64_t>(Limits::max()) + 1);
    unfit.push_back(static_cast<int64_t>(Limits::min()) - 1);
    unfit.push_back(std::numeric_limits<int64_t>::max());
  } else {
    fits.push_back(std::numeric_limits<int64_t>::max());
    unfit.push_back(-1);
  }
  EXPECT_EQ(FindUnfit(DType::kInt64, to, fits.data(), fits.size()),
            fits.size());
  for (const int64_t value : unfit) {
    const int64_t values[] = {0, value, 0};
    EXPECT_EQ(FindUnfit(DType::kInt64, to, values, 3), 1u) << value;
  }
  std::vector<T> out(fits.size());
  Convert(DType::kInt64, to, fits.data(), fits.size(), out.data());
  for (size_t i = 0; i < fits.size(); ++i) {
    EXPECT_EQ(static_cast<int64_t>(out[i]), fits[i]);
  }
}

TEST(ConvertTest, Integers) {
  CheckInts<int32_t>(DType::kInt32);
  CheckInts<int16_t>(DType::kInt16);
  CheckInts<int8_t>(DType::kInt8);
  CheckInts<uint64_t>(DType::kUint64);
  CheckInts<uint32_t>(DType::kUint32);
  CheckInts<uint16_t>(DType::kUint16);
  CheckInts<uint8_t>(DType::kUint8);
}

TEST(ConvertTest, Bools) {
  const int64_t values[] = {0, 1, 2, -1, 256, int64_t{1} << 32, INT64_MIN};
  EXPECT_EQ(FindUnfit(DType::kInt64, DType::kBool, values, 7), 7u);
  uint8_t out[7];
  Convert(DType::kInt64, DType::kBool, values, 7, out);
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(out[i], i == 0 ? 0 : 1);
  uint8_t bytes[] = {0, 1, 2, 255};
  NormalizeBools(bytes, 4);
  EXPECT_EQ(bytes[0], 0);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(bytes[i], 1);
}

TEST(ConvertTest, Bits) {
  const int64_t values[] = {0, -1, INT64_MIN};
  uint64_t out[3];
  Convert(DType::kInt64, DType::kUint64, values, 3, out);
  EXPECT_EQ(out[1], ~uint64_t{0});
  EXPECT_EQ(out[2], uint64_t{1} << 63);
}

TEST(ConvertTest, WiderFloats) {
  const float values[] = {0.1f, -0.0f, 1e-45f, INFINITY, -3.4028235e38f};
  EXPECT_EQ(FindUnfit(DType::kFloat, DType::kFloat64, values, 5), 5u);
  double out[5];
  Convert(DType::kFloat, DType::kFloat64, values, 5, out);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(out[i], static_cast<double>(values[i]));
    EXPECT_EQ(std::signbit(out[i]), std::signbit(values[i]));
  }
}

// The value of a half, exactly.
double HalfValue(uint16_t half, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = half >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int mantissa = half & ((1 << mantissa_bits) - 1);
  const double value = exponent == 0
                           ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                           : std::ldexp(mantissa + (1 << mantissa_bits),
                                        exponent - bias - mantissa_bits);
  return half >> 15 ? -value : value;
}

void CheckHalf(float value, DType to, int exponent_bits) {
  const uint16_t infinity =
      static_cast<uint16_t>(((1 << exponent_bits) - 1) << (15 - exponent_bits));
  uint16_t half;
  Convert(DType::kFloat, to, &value, 1, &half);
  const auto magnitude = static_cast<uint16_t>(half & 0x7FFF);
  EXPECT_EQ(std::signbit(value), half >> 15 == 1);
  if (std::isnan(value)) {
    EXPECT_GT(magnitude, infinity);
    return;
  }
  if (std::isinf(value)) {
    EXPECT_EQ(magnitude, infinity);
    return;
  }
  ASSERT_LE(magnitude, infinity) << value;
  EXPECT_EQ(FindUnfit(DType::kFloat, to, &value, 1),
            magnitude == infinity ? 0u : 1u);
  // No neighbour is nearer; of two that are as near, the even one.
  const auto distance = [&](uint16_t other) {
    return std::abs(HalfValue(other, exponent_bits) - std::abs(value));
  };
  const double here = distance(magnitude);
  for (const int step : {-1, 1}) {
    if (magnitude == 0 && step < 0) continue;
    if (magnitude == infinity && step > 0) continue;
    const auto other = static_cast<uint16_t>(magnitude + step);
    if (here == distance(other)) {
      EXPECT_EQ(magnitude & 1, 0) << value;
    } else {
      EXPECT_LT(here, distance(other)) << value;
    }
  }
}

TEST(ConvertTest, HalvesOfAnyFloat) {
  std::mt19937 random(7);
  std::vector<float> values = {0.0f,
                               -0.0f,
                               65504.0f,
                               65519.0f,
                               65520.0f,
                               5.9604645e-8f,
                               2.9802322e-8f,
                               6.1035e-5f,
                               std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::denorm_min()};
  for (int i = 0; i < 200000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  }
  // Where float16 lives, and ties.
  for (uint32_t i = 0; i < 65536; ++i) {
    values.push_back(std::bit_cast<float>(0x33000000u + i * 0x1000u));
  }
  for (const float value : values) {
    CheckHalf(value, DType::kFloat16, 5);
    CheckHalf(value, DType::kBfloat16, 8);
  }
}

}  // namespace
}  // namespace headrace::testing
