// Memory is bounded, whatever the data is.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "headrace/stats.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/resident.h"

namespace headrace::testing {
namespace {

constexpr size_t kFeatures = 5000;

// Values of features differ from one another, and from record to record.
std::string WideRecord(uint64_t record) {
  ExampleBuilder example;
  for (uint64_t i = 0; i < kFeatures; ++i) {
    const std::string name = "feature " + std::to_string(i);
    const uint64_t value = (record * kFeatures + i) * 0x9E3779B97F4A7C15 >> 8;
    if (i % 10 == 0) {
      example.Int64s(name, {static_cast<int64_t>(value)});
    } else {
      example.Bytes(name, {std::to_string(value)});
    }
  }
  return example.Build();
}

// Twenty thousand records have 10^8 distinct values; 300 are a sample of them.
TEST(FeatureStats, FiveThousandFeaturesTakeBoundedMemory) {
  if (kInstrumented) GTEST_SKIP() << "an instrumented build takes more memory";
  const size_t records = SlowTestsWanted() ? 20000 : 300;
  const uint64_t before = ResidentBytes();
  FeatureStats stats({.message = MessageType::kExample});
  uint64_t most = 0;
  for (size_t i = 0; i < records; i += 10) {
    std::vector<std::string> payloads;
    std::vector<NumberedRecord> numbered;
    for (size_t k = 0; k < 10; ++k) payloads.push_back(WideRecord(i + k));
    for (size_t k = 0; k < 10; ++k) numbered.push_back({payloads[k], i + k});
    ASSERT_TRUE(stats.AddRecords("file", numbered, {}).ok());
    most = std::max(most, ResidentGrowth(before));
  }
  EXPECT_EQ(stats.num_records(), records);
  EXPECT_LE(most, uint64_t{256} << 20);
  const StatsSummary summary = stats.Summary();
  ASSERT_EQ(summary.features.size(), kFeatures);
  const BytesStats& bytes = *summary.Find("feature 1")->bytes;
  EXPECT_NEAR(static_cast<double>(bytes.distinct), static_cast<double>(records),
              2 * bytes.distinct_error * static_cast<double>(records));
}

// One record of 3 MB names more features than anybody has.
TEST(FeatureStats, ManyKeysOfOneRecordAreALimit) {
  ExampleBuilder example;
  for (uint64_t i = 0; i < 80'000; ++i) {
    example.Int64s("feature " + std::to_string(i), {1});
  }
  const std::string record = example.Build();
  const uint64_t before = ResidentBytes();
  FeatureStats stats({.message = MessageType::kExample});
  const NumberedRecord numbered = {record, 0};
  const Status status = stats.AddRecords("file", {&numbered, 1}, {});
  EXPECT_EQ(status.code(), ErrorCode::kLimit);
  EXPECT_NE(status.message().find("more than 20000 features"),
            std::string::npos)
      << status.message();
  EXPECT_LE(ResidentGrowth(before), uint64_t{192} << 20);
  // Of some of them statistics are made.
  FeatureStats some(
      {.message = MessageType::kExample, .features = {"feature 9"}});
  EXPECT_TRUE(some.AddRecords("file", {&numbered, 1}, {}).ok());
  EXPECT_EQ(some.Summary().features.size(), 1u);
}

}  // namespace
}  // namespace headrace::testing
