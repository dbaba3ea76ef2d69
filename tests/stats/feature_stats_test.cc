// FeatureStats against NaiveStats, which keeps every value.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/notice.h"
#include "headrace/stats.h"
#include "src/plan/infer/census.h"
#include "tests/naive/naive_stats.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/random/record_shapes.h"
#include "tests/stats/exact_part.h"
#include "tests/stats/state_seal.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"

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
uint64_t WeightOf(const Distribution<T>& distribution) {
  uint64_t weight = 0;
  for (const auto& item : distribution.items) weight += item.weight;
  return weight;
}

template <class T>
void ExpectLike(const Distribution<T>& found, const Distribution<T>& naive) {
  EXPECT_EQ(found.total, naive.total);
  EXPECT_EQ(WeightOf(found), naive.total);
  if (found.rank_error == 0) {
    EXPECT_EQ(found.items, naive.items);
    return;
  }
  // Ranks are summed up anew each time, so some values must do.
  for (size_t i = 0; i < naive.items.size(); i += 1 + naive.items.size() / 30) {
    const auto& item = naive.items[i];
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
      EXPECT_GE(top.count, same->count);
      EXPECT_LE(top.count, same->count + same->error);
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
      for (uint64_t seed = 0; seed < 4; seed += kCaseStride) {
        SCOPED_TRACE(seed);
        const Records records = RandomRecords(seed, message, 400);
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
    const int count = is_large ? 10 : 300 / kCaseStride;
    Records records;
    for (int i = 0; i < count; ++i) records.push_back(shape.make(&random));
    const MessageType message = shape.name == "sequence"
                                    ? MessageType::kSequence
                                    : MessageType::kExample;
    ExpectLike(CountInBlocks(records, message, 1000).Summary(),
               NaiveStatsOf(records, message));
  }
}

// Some features have few values and some many, kinds disagree, pictures come.
Records MixedRecords(uint64_t seed, int count) {
  Random random(seed);
  Records records;
  for (int i = 0; i < count; ++i) {
    ExampleBuilder record;
    record.Bytes("label", {std::to_string(random.Below(5))});
    record.Floats("x", {static_cast<float>(random.Below(1 << 20)) / 3});
    if (random.OneIn(2)) record.Int64s("id", {random.Int64()});
    if (random.OneIn(3)) record.Bytes("user", {random.Bytes(random.Below(9))});
    if (random.OneIn(4)) record.Int64s("list", {1, 2, static_cast<int64_t>(i)});
    if (random.OneIn(5)) record.Unset("list");
    if (random.OneIn(50)) record.Floats("user", {NAN, 1});
    if (random.OneIn(60)) record.Bytes("label", {"a", "b"});
    records.push_back(record.Build());
  }
  return records;
}

const StatsOptions kMixedOptions = {
    .by = "label", .categorical = {"id", "list"}, .max_distinct = 64};

// The property that threads, shards and clusters rely on.
TEST(FeatureStats, AnySplitAndOrderGivesTheSameExactPart) {
  for (uint64_t seed = 0; seed < 10; seed += kCaseStride) {
    SCOPED_TRACE(seed);
    const Records records = MixedRecords(seed, 3000);
    const StatsSummary whole =
        CountInBlocks(records, MessageType::kExample, 500, kMixedOptions)
            .Summary();
    Random random(seed);
    std::vector<FeatureStats> parts;
    for (size_t first = 0; first < records.size();) {
      const size_t size =
          std::min(records.size() - first, 1 + random.Below(700));
      std::vector<NumberedRecord> numbered;
      for (size_t i = first; i < first + size; ++i) {
        numbered.push_back({records[i], i});
      }
      StatsOptions options = kMixedOptions;
      options.message = MessageType::kExample;
      FeatureStats part(options);
      ASSERT_TRUE(part.AddRecords("file", numbered, {}).ok());
      parts.push_back(std::move(part));
      first += size;
    }
    // Two of them become one, in any order, until one is left.
    while (parts.size() > 1) {
      const size_t from = random.Below(parts.size() - 1) + 1;
      FeatureStats part = std::move(parts[from]);
      parts.erase(parts.begin() + static_cast<int64_t>(from));
      const size_t to = random.Below(parts.size());
      if (random.OneIn(2)) {
        part = OrThrow(FeatureStats::Parse(part.Serialize()));
      }
      if (random.OneIn(2)) std::swap(part, parts[to]);
      ASSERT_TRUE(parts[to].Merge(part).ok());
    }
    EXPECT_EQ(ExactPart(parts[0].Summary()), ExactPart(whole));
    ExpectLike(parts[0].Summary(),
               NaiveStatsOf(records, MessageType::kExample));
  }
}

TEST(FeatureStats, ClassesHavePresenceAndMean) {
  Records records;
  for (int i = 0; i < 300; ++i) {
    ExampleBuilder record;
    record.Int64s("label", {i % 3})
        .Floats("x", {static_cast<float>(i % 3 * 10)});
    if (i % 3 == 1) record.Bytes("note", {"here"});
    records.push_back(record.Build());
  }
  const StatsSummary found =
      CountInBlocks(records, MessageType::kExample, 100, {.by = "label"})
          .Summary();
  ASSERT_EQ(found.classes.size(), 3u);
  EXPECT_EQ(found.classes[1].first, "1");
  EXPECT_EQ(found.classes[1].second, 100u);
  EXPECT_EQ(found.Find("x")->classes[2].mean, 20);
  EXPECT_EQ(found.Find("note")->classes[1].present, 100u);
  EXPECT_EQ(found.Find("note")->classes[0].present, 0u);
}

TEST(FeatureStats, TooManyClassesAreAnError) {
  const Records records = MixedRecords(1, 300);
  for (const char* by : {"id", "x"}) {
    FeatureStats stats({.message = MessageType::kExample, .by = by});
    std::vector<NumberedRecord> numbered;
    for (const std::string& record : records) numbered.push_back({record, 0});
    const Status status = stats.AddRecords("file", numbered, {});
    EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument) << by;
    EXPECT_THAT(std::string(status.message()), HasSubstr(by));
  }
}

