#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"

namespace headrace::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Optional;

template <class T>
NumberStats<T> Numbers(const std::vector<T>& sorted) {
  NumberStats<T> numbers;
  double sum = 0;
  for (const T value : sorted) {
    ++numbers.count;
    const auto real = static_cast<double>(value);
    if (std::isnan(real)) {
      ++numbers.nan;
      continue;
    }
    numbers.distribution.items.push_back({value, 1});
    ++numbers.distribution.total;
    if (std::isinf(real)) {
      ++(real > 0 ? numbers.positive_infinities : numbers.negative_infinities);
      continue;
    }
    if (numbers.finite() == 1) numbers.min = value;
    numbers.max = value;
    sum += real;
  }
  numbers.mean = sum / static_cast<double>(numbers.finite());
  return numbers;
}

FeatureSummary IntFeature(std::string name,
                          const std::vector<int64_t>& sorted) {
  FeatureSummary feature{.name = std::move(name), .kind = Kind::kInt64};
  feature.present = sorted.size();
  feature.int64s = Numbers(sorted);
  return feature;
}

FeatureSummary FloatFeature(std::string name,
                            const std::vector<float>& sorted) {
  FeatureSummary feature{.name = std::move(name), .kind = Kind::kFloat};
  feature.present = sorted.size();
  feature.floats = Numbers(sorted);
  return feature;
}

FeatureSummary BytesFeature(
    std::string name,
    const std::vector<std::pair<std::string, uint64_t>>& counts) {
  FeatureSummary feature{.name = std::move(name), .kind = Kind::kBytes};
  BytesStats& bytes = feature.bytes.emplace();
  for (const auto& [value, count] : counts) {
    bytes.top.push_back({value, value.size(), count, 0});
    bytes.count += count;
  }
  feature.present = bytes.count;
  return feature;
}

StatsSummary Summary(uint64_t records, std::vector<FeatureSummary> features) {
  return {.message = MessageType::kExample,
          .records = records,
          .features = std::move(features)};
}

FeatureDifference Compare(const FeatureSummary& first,
                          const FeatureSummary& second) {
  const auto differences =
      CompareStats(Summary(10, {first}), Summary(10, {second}));
  EXPECT_EQ(differences.size(), 1u);
  return differences.front();
}

TEST(Compare, SameIsNoDistance) {
  for (const FeatureSummary& feature :
       {IntFeature("i", {1, 2, 3, 9}), BytesFeature("b", {{"x", 3}, {"y", 1}}),
        FloatFeature("f", {1, 2, 2})}) {
    EXPECT_EQ(Compare(feature, feature).distance(), 0) << feature.name;
  }
}

TEST(Compare, LargestDifferenceOfShares) {
  const FeatureDifference difference =
      Compare(BytesFeature("b", {{"x", 6}, {"y", 2}}),
              BytesFeature("b", {{"x", 2}, {"z", 2}}));
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
      Compare(FloatFeature("f", low), FloatFeature("f", high));
  EXPECT_EQ(difference.linf, std::nullopt);
  EXPECT_THAT(difference.js_divergence, Optional(DoubleNear(0.5, 0.01)));
}

TEST(Compare, NumbersApartAreWhollyUnlike) {
  EXPECT_THAT(
      Compare(IntFeature("i", {1, 2}), IntFeature("i", {7, 9})).js_divergence,
      Optional(1.0));
  EXPECT_THAT(
      Compare(IntFeature("i", {1, 1}), IntFeature("i", {7})).js_divergence,
      Optional(1.0));
}

TEST(Compare, EmptyWhereASideHasNoValues) {
  const FeatureDifference bytes =
      Compare(BytesFeature("b", {}), BytesFeature("b", {{"x", 1}}));
  EXPECT_EQ(bytes.linf, std::nullopt);
  EXPECT_EQ(bytes.js_divergence, std::nullopt);
  EXPECT_DOUBLE_EQ(bytes.distance(), 0.1);
  EXPECT_EQ(Compare(IntFeature("i", {}), IntFeature("i", {1})).js_divergence,
            std::nullopt);
}

TEST(Compare, OtherKindsAndOneSideAreFarthest) {
  const FeatureSummary more = IntFeature("both", {1, 2, 3});
  const FeatureSummary less = IntFeature("both", {1, 2});
  const auto differences = CompareStats(
      Summary(4, {more, IntFeature("kind", {1}), IntFeature("lost", {1})}),
      Summary(
          4, {less, BytesFeature("kind", {{"1", 1}}), IntFeature("won", {1})}));
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
