#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/stats/report/histogram.h"
#include "tests/naive/naive_stats.h"
#include "tests/random/random_example.h"

namespace headrace::testing {
namespace {

using ::testing::ElementsAre;

double CountOf(const std::vector<HistogramBucket>& buckets) {
  double count = 0;
  for (const HistogramBucket& bucket : buckets) count += bucket.count;
  return count;
}

std::vector<double> CountsOf(const std::vector<HistogramBucket>& buckets) {
  std::vector<double> counts;
  for (const HistogramBucket& bucket : buckets) counts.push_back(bucket.count);
  return counts;
}

TEST(Quantiles, EndsAreValuesAndRanksAreCounts) {
  const Quantiles quantiles =
      QuantilesOf(NaiveDistribution<int64_t>({1, 2, 2, 3}), 4);
  EXPECT_THAT(quantiles.ends, ElementsAre(1, 2, 2, 3, 3));
  EXPECT_THAT(quantiles.ranks, ElementsAre(1, 3, 3, 4, 4));
}

TEST(Quantiles, OfNothing) {
  EXPECT_TRUE(QuantilesOf(Distribution<float>(), 10).ends.empty());
  EXPECT_TRUE(DepthBuckets({}).empty());
  EXPECT_TRUE(StandardHistogram(NumberStats<float>()).buckets.empty());
  EXPECT_TRUE(QuantilesHistogram(NumberStats<int64_t>()).buckets.empty());
}

// Integers that become one double are one value.
TEST(Quantiles, IntegersBeyondDouble) {
  const int64_t big = int64_t{1} << 60;
  const Quantiles quantiles =
      QuantilesOf(NaiveDistribution<int64_t>({big, big + 1, big + 2}), 2);
  const auto rounded = static_cast<double>(big);
  EXPECT_THAT(quantiles.ends, ElementsAre(rounded, rounded, rounded));
  EXPECT_THAT(quantiles.ranks, ElementsAre(3, 3, 3));
}

TEST(Quantiles, BucketsThatEndAtOneValueShareIt) {
  EXPECT_THAT(CountsOf(DepthBuckets(
                  {.ends = {0, 1, 1, 1, 4}, .ranks = {2, 8, 8, 8, 9}})),
              ElementsAre(4, 2, 2, 1));
  // So do buckets of the least value.
  EXPECT_THAT(CountsOf(DepthBuckets({.ends = {3, 3, 3}, .ranks = {6, 6, 6}})),
              ElementsAre(3, 3));
}

TEST(Quantiles, AValueAtAnEndIsInTheBucketBelow) {
  std::vector<int64_t> values(11);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<HistogramBucket> buckets =
      StandardHistogram(NaiveInts(values)).buckets;
  ASSERT_EQ(buckets.size(), 10u);
  for (size_t i = 0; i < buckets.size(); ++i) {
    EXPECT_NEAR(buckets[i].count, i == 0 ? 2 : 1, 1e-9) << i;
  }
}

TEST(Quantiles, HistogramsCountAllValues) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<float> values(1 + random.Below(2000));
    const size_t distinct = 1 + random.Below(500);
    for (float& value : values) {
      value = static_cast<float>(random.Below(distinct)) / 3;
      if (i % 3 == 1 && random.OneIn(10)) {
        value = std::numeric_limits<float>::infinity();
      }
      if (i % 3 == 2 && random.OneIn(3)) {
        value = -std::numeric_limits<float>::infinity();
      }
    }
    const NumberStats<float> stats = NaiveFloats(values);
    const auto count = static_cast<double>(values.size());
    EXPECT_NEAR(CountOf(StandardHistogram(stats).buckets), count, 1e-6) << i;
    EXPECT_NEAR(CountOf(QuantilesHistogram(stats).buckets), count, 1e-6) << i;
  }
}

// A sketch keeps neither the least nor the greatest value, and says something
// else than how many are infinite.
TEST(Quantiles, OfASketch) {
  NumberStats<float> stats{.count = 1000,
                           .positive_infinities = 20,
                           .negative_infinities = 1,
                           .min = -5,
                           .max = 100};
  stats.distribution = {
      .items = {{1, 500}, {2, 500}}, .total = 1000, .rank_error = 0.01};
  const std::vector<HistogramBucket> buckets = StandardHistogram(stats).buckets;
  ASSERT_EQ(buckets.size(), 12u);
  EXPECT_EQ(buckets.front().high, -kInfinity);
  EXPECT_EQ(buckets[1].low, -5);
  EXPECT_EQ(buckets[10].high, 100);
  EXPECT_EQ(buckets.back().low, kInfinity);
  EXPECT_EQ(buckets.back().count, 20);
  for (const HistogramBucket& bucket : buckets) EXPECT_GE(bucket.count, 0);
  EXPECT_EQ(QuantilesHistogram(stats).buckets.back().high, kInfinity);
}

}  // namespace
}  // namespace headrace::testing
