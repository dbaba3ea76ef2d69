// AddNumbers against AddNumber, and both against sums of long doubles.

#include "src/stats/sketch/number_sums.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/random/random_example.h"
#include "tests/support/each_target.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/matchers.h"
#include "wire/append.h"

namespace headrace::testing {
namespace {

using stats::NumberSums;

template <class T>
NumberSums<T> OneByOne(const std::vector<T>& values) {
  NumberSums<T> sums;
  for (const T value : values) AddNumber(value, &sums);
  return sums;
}

// The values end at a page that nobody may touch.
template <class T>
void ExpectEqualSums(const std::vector<T>& values) {
  const NumberSums<T> expected = OneByOne(values);
  ForEachTarget([&] {
    GuardedBytes guarded(values.size() * sizeof(T) + 1);
    const std::string_view bytes =
        guarded.PlaceAtEnd({reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(T)});
    NumberSums<T> sums;
    AddNumbers(
        std::span(reinterpret_cast<const T*>(bytes.data()), values.size()),
        &sums);
    EXPECT_EQ(sums, expected);
  });
}

float FloatOf(Random* random, size_t shape) {
  switch (shape) {
    case 0:  // any bits
      return std::bit_cast<float>(static_cast<uint32_t>(random->Bits()));
    case 1:
      return static_cast<float>(random->Below(1000)) / 7;
    case 2:  // the least there are
      return std::bit_cast<float>(static_cast<uint32_t>(random->Below(300)) |
                                  static_cast<uint32_t>(random->Below(2))
                                      << 31);
    case 3:
      return random->OneIn(2) ? std::numeric_limits<float>::max()
                              : std::numeric_limits<float>::lowest();
    case 4:  // zeros of both signs, and now and then something else
      return random->OneIn(30) ? 1.5F : random->OneIn(2) ? 0.0F : -0.0F;
    default:
      return static_cast<float>(random->Below(1 << 24)) * 0x1p-100F;
  }
}

TEST(NumberSums, FloatsOfAllTargetsAreEqual) {
  for (size_t shape = 0; shape < 6; ++shape) {
    SCOPED_TRACE(shape);
    for (const size_t size : {0u, 1u, 7u, 16u, 100u, 255u, 256u, 1000u}) {
      Random random(size + shape);
      std::vector<float> values(size);
      for (float& value : values) value = FloatOf(&random, shape);
      ExpectEqualSums(values);
    }
  }
}

TEST(NumberSums, Int64sOfAllTargetsAreEqual) {
  for (const int bits : {1, 7, 8, 14, 31, 32, 33, 52, 63, 64}) {
    SCOPED_TRACE(bits);
    for (const size_t size : {0u, 1u, 7u, 8u, 100u, 256u, 1000u}) {
      Random random(size);
      std::vector<int64_t> values(size);
      for (int64_t& value : values) {
        value = static_cast<int64_t>(random.Bits()) >> (64 - bits);
      }
      ExpectEqualSums(values);
    }
  }
}

TEST(NumberSums, KnowEverySortOfNumber) {
  const float infinity = std::numeric_limits<float>::infinity();
  const NumberSums<float> sums =
      OneByOne<float>({0, -0.0F, 1, NAN, infinity, -infinity, infinity, -3});
  EXPECT_EQ(sums.count, 8u);
  EXPECT_EQ(sums.zeros, 2u);
  EXPECT_EQ(sums.nan, 1u);
  EXPECT_EQ(sums.positive_infinities, 2u);
  EXPECT_EQ(sums.negative_infinities, 1u);
  EXPECT_EQ(sums.min, -3);
  EXPECT_EQ(sums.max, 1);
  EXPECT_EQ(sums.mean(), -0.5);
  EXPECT_DOUBLE_EQ(sums.std_dev(), 1.5);
}

// Where double would have lost all digits.
TEST(NumberSums, DeviationOfLargeNumbers) {
  const int64_t base = int64_t{1} << 62;
  const NumberSums<int64_t> sums =
      OneByOne<int64_t>({base, base + 2, base + 4, base + 6});
  EXPECT_EQ(sums.mean(), static_cast<double>(base));
  EXPECT_DOUBLE_EQ(sums.std_dev(), std::sqrt(5.0));
  const NumberSums<int64_t> extremes =
      OneByOne<int64_t>({std::numeric_limits<int64_t>::min(),
                         std::numeric_limits<int64_t>::max()});
  EXPECT_EQ(extremes.mean(), -0.5);
  EXPECT_DOUBLE_EQ(extremes.std_dev(), 0x1p63);
}

// Where the sum does not fit a double, and would be rounded before it is
// divided.
TEST(NumberSums, MeansAreRoundedOnce) {
  const int64_t big = int64_t{1} << 53;
  EXPECT_EQ(OneByOne<int64_t>({big, 1, 0}).mean(), 3002399751580331.0);
  EXPECT_EQ(OneByOne<int64_t>({-big, -1, 0}).mean(), -3002399751580331.0);
  EXPECT_EQ(OneByOne<float>({0x1p-149F}).mean(), 0x1p-149);
  EXPECT_EQ(OneByOne<float>({}).mean(), 0);
  EXPECT_EQ(MeanOf(OneByOne<int64_t>({big + 1}),
                   OneByOne<float>({-0x1p53F, INFINITY})),
            0.5);
  EXPECT_EQ(MeanOf({}, OneByOne<float>({1, 2})), 1.5);
  EXPECT_EQ(MeanOf(OneByOne<int64_t>({-3, -4}), {}), -3.5);
  EXPECT_EQ(MeanOf(OneByOne<int64_t>({}), {}), 0);
}

TEST(NumberSums, MomentsOfFloats) {
  for (size_t shape : {size_t{1}, size_t{2}, size_t{3}, size_t{5}}) {
    Random random(shape);
    std::vector<float> values(3000);
    for (float& value : values) value = FloatOf(&random, shape);
    long double sum = 0;
    for (const float value : values) sum += static_cast<long double>(value);
    const long double mean = sum / 3000;
    long double squares = 0;
    for (const float value : values) {
      const long double apart = static_cast<long double>(value) - mean;
      squares += apart * apart;
    }
    const NumberSums<float> sums = OneByOne(values);
    const auto scale = static_cast<double>(sums.max) * 1e-14;
    EXPECT_NEAR(sums.mean(), static_cast<double>(mean), scale);
    EXPECT_NEAR(sums.std_dev(), static_cast<double>(std::sqrt(squares / 3000)),
                scale);
  }
}

TEST(CountVarintBytes, IsThatOfEachValue) {
  ForEachTarget([] {
    Random random(1);
    std::vector<int64_t> values;
    std::vector<int32_t> offsets = {0};
    std::vector<uint32_t> expected;
    for (int row = 0; row < 300; ++row) {
      uint32_t size = 0;
      for (size_t i = random.Below(row % 7 == 0 ? 100 : 3); i > 0; --i) {
        values.push_back(random.Int64());
        size += static_cast<uint32_t>(
            wire::VarintSize(static_cast<uint64_t>(values.back())));
      }
      offsets.push_back(static_cast<int32_t>(values.size()));
      expected.push_back(size);
    }
    std::vector<uint32_t> sizes(expected.size());
    stats::CountVarintBytes(values.data(), offsets.data(), sizes);
    EXPECT_EQ(sizes, expected);
  });
}

}  // namespace
}  // namespace headrace::testing
