// FeatureStats against NaiveStats, which keeps every value.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/stats.h"
#include "tests/naive/naive_stats.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/random/record_shapes.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Records = std::vector<std::string>;

// Counts the records in blocks of this size.
FeatureStats CountInBlocks(const Records& records, MessageType message,
                           size_t block, StatsOptions options = {}) {
  options.message = message;
  FeatureStats stats(std::move(options));
  uint64_t bad = 0;
  for (size_t first = 0; first < records.size(); first += block) {
    std::vector<NumberedRecord> numbered;
    for (size_t i = first; i < std::min(records.size(), first + block); ++i) {
      numbered.push_back({records[i], i});
    }
    EXPECT_TRUE(stats
                    .AddRecords("file", numbered,
                                [&bad](size_t, const Status& error) {
                                  EXPECT_EQ(error.code(),
                                            ErrorCode::kMalformed);
                                  ++bad;
                                  return Status();
                                })
                    .ok());
  }
  stats.AddBad(bad, 0);
  return stats;
}

template <class T>
void ExpectLike(const Distribution<T>& found, const Distribution<T>& naive) {
  EXPECT_EQ(found.total, naive.total);
  uint64_t weight = 0;
  for (const auto& item : found.items) weight += item.weight;
  EXPECT_EQ(weight, naive.total);
  if (found.rank_error == 0) {
    EXPECT_EQ(found.items, naive.items);
    return;
  }
  for (const auto& item : naive.items) {
    const double error = static_cast<double>(found.Rank(item.value, false)) -
                         static_cast<double>(naive.Rank(item.value, false));
    // Only 99 % of ranks are that exact.
    EXPECT_LE(std::abs(error),
              2 * found.rank_error * static_cast<double>(naive.total));
  }
}

void ExpectLike(const LengthStats& found, const LengthStats& naive) {
  EXPECT_EQ(found.count, naive.count);
  EXPECT_EQ(found.min, naive.min);
  EXPECT_EQ(found.max, naive.max);
  EXPECT_EQ(found.total, naive.total);
  ExpectLike(found.distribution, naive.distribution);
}

void ExpectNear(double found, double naive, double scale) {
  EXPECT_NEAR(found, naive, 1e-12 * std::max(std::abs(naive), scale));
}

template <class T>
void ExpectLike(const std::optional<NumberStats<T>>& found,
                const std::optional<NumberStats<T>>& naive) {
  ASSERT_EQ(found.has_value(), naive.has_value());
  if (!found) return;
  EXPECT_EQ(found->count, naive->count);
  EXPECT_EQ(found->zeros, naive->zeros);
  EXPECT_EQ(found->nan, naive->nan);
  EXPECT_EQ(found->positive_infinities, naive->positive_infinities);
  EXPECT_EQ(found->negative_infinities, naive->negative_infinities);
  EXPECT_EQ(found->min, naive->min);
  EXPECT_EQ(found->max, naive->max);
  const double scale = std::max(std::abs(static_cast<double>(naive->min)),
                                std::abs(static_cast<double>(naive->max)));
  ExpectNear(found->mean, naive->mean, scale * 1e-4);
  ExpectNear(found->std_dev, naive->std_dev, scale * 1e-4);
  ExpectLike(found->distribution, naive->distribution);
}

void ExpectLike(const std::optional<BytesStats>& found,
                const std::optional<BytesStats>& naive) {
  ASSERT_EQ(found.has_value(), naive.has_value());
  if (!found) return;
  EXPECT_EQ(found->count, naive->count);
  EXPECT_EQ(found->utf8, naive->utf8);
  ExpectLike(found->lengths, naive->lengths);
  const auto distinct = static_cast<double>(naive->distinct);
  EXPECT_NEAR(static_cast<double>(found->distinct), distinct,
              2 * found->distinct_error * distinct);
  if (found->top_error == 0) {
    EXPECT_EQ(found->top, naive->top);
    return;
  }
  for (const ValueCount& top : naive->top) {
    const auto same = std::find_if(
        found->top.begin(), found->top.end(), [&](const ValueCount& value) {
          return value.value == top.value && value.size == top.size;
        });
    if (same == found->top.end()) {
      EXPECT_LE(top.count, found->top_error) << top.value;
    } else {
      EXPECT_LE(top.count, same->count);
      EXPECT_GE(top.count + same->error, same->count);
    }
  }
}

