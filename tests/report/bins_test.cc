// Histograms of a page.

#include "src/stats/page/bins.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/random/counted_values.h"

namespace headrace::report {
namespace {

template <class T>
Distribution<T> Of(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return testing::DistributionOf(values);
}

uint64_t Sum(const std::vector<uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

TEST(BinsTest, AFewIntegersHaveABinEach) {
  const BinRange range = EqualBins<int64_t>(-1, 2, 24);
  EXPECT_EQ(range.count, 4u);
  EXPECT_EQ(range.low, -1.5);
  EXPECT_EQ(range.high, 2.5);
  EXPECT_EQ(CountBins(Of<int64_t>({-1, 0, 0, 2, 2, 2}), range),
            (std::vector<uint64_t>{1, 2, 0, 3}));
}

TEST(BinsTest, ManyIntegersHaveBinsOfEquallyMany) {
  // 100 integers in at most 24 bins: five in each.
  const BinRange range = EqualBins<int64_t>(0, 99, 24);
  EXPECT_EQ(range.count, 20u);
  std::vector<int64_t> values(100);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_EQ(CountBins(Of<int64_t>(values), range),
            std::vector<uint64_t>(20, 5));
}

TEST(BinsTest, OneValueHasOneBin) {
  const BinRange range = EqualBins<float>(2.5, 2.5, 24);
  EXPECT_EQ(CountBins(Of<float>({2.5f, 2.5f}), range),
            std::vector<uint64_t>{2});
}

TEST(BinsTest, InfinitiesAreInNoBin) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const BinRange range = EqualBins<float>(0, 1, 4);
  EXPECT_EQ(CountBins(Of<float>({-kInfinity, 0, 0.3f, 1, kInfinity}), range),
            (std::vector<uint64_t>{1, 1, 0, 1}));
}

TEST(BinsTest, AllIntegersTogetherHaveBins) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const BinRange range = EqualBins<int64_t>(static_cast<double>(kMin),
                                            static_cast<double>(kMax), 4);
  EXPECT_EQ(CountBins(Of<int64_t>({kMin, -1, 0, kMax}), range),
            (std::vector<uint64_t>{1, 0, 2, 1}));
}

TEST(BinsTest, LogarithmicBinsAreForValuesFarFromEachOther) {
  std::vector<float> even;
  std::vector<float> steep;
  for (int i = 0; i < 1000; ++i) {
    even.push_back(static_cast<float>(i));
    steep.push_back(std::exp(static_cast<float>(i) / 60));
  }
  const Distribution<float> flat = Of(even);
  EXPECT_FALSE(LogBins<float>(0, 999, 24, {&flat}));
  const Distribution<float> tail = Of(steep);
  const auto range = LogBins<float>(1, steep.back(), 24, {&tail});
  ASSERT_TRUE(range);
  const std::vector<uint64_t> counts = CountBins(tail, *range);
  EXPECT_EQ(Sum(counts), 1000u);
  // No bin has most of the values, as the first of equal bins would.
  for (const uint64_t count : counts) EXPECT_LT(count, 150u);
}

TEST(BinsTest, LogarithmicBinsOfIntegersHaveNoGapsNearZero) {
  std::vector<int64_t> values = {100'000};
  for (int64_t i = 0; i < 200; ++i) values.push_back(i % 20);
  const Distribution<int64_t> distribution = Of(values);
  const auto range = LogBins<int64_t>(0, 100'000, 40, {&distribution});
  ASSERT_TRUE(range);
  const std::vector<uint64_t> counts = CountBins(distribution, *range);
  for (size_t i = 0; i < 4; ++i) EXPECT_GT(counts[i], 0u) << i;
}

// What script makes of a code.
uint64_t Decode(std::string_view code) {
  constexpr std::string_view kDigits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
  const size_t number = 64 * kDigits.find(code[0]) + kDigits.find(code[1]);
  if (number == 0) return 0;
  return static_cast<uint64_t>(
      std::llround(std::exp2(static_cast<double>(number - 1) / 64)));
}

TEST(BinsTest, CodesAreExactWhileCountsAreSmallAndNearlySoBeyond) {
  for (uint64_t count = 0; count <= 80; ++count) {
    EXPECT_EQ(Decode(BinCodes({count})), count);
  }
  for (uint64_t count = 81; count < uint64_t{1} << 62; count += count / 3) {
    const auto decoded = static_cast<double>(Decode(BinCodes({count})));
    EXPECT_NEAR(decoded / static_cast<double>(count), 1, 0.006) << count;
  }
  EXPECT_EQ(BinCodes({1, 0, std::numeric_limits<uint64_t>::max()}).size(), 6u);
}

}  // namespace
}  // namespace headrace::report
