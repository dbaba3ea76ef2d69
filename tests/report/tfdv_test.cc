#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "headrace/stats_report.h"
#include "tests/naive/naive_stats.h"
#include "tests/naive/statistics_oracle.h"
#include "tests/random/random_example.h"
#include "tests/support/example_builder.h"

namespace headrace::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

StatsSummary StatsOf(const std::vector<std::string>& records,
                     NaiveStatsOptions options = {}) {
  const std::vector<std::string_view> payloads(records.begin(), records.end());
  return NaiveStats(payloads, options);
}

// Both forms say the same; it returns the text.
std::string TextOf(const StatsSummary& stats) {
  const std::string text = StatsTfdvText(stats);
  EXPECT_EQ(StatisticsDifference(StatsTfdv(stats), text), "");
  return text;
}

std::string TextOf(const std::vector<std::string>& records,
                   NaiveStatsOptions options = {}) {
  return TextOf(StatsOf(records, options));
}

// The lines of the message `name` that comes `index`-th, without their
// indentation.
std::string Part(const std::string& text, const std::string& name,
                 size_t index = 0) {
  size_t begin = 0;
  for (size_t i = 0; i <= index; ++i) {
    begin = text.find(name + " {\n", begin == 0 ? 0 : begin + 1);
    if (begin == std::string::npos) return "";
  }
  const size_t line = text.rfind('\n', begin) + 1;
  const std::string indent = text.substr(line, begin - line);
  const size_t end = text.find("\n" + indent + "}\n", begin);
  std::string part;
  for (size_t at = begin; at <= end;) {
    const size_t stop = text.find('\n', at);
    part += text.substr(at, stop - at) + "\n";
    at = stop + 1;
    at += std::min(text.find_first_not_of(' ', at) - at, indent.size());
  }
  return part + "}\n";
}

TEST(StatsTfdv, NothingAtAll) {
  EXPECT_EQ(TextOf(StatsSummary()), "datasets {\n}\n");
}

// There are as many values as quantiles, so that adding up is exact.
TEST(StatsTfdv, OneNumber) {
  const std::vector<int64_t> fives(1000, 5);
  const std::string text =
      TextOf({ExampleBuilder().Int64s("a", fives).Build()});
  EXPECT_THAT(text, Not(HasSubstr("type: INT")));
  EXPECT_THAT(text, HasSubstr("  features {\n    num_stats {\n"));
  EXPECT_EQ(Part(text, "histograms"), R"(histograms {
  buckets {
    low_value: 5.0
    high_value: 5.0
    sample_count: 1000.0
  }
}
)");
  EXPECT_THAT(text, HasSubstr("      mean: 5.0\n"
                              "      min: 5.0\n"
                              "      median: 5.0\n"
                              "      max: 5.0\n"));
  EXPECT_EQ(Part(text, "path"), "path {\n  step: \"a\"\n}\n");
}

TEST(StatsTfdv, ARecordWithoutKindCountsAsMissing) {
  const std::string text = TextOf({
      ExampleBuilder().Unset("a").Build(),
      ExampleBuilder().Build(),
  });
  EXPECT_EQ(Part(text, "features"), R"(features {
  type: STRING
  string_stats {
    common_stats {
      num_missing: 2
    }
  }
  path {
    step: "a"
  }
}
)");
}

TEST(StatsTfdv, EmptyListsArePresent) {
  const std::string text = TextOf({ExampleBuilder().Floats("a", {}).Build()});
  const std::string stats = Part(text, "num_stats");
  EXPECT_THAT(stats, HasSubstr("num_non_missing: 1\n"));
  EXPECT_THAT(stats, Not(HasSubstr("num_values: ")));
  EXPECT_THAT(stats, Not(HasSubstr("histograms {")));
  // Ten buckets share one list.
  EXPECT_THAT(stats, HasSubstr("sample_count: 0.1\n"));
}

