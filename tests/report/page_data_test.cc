// What the script of a page is told.

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/stats_report.h"
#include "nlohmann/json.hpp"
#include "src/stats/page/page_parts.h"
#include "tests/random/counted_values.h"
#include "tests/random/random_summary.h"

namespace headrace::testing {
namespace {

using Json = nlohmann::json;

constexpr const report::PageDetail& kFullest = report::kPageDetails[0];

Json DataOf(const StatsSummary& stats, const StatsSummary* other = nullptr,
            const report::PageDetail& detail = kFullest) {
  std::string text;
  report::AppendPageData(report::CollectPage(stats, {}, other), detail, &text);
  EXPECT_EQ(text.find('<'), text.npos);
  return Json::parse(text);
}

StatsSummary SummaryOf(FeatureSummary feature) {
  StatsSummary stats;
  stats.records = feature.present;
  stats.features = {std::move(feature)};
  return stats;
}

FeatureSummary FloatsOf(const std::vector<float>& values) {
  FeatureSummary feature;
  feature.name = "x";
  feature.kind = Kind::kFloat;
  feature.present = values.size();
  feature.floats = NumbersOf(values);
  return feature;
}

TEST(PageDataTest, FiguresOfNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Json data =
      DataOf(SummaryOf(FloatsOf({0, 0, 1, 2, kInfinity, -kInfinity, kNan})));
  EXPECT_EQ(data["sides"][0]["records"], 7);
  const Json& numbers = data["features"][0]["f"][0]["x"];
  EXPECT_EQ(numbers["c"], 7);
  EXPECT_EQ(numbers["z"], 2);
  EXPECT_EQ(numbers["nan"], 1);
  EXPECT_EQ(numbers["pi"], 1);
  EXPECT_EQ(numbers["ni"], 1);
  EXPECT_EQ(numbers["r"], Json({0, 0.75, 2, 0.829156}));
  EXPECT_EQ(numbers["q"],
            Json({"-\u221e", "-\u221e", 0, 0, 2, "\u221e", "\u221e"}));
  EXPECT_EQ(numbers["n"], 5);
  EXPECT_EQ(numbers["o"], Json({{0, 2}}));
  EXPECT_EQ(numbers["h"][0].get<std::string>().size(), 2 * kFullest.bins);
}

TEST(PageDataTest, IntegersBeyondDoublesAreText) {
  FeatureSummary feature;
  feature.name = "id";
  feature.kind = Kind::kInt64;
  feature.int64s = NumbersOf(std::vector<int64_t>{
      std::numeric_limits<int64_t>::min(), int64_t{1} << 53,
      std::numeric_limits<int64_t>::max()});
  const Json data = DataOf(SummaryOf(feature));
  const Json& range = data["features"][0]["f"][0]["i"]["r"];
  EXPECT_EQ(range[0], "-9223372036854775808");
  EXPECT_EQ(range[2], "9223372036854775807");
  EXPECT_EQ(data["features"][0]["f"][0]["i"]["q"][3], int64_t{1} << 53);
  EXPECT_EQ(data["features"][0]["w"].size(), 1u);
}

TEST(PageDataTest, TwoDatasetsShareBins) {
  StatsSummary first = SummaryOf(FloatsOf({0, 1, 2, 3}));
  const StatsSummary second = SummaryOf(FloatsOf({5, 10}));
  first.features.push_back(FloatsOf({1}));
  first.features.back().name = "y";
  const Json data = DataOf(first, &second);
  for (const Json& feature : data["features"]) {
    const bool in_both = feature["n"] == "x";
    EXPECT_EQ(feature["f"][1].is_null(), !in_both);
    if (!in_both) continue;
    const Json& one = feature["f"][0]["x"]["h"];
    const Json& other = feature["f"][1]["x"]["h"];
    EXPECT_EQ(one[1], 0);
    EXPECT_EQ(one[2], 10);
    EXPECT_EQ(other[1], 0);
    EXPECT_EQ(other[2], 10);
    EXPECT_EQ(one[0].get<std::string>().size(),
              other[0].get<std::string>().size());
  }
  EXPECT_EQ(data["features"].size(), 2u);
}

TEST(PageDataTest, RemarksOfFilesAreOfNoFeature) {
  StatsSummary stats = SummaryOf(FloatsOf({1, 2}));
  stats.features[0].name = "";
  stats.features[0].values = LengthsOf({1, 1});
  stats.regions = 3;
  EXPECT_FALSE(DataOf(stats)["features"][0].contains("w"));
}

TEST(PageDataTest, PicturesFitTheirShare) {
  const StatsSummary stats =
      RandomSummary(1, {.features = 200, .pictures = true});
  for (const report::PageDetail& detail : report::kPageDetails) {
    size_t pictures = 0;
    const Json data = DataOf(stats, nullptr, detail);
    for (const Json& feature : data["features"]) {
      const Json& figures = feature["f"][0];
      if (!figures.contains("t") || !figures["t"].contains("s")) continue;
      for (const Json& sample : figures["t"]["s"]) {
        if (sample.size() > 5) {
          pictures += sample[5].get<std::string>().size();
        }
      }
    }
    EXPECT_LE(pictures, detail.pictures * 4 / 3 + 100);
    EXPECT_EQ(pictures > 0, detail.pictures > 0 && detail.samples > 0);
  }
}

TEST(PageDataTest, WhatIsDrawnOfAnySummaryIsJson) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const StatsSummary stats =
        RandomSummary(seed, {.features = 40, .records = 100, .hostile = true});
    const StatsSummary other = RandomSummary(
        seed + 1, {.features = 40, .records = 50, .hostile = true});
    for (const report::PageDetail& detail : report::kPageDetails) {
      EXPECT_EQ(DataOf(stats, nullptr, detail)["features"].size(),
                stats.features.size());
      EXPECT_EQ(DataOf(stats, &other, detail)["sides"].size(), 2u);
    }
  }
  EXPECT_TRUE(DataOf(StatsSummary())["features"].empty());
}

}  // namespace
}  // namespace headrace::testing