TEST(FeatureStats, OnlyTheFeaturesAskedFor) {
  const StatsSummary found =
      CountInBlocks(MixedRecords(1, 500), MessageType::kExample, 100,
                    {.features = {"x", "user", "none"}})
          .Summary();
  ASSERT_EQ(found.features.size(), 2u);
  EXPECT_EQ(found.features[0].name, "user");
  EXPECT_EQ(found.records, 500u);
}

TEST(FeatureStats, StatisticsOfOtherOptionsDoNotMerge) {
  FeatureStats stats({.message = MessageType::kExample});
  EXPECT_EQ(
      stats.Merge(FeatureStats({.message = MessageType::kSequence})).code(),
      ErrorCode::kInvalidArgument);
  EXPECT_EQ(stats
                .Merge(FeatureStats(
                    {.message = MessageType::kExample, .by = "label"}))
                .code(),
            ErrorCode::kInvalidArgument);
}

// Columns of a batch, where an unset feature is like a missing one.
TEST(FeatureStats, BatchesGiveTheSame) {
  for (const MessageType message :
       {MessageType::kExample, MessageType::kSequence}) {
    RandomExample examples(1, {.plain = true, .max_features = 10});
    Records records;
    for (int i = 0; i < 500; ++i) {
      records.push_back(message == MessageType::kExample
                            ? examples.Next()
                            : examples.NextSequence());
    }
    std::vector<std::string_view> views(records.begin(), records.end());
    FeatureCensus census(message);
    for (const std::string_view record : views) {
      ASSERT_TRUE(census.Add(record, 0).ok());
    }
    Decoder decoder(OrThrow(Plan::ForColumns(census.columns(), message,
                                             census.has_feature_lists())));
    FeatureStats stats({.message = message});
    for (size_t i = 0; i < views.size(); i += 70) {
      const auto some =
          std::span(views).subspan(i, std::min<size_t>(70, views.size() - i));
      ASSERT_TRUE(stats.Add(OrThrow(decoder.Decode(some)), {}).ok());
    }
    StatsSummary naive = NaiveStatsOf(records, message);
    for (FeatureSummary& feature : naive.features) {
      feature.missing += feature.unset;
      feature.unset = 0;
    }
    const StatsSummary found = stats.Summary();
    ASSERT_EQ(found.features.size(), naive.features.size());
    for (size_t i = 0; i < found.features.size(); ++i) {
      SCOPED_TRACE(found.features[i].name);
      EXPECT_EQ(found.features[i].present, naive.features[i].present);
      EXPECT_EQ(found.features[i].missing, naive.features[i].missing);
      ExpectLike(found.features[i].values, naive.features[i].values);
      ExpectLike(found.features[i].steps, naive.features[i].steps);
      ExpectLike(found.features[i].int64s, naive.features[i].int64s);
      ExpectLike(found.features[i].floats, naive.features[i].floats);
      ExpectLike(found.features[i].bytes, naive.features[i].bytes);
    }
  }
}

std::string MixedState() {
  return CountInBlocks(MixedRecords(2, 2000), MessageType::kExample, 500,
                       kMixedOptions)
      .Serialize();
}