TEST(StatsTfdv, InfiniteValuesHaveBucketsOfTheirOwn) {
  const std::string text =
      TextOf({ExampleBuilder().Floats("a", {-kInf, 1, 1, kInf, kNan}).Build()});
  const std::string standard = Part(text, "histograms");
  EXPECT_THAT(standard, HasSubstr("histograms {\n  num_nan: 1\n"));
  EXPECT_THAT(Part(standard, "buckets", 0),
              HasSubstr("low_value: -inf\n  high_value: -inf\n"
                        "  sample_count: 1.0\n"));
  EXPECT_THAT(Part(standard, "buckets", 1),
              HasSubstr("low_value: 1.0\n  high_value: 1.0\n"
                        "  sample_count: 2.00000000000000"));
  EXPECT_THAT(Part(standard, "buckets", 2),
              HasSubstr("low_value: inf\n  high_value: inf\n"
                        "  sample_count: 1.0\n"));
  EXPECT_EQ(Part(standard, "buckets", 3), "");
  EXPECT_THAT(text, HasSubstr("      mean: nan\n"
                              "      min: -inf\n"
                              "      median: 1.0\n"
                              "      max: inf\n"));
}

TEST(StatsTfdv, NoFiniteValue) {
  const std::string text =
      TextOf({ExampleBuilder().Floats("a", {-kInf, -kInf}).Build()});
  EXPECT_THAT(Part(text, "histograms"), HasSubstr(R"(
    low_value: inf
    high_value: -inf
    sample_count: 2.0
)"));
  EXPECT_THAT(text, HasSubstr("      min: -inf\n"
                              "      median: -inf\n"
                              "      max: -inf\n"));
}

TEST(StatsTfdv, NothingButNan) {
  const std::string stats =
      Part(TextOf({ExampleBuilder().Floats("a", {kNan}).Build()}), "num_stats");
  EXPECT_EQ(Part(stats, "histograms"), "histograms {\n  num_nan: 1\n}\n");
  EXPECT_EQ(Part(stats, "histograms", 1),
            "histograms {\n  num_nan: 1\n  type: QUANTILES\n}\n");
  EXPECT_THAT(stats, Not(HasSubstr("mean")));
}

TEST(StatsTfdv, OfEqualCountsTheGreatestValueIsFirst) {
  const std::string text =
      TextOf({ExampleBuilder().Bytes("a", {"x", "z", "y", "y"}).Build()});
  EXPECT_EQ(Part(text, "top_values"),
            "top_values {\n  value: \"y\"\n  frequency: 2.0\n}\n");
  EXPECT_EQ(Part(text, "top_values", 1),
            "top_values {\n  value: \"z\"\n  frequency: 1.0\n}\n");
  EXPECT_EQ(Part(Part(text, "rank_histogram"), "buckets", 2), R"(buckets {
  low_rank: 2
  high_rank: 2
  label: "x"
  sample_count: 1.0
}
)");
  EXPECT_THAT(text, HasSubstr("      unique: 3\n"));
  EXPECT_THAT(text, HasSubstr("      avg_length: 1.0\n"));
}

TEST(StatsTfdv, TopValuesEndAtTwentyAndRanksAtAThousand) {
  ExampleBuilder record;
  std::vector<std::string> values;
  for (int i = 0; i < 1500; ++i) values.push_back(std::to_string(i));
  const std::string text = TextOf({record.Bytes("a", values).Build()});
  EXPECT_NE(Part(text, "top_values", 19), "");
  EXPECT_EQ(Part(text, "top_values", 20), "");
  const std::string ranks = Part(text, "rank_histogram");
  EXPECT_NE(Part(ranks, "buckets", 999), "");
  EXPECT_EQ(Part(ranks, "buckets", 1000), "");
  EXPECT_THAT(text, HasSubstr("      unique: 1500\n"));
}

