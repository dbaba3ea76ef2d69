#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"
#include "tests/report/summaries.h"

namespace headrace::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Optional;

FeatureDifference Compare(const FeatureSummary& first,
                          const FeatureSummary& second) {
  const auto differences =
      CompareStats(DatasetSummary(10, {first}), DatasetSummary(10, {second}));
  EXPECT_EQ(differences.size(), 1u);
  return differences.front();
}

TEST(Compare, SameIsNoDistance) {
  for (const FeatureSummary& feature :
       {IntSummary("i", {1, 2, 3, 9}), BytesSummary("b", {{"x", 3}, {"y", 1}}),
        FloatSummary("f", {1, 2, 2})}) {
    EXPECT_EQ(Compare(feature, feature).distance(), 0) << feature.name;
  }
}

TEST(Compare, LargestDifferenceOfShares) {
  const FeatureDifference difference =
      Compare(BytesSummary("b", {{"x", 6}, {"y", 2}}),
              BytesSummary("b", {{"x", 2}, {"z", 2}}));
  EXPECT_THAT(difference.linf, Optional(0.5));
  // Halves of x and z against three quarters and a quarter of x and y.
  EXPECT_THAT(difference.js_divergence, Optional(DoubleNear(0.393156, 1e-6)));
  EXPECT_EQ(difference.distance(), 0.5);
}

TEST(Compare, NumbersLieEvenlyInBuckets) {
  std::vector<float> low, high;
  for (int i = 0; i <= 100; ++i) {
    low.push_back(static_cast<float>(i));
    high.push_back(static_cast<float>(i + 50));
  }
  const FeatureDifference difference =
      Compare(FloatSummary("f", low), FloatSummary("f", high));
  EXPECT_EQ(difference.linf, std::nullopt);
  EXPECT_THAT(difference.js_divergence, Optional(DoubleNear(0.5, 0.01)));
}

TEST(Compare, NumbersApartAreWhollyUnlike) {
  EXPECT_THAT(
      Compare(IntSummary("i", {1, 2}), IntSummary("i", {7, 9})).js_divergence,
      Optional(1.0));
  EXPECT_THAT(
      Compare(IntSummary("i", {1, 1}), IntSummary("i", {7})).js_divergence,
      Optional(1.0));
}

TEST(Compare, EmptyWhereASideHasNoValues) {
  const FeatureDifference bytes =
      Compare(BytesSummary("b", {}), BytesSummary("b", {{"x", 1}}));
  EXPECT_EQ(bytes.linf, std::nullopt);
  EXPECT_EQ(bytes.js_divergence, std::nullopt);
  EXPECT_DOUBLE_EQ(bytes.distance(), 0.1);
  EXPECT_EQ(Compare(IntSummary("i", {}), IntSummary("i", {1})).js_divergence,
            std::nullopt);
}

TEST(Compare, OtherKindsAndOneSideAreFarthest) {
  const FeatureSummary more = IntSummary("both", {1, 2, 3});
  const FeatureSummary less = IntSummary("both", {1, 2});
  const auto differences = CompareStats(
      DatasetSummary(4,
                     {more, IntSummary("kind", {1}), IntSummary("lost", {1})}),
      DatasetSummary(
          4, {less, BytesSummary("kind", {{"1", 1}}), IntSummary("won", {1})}));
  std::vector<std::string> names;
  for (const FeatureDifference& difference : differences) {
    names.push_back(difference.name);
  }
  EXPECT_THAT(names, ElementsAre("kind", "lost", "won", "both"));
  EXPECT_EQ(differences[0].distance(), 1);
  EXPECT_EQ(differences[0].js_divergence, std::nullopt);
  EXPECT_FALSE(differences[1].in_second);
  EXPECT_FALSE(differences[2].in_first);
  EXPECT_EQ(differences[3].first_presence, 0.75);
  EXPECT_EQ(differences[3].second_presence, 0.5);
}

}  // namespace
}  // namespace headrace::testing