TEST(FeatureStats, AreReadBack) {
  const std::string state = MixedState();
  const FeatureStats again = OrThrow(FeatureStats::Parse(state));
  EXPECT_EQ(again.Serialize(), state);
  EXPECT_EQ(again.Summary(),
            CountInBlocks(MixedRecords(2, 2000), MessageType::kExample, 500,
                          kMixedOptions)
                .Summary());
  EXPECT_TRUE(FeatureStats::IsSerialized(state));
  EXPECT_TRUE(FeatureStats::IsSerialized("HRSTATS1"));
  EXPECT_FALSE(FeatureStats::IsSerialized("HRSTATS"));
  EXPECT_FALSE(FeatureStats::IsSerialized("HRSTATSx"));
}

TEST(FeatureStats, OtherVersionsAreRefusedByName) {
  for (const char version : {'0', '1', '3', '9'}) {
    const Result<FeatureStats> stats =
        FeatureStats::Parse(std::string("HRSTATS") + version);
    ASSERT_FALSE(stats.ok());
    EXPECT_EQ(stats.status().message(),
              std::string("the saved statistics have version ") + version +
                  "; this headrace reads version 2");
  }
}

std::vector<std::string> TextsOf(const FeatureStats& stats) {
  std::vector<std::string> texts;
  for (const Notice& notice : stats.notices()) {
    texts.push_back(NoticeText(notice));
  }
  return texts;
}

TEST(FeatureStats, TellWhatTheyLeaveOut) {
  const std::string example = ExampleBuilder().Int64s("a", {1}).Build();
  const std::string lists =
      example + FeatureListsField(EntryField("", FeatureListOf({""})));
  FeatureStats stats =
      CountInBlocks({example, lists}, MessageType::kExample, 1);
  EXPECT_THAT(TextsOf(stats),
              ElementsAre(StartsWith("left out the feature lists of 1 ")));
  EXPECT_THAT(TextsOf(CountInBlocks({lists}, MessageType::kSequence, 1)),
              IsEmpty());
  // Neither saving nor merging loses it.
  const FeatureStats more = OrThrow(FeatureStats::Parse(
      CountInBlocks({lists, lists}, MessageType::kExample, 2).Serialize()));
  ASSERT_THAT(stats.Merge(more), IsOk());
  EXPECT_EQ(stats.num_lists_left_out(), 3u);
  EXPECT_THAT(TextsOf(OrThrow(FeatureStats::Parse(stats.Serialize()))),
              ElementsAre(StartsWith("left out the feature lists of 3 ")));
}

TEST(FeatureStats, TellOfAnotherMessage) {
  const Records events(3, Fixed64Field(1, 7) + LenField(3, "brain.Event:2"));
  FeatureStats stats = CountInBlocks(events, MessageType::kExample, 2);
  EXPECT_THAT(
      TextsOf(OrThrow(FeatureStats::Parse(stats.Serialize()))),
      ElementsAre(StartsWith("none of the first 3 records has a feature")));
  // One that has a field shows that the others are Examples without features.
  const FeatureStats good =
      CountInBlocks({ExampleOf("")}, MessageType::kExample, 1);
  EXPECT_THAT(TextsOf(good), IsEmpty());
  ASSERT_THAT(stats.Merge(good), IsOk());
  EXPECT_THAT(TextsOf(stats), IsEmpty());
}

// No cut or changed bit is believed, whatever its checksum says.
TEST(FeatureStats, DamagedStatesAreRefused) {
  const std::string state = MixedState();
  for (size_t size = 0; size < state.size(); size += 1 + size / 50) {
    EXPECT_FALSE(FeatureStats::Parse(state.substr(0, size)).ok());
  }
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string changed = state;
    changed[random.Below(state.size())] ^=
        static_cast<char>(1 << random.Below(8));
    EXPECT_FALSE(FeatureStats::Parse(changed).ok());
  }
}

// With a right checksum they are read, or refused, and never more than that.
TEST(FeatureStats, ForgedStatesDoNoHarm) {
  const std::string state = MixedState();
  Random random(2);
  int good = 0;
  for (int i = 0; i < 3000 / kCaseStride; ++i) {
    std::string changed = state;
    for (size_t k = 1 + random.Below(3); k > 0; --k) {
      changed[random.Below(state.size() - 8)] =
          static_cast<char>(random.Below(256));
    }
    SealState(&changed);
    const Result<FeatureStats> stats = FeatureStats::Parse(changed);
    if (!stats.ok()) continue;
    ++good;
    for (const FeatureSummary& feature : stats->Summary().features) {
      EXPECT_EQ(WeightOf(feature.values.distribution),
                feature.values.distribution.total);
      if (!feature.int64s) continue;
      EXPECT_EQ(WeightOf(feature.int64s->distribution),
                feature.int64s->distribution.total);
    }
    EXPECT_EQ(
        OrThrow(FeatureStats::Parse(stats->Serialize())).Summary().records,
        stats->Summary().records);
  }
  EXPECT_GT(good, 0);
}

}  // namespace
}  // namespace headrace::testing