// What is not UTF-8, and what the statistics do not have whole, has a name
// instead. A cut within a character is not what makes bytes no text.
TEST(StatsTfdv, ValuesThatAreNoLabels) {
  const std::string long_text = std::string(kTopBytes - 1, 'a') + "\u00e9";
  const std::string text =
      TextOf({ExampleBuilder().Bytes("a", {"\xff", "\xfe"}).Build(),
              ExampleBuilder().Bytes("a", {long_text, "\xff"}).Build(),
              ExampleBuilder()
                  .Bytes("a", {std::string(kTopBytes + 1, '\xff')})
                  .Build()});
  EXPECT_THAT(Part(text, "top_values"), HasSubstr("\"__BYTES_VALUE__\""));
  EXPECT_THAT(Part(text, "top_values", 1), HasSubstr("\"__BYTES_VALUE__\""));
  EXPECT_THAT(Part(text, "top_values", 2), HasSubstr("\"__BYTES_VALUE__\""));
  EXPECT_THAT(Part(text, "top_values", 3), HasSubstr("\"__LARGE_BYTES__\""));
  EXPECT_THAT(text, HasSubstr("      invalid_utf8_count: 4\n"));
}

// Each of very many different values has a count that may be all error.
TEST(StatsTfdv, OnlyWhatIsSureOfACountIsShown) {
  StatsSummary stats = StatsOf({ExampleBuilder().Bytes("a", {"x"}).Build()});
  stats.features[0].bytes->top = {{"often", 5, 78, 2}, {"rare", 4, 1, 89}};
  const std::string text = TextOf(stats);
  EXPECT_EQ(Part(text, "top_values"),
            "top_values {\n  value: \"often\"\n  frequency: 78.0\n}\n");
  EXPECT_EQ(Part(text, "top_values", 1),
            "top_values {\n  value: \"rare\"\n  frequency: 1.0\n}\n");
  EXPECT_EQ(Part(text, "top_values", 2), "");
}

TEST(StatsTfdv, CategoriesAreRankedAsNumbers) {
  const std::string text =
      TextOf({ExampleBuilder().Int64s("a", {9, 10, -9, -10}).Build()},
             {.categorical = {"a"}});
  EXPECT_THAT(text, Not(HasSubstr("num_stats")));
  EXPECT_THAT(text, Not(HasSubstr("type: STRING")));
  const std::vector<std::string> wanted = {"10", "9", "-9", "-10"};
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_THAT(Part(text, "top_values", i),
                HasSubstr("\"" + wanted[i] + "\""));
  }
  EXPECT_THAT(text, HasSubstr("      avg_length: 2.0\n"));
}

// Two steps of a record, one of them without a kind, and a record without the
// feature list.
TEST(StatsTfdv, FeatureLists) {
  const std::vector<std::string> records = {
      FeatureListsField(
          EntryField("a", FeatureListOf({Int64Feature({1, 2}), ""}))),
      ExampleOf(EntryField("c", testing::BytesFeature({"x"})))};
  const std::string text = TextOf(records, {.message = MessageType::kSequence});
  EXPECT_THAT(Part(text, "struct_stats"), HasSubstr("num_non_missing: 2\n"));
  EXPECT_THAT(text, HasSubstr("    path {\n"
                              "      step: \"##SEQUENCE##\"\n"
                              "      step: \"a\"\n"
                              "    }\n"));
  EXPECT_EQ(Part(text, "presence_and_valency_stats"),
            R"(presence_and_valency_stats {
  num_non_missing: 1
  num_missing: 1
  min_num_values: 2
  max_num_values: 2
  tot_num_values: 2
}
)");
  EXPECT_EQ(Part(text, "presence_and_valency_stats", 1),
            Part(text, "presence_and_valency_stats"));
  EXPECT_THAT(Part(text, "custom_stats"),
              HasSubstr("\"level_2_value_list_length_quantiles\""));
  EXPECT_THAT(Part(text, "custom_stats", 1),
              HasSubstr("\"level_2_value_list_length_standard\""));
}

TEST(StatsTfdv, BothFormsAgreeOnRandomRecords) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    RandomExample example(seed, {.plain = true});
    const bool sequence = seed % 2 == 0;
    std::vector<std::string> records;
    for (int i = 0; i < 50; ++i) {
      records.push_back(sequence ? example.NextSequence() : example.Next());
    }
    const StatsSummary stats = StatsOf(
        records,
        {.message = sequence ? MessageType::kSequence : MessageType::kExample});
    ASSERT_EQ(stats.bad_records, 0u);
    ASSERT_EQ(StatisticsDifference(StatsTfdv(stats), StatsTfdvText(stats)), "")
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace headrace::testing