void ExpectLike(const FeatureSummary& found, const FeatureSummary& naive) {
  SCOPED_TRACE(naive.name);
  EXPECT_EQ(found.name, naive.name);
  EXPECT_EQ(found.in_sequence, naive.in_sequence);
  EXPECT_EQ(found.kind, naive.kind);
  EXPECT_EQ(found.present, naive.present);
  EXPECT_EQ(found.missing, naive.missing);
  EXPECT_EQ(found.unset, naive.unset);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found.present_as[i], naive.present_as[i]);
  }
  EXPECT_EQ(found.first_file, naive.first_file);
  EXPECT_EQ(found.first_record, naive.first_record);
  ExpectLike(found.values, naive.values);
  ExpectLike(found.steps, naive.steps);
  ExpectLike(found.step_values, naive.step_values);
  EXPECT_EQ(found.unset_steps, naive.unset_steps);
  EXPECT_EQ(found.encoded_bytes, naive.encoded_bytes);
  ExpectLike(found.int64s, naive.int64s);
  ExpectLike(found.floats, naive.floats);
  ExpectLike(found.bytes, naive.bytes);
}

void ExpectLike(const StatsSummary& found, const StatsSummary& naive) {
  EXPECT_EQ(found.records, naive.records);
  EXPECT_EQ(found.bytes, naive.bytes);
  EXPECT_EQ(found.bad_records, naive.bad_records);
  ASSERT_EQ(found.features.size(), naive.features.size());
  for (size_t i = 0; i < found.features.size(); ++i) {
    ExpectLike(found.features[i], naive.features[i]);
  }
}

StatsSummary NaiveStatsOf(const Records& records, MessageType message) {
  const std::vector<std::string_view> views(records.begin(), records.end());
  return NaiveStats(views, {.message = message, .file = "file"});
}

Records RandomRecords(uint64_t seed, MessageType message, int count) {
  RandomExample examples(seed, {.plain = seed % 3 == 0,
                                .one_kind_a_key = seed % 4 != 0,
                                .max_features = seed % 2 == 0 ? 6u : 30u});
  Mutator mutator(seed);
  Random random(seed);
  const size_t one_in = size_t{1} << (seed % 5 * 2);
  Records records;
  for (int i = 0; i < count; ++i) {
    std::string record = message == MessageType::kExample
                             ? examples.Next()
                             : examples.NextSequence();
    records.push_back(random.OneIn(one_in) ? mutator.Mutate(record) : record);
  }
  return records;
}

TEST(FeatureStats, EqualNaiveOnes) {
  ForEachTarget([] {
    for (const MessageType message :
         {MessageType::kExample, MessageType::kSequence}) {
      for (uint64_t seed = 0; seed < 8; seed += kCaseStride) {
        SCOPED_TRACE(seed);
        const Records records = RandomRecords(seed, message, 600);
        const StatsSummary naive = NaiveStatsOf(records, message);
        for (const size_t block : {size_t{1}, size_t{300}}) {
          ExpectLike(CountInBlocks(records, message, block).Summary(), naive);
        }
      }
    }
  });
}

TEST(FeatureStats, EqualNaiveOnesOfWriters) {
  for (const RecordShape& shape : RecordShapes()) {
    SCOPED_TRACE(shape.name);
    Random random(/*seed=*/1);
    const bool is_large = shape.name == "blobs" || shape.name == "floats";
    const int count = is_large ? 20 : 400 / kCaseStride;
    Records records;
    for (int i = 0; i < count; ++i) records.push_back(shape.make(&random));
    const MessageType message = shape.name == "sequence"
                                    ? MessageType::kSequence
                                    : MessageType::kExample;
    ExpectLike(CountInBlocks(records, message, 1000).Summary(),
               NaiveStatsOf(records, message));
  }
}

}  // namespace
}  // namespace headrace::testing
