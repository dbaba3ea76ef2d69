// FeatureCensus against the naive decoder.

#include "src/plan/infer/census.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/naive/naive_columns.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_families.h"

namespace headrace::testing {
namespace {

// Counted the slow way, from messages of records that count.
struct Counts {
  uint64_t present = 0;
  uint64_t unset = 0;
  uint64_t empty = 0;
  uint64_t values = 0;
  uint64_t min_length = ~uint64_t{0};
  uint64_t max_length = 0;
};

void CountFeature(const NaiveFeature& feature, Counts* counts) {
  ++counts->present;
  if (feature.kind == Kind::kNull) {
    ++counts->unset;
    return;
  }
  if (feature.size() == 0) ++counts->empty;
  counts->values += feature.size();
  counts->min_length = std::min<uint64_t>(counts->min_length, feature.size());
  counts->max_length = std::max<uint64_t>(counts->max_length, feature.size());
}

void ExpectCounts(const std::map<std::string, Counts>& expected,
                  const FeatureCensus& census) {
  ASSERT_EQ(census.features().size(), expected.size());
  for (const auto& [key, counts] : expected) {
    SCOPED_TRACE("key " + ToHex(key));
    const auto found = census.features().find(key);
    ASSERT_NE(found, census.features().end());
    EXPECT_EQ(found->second.present, counts.present);
    EXPECT_EQ(found->second.unset, counts.unset);
    EXPECT_EQ(found->second.empty, counts.empty);
    EXPECT_EQ(found->second.values, counts.values);
    if (counts.present == counts.unset) continue;
    EXPECT_EQ(found->second.min_length, counts.min_length);
    EXPECT_EQ(found->second.max_length, counts.max_length);
  }
}

// Adds all records to a census and compares every answer.
void CheckCensus(const std::vector<std::string>& bytes) {
  const std::vector<std::string_view> records(bytes.begin(), bytes.end());
  FeatureCensus census(MessageType::kExample);
  std::map<std::string, Counts> counts;
  uint64_t counted = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto message = NaiveParse(records[i], MessageType::kExample);
    const std::vector<ColumnField> known =
        NaiveFields(std::span(records).first(i));
    const NaiveResult expected = NaiveDecode({&records[i], 1}, known);
    const Status status = census.Add(records[i], i);
    EXPECT_THAT(status, HasCode(expected.code)) << ToHex(records[i]);
    if (!status.ok() || !message) continue;
    ++counted;
    for (const auto& [key, feature] : message->features) {
      CountFeature(feature, &counts[key]);
    }
  }
  EXPECT_EQ(census.num_records(), counted);
  EXPECT_EQ(census.columns(), NaiveFields(records));
  ExpectCounts(counts, census);
}

TEST(FeatureCensus, WireFamilies) {
  std::vector<std::string> records;
  for (const Level& level : Levels()) {
    if (level.type != MessageType::kExample) continue;
    for (const auto& family : {RejectedAt(level), AcceptedAt(level)}) {
      for (const Specimen& specimen : family) {
        FeatureCensus census;
        const auto message = NaiveParse(specimen.bytes, MessageType::kExample);
        EXPECT_EQ(census.Add(specimen.bytes, 0).ok(), message.has_value())
            << specimen.name;
      }
    }
  }
  for (const Specimen& specimen : AcceptedRecords()) {
    CheckCensus({specimen.bytes, specimen.bytes});
  }
}

TEST(FeatureCensus, RandomRecords) {
  for (bool one_kind_a_key : {true, false}) {
    RandomExample records(/*seed=*/41, {.one_kind_a_key = one_kind_a_key});
    Mutator mutator(/*seed=*/42);
    for (int batch = 0; batch < 60; ++batch) {
      std::vector<std::string> bytes;
      for (int i = 0; i < 20; ++i) {
        bytes.push_back(records.Next());
        if (i % 4 == 0) bytes.push_back(mutator.Mutate(bytes.back()));
      }
      CheckCensus(bytes);
    }
  }
}

TEST(FeatureCensus, KindIsThatOfTheFirstTypedOccurrence) {
  FeatureCensus census;
  EXPECT_THAT(census.Add(ExampleBuilder().Unset("a").Build(), 7), IsOk());
  EXPECT_THAT(census.columns(), ElementsAre(ColumnField{"a", Kind::kNull}));
  EXPECT_THAT(census.Add(ExampleBuilder().Floats("a", {}).Build(), 8), IsOk());
  EXPECT_THAT(census.columns(), ElementsAre(ColumnField{"a", Kind::kFloat}));
  EXPECT_EQ(census.features().at("a").first_typed_record, 8u);
  EXPECT_EQ(census.features().at("a").present, 2u);
}

TEST(FeatureCensus, ConflictsAreListedAndNotCounted) {
  FeatureCensus census;
  EXPECT_THAT(census.Add(ExampleBuilder().Int64s("a", {1}).Build(), 3), IsOk());
  const std::string conflict =
      ExampleBuilder().Bytes("a", {"x"}).Int64s("new", {1}).Build();
  const Status status = census.Add(conflict, 5);
  EXPECT_THAT(status,
              IsError(ErrorCode::kWrongKind,
                      {.feature = "a", .expected = "int64", .found = "bytes"}));
  EXPECT_THAT(census.Add(conflict, 6), HasCode(ErrorCode::kWrongKind));
  EXPECT_EQ(census.num_records(), 1u);
  EXPECT_EQ(census.num_conflicts(), 2u);
  EXPECT_THAT(census.columns(), ElementsAre(ColumnField{"a", Kind::kInt64}));
  ASSERT_EQ(census.conflicts().size(), 1u);
  const KindConflict& first = census.conflicts()[0];
  EXPECT_EQ(first.feature, "a");
  EXPECT_EQ(first.first, Kind::kInt64);
  EXPECT_EQ(first.first_record, 3u);
  EXPECT_EQ(first.second, Kind::kBytes);
  EXPECT_EQ(first.second_record, 5u);
}

// 40 bytes of a value are shown, but no part of a character.
TEST(FeatureCensus, ExamplesOfTextAreCutBetweenCharacters) {
  const auto example = [](const std::string& value) {
    FeatureCensus census;
    EXPECT_THAT(census.Add(ExampleBuilder().Bytes("a", {value}).Build(), 0),
                IsOk());
    return census.features().at("a").example;
  };
  const std::string a39(39, 'a'), more(9, 'b');
  EXPECT_EQ(example(a39 + "b"), '"' + a39 + "b\"");
  EXPECT_EQ(example(a39 + "bb"), '"' + a39 + "b...\" (41 bytes)");
  EXPECT_EQ(example(a39 + "\u00e9" + more), '"' + a39 + "...\" (50 bytes)");
  EXPECT_EQ(example(a39.substr(2) + "\U0001F600" + more),
            '"' + a39.substr(2) + "...\" (50 bytes)");
  EXPECT_EQ(example(a39.substr(3) + "\U0001F600" + more),
            '"' + a39.substr(3) + "\U0001F600...\" (49 bytes)");
}

TEST(FeatureCensus, ManyConflictsAreCountedButNotKept) {
  FeatureCensus census;
  for (uint64_t i = 0; i < 1500; ++i) {
    const std::string key = "key " + std::to_string(i);
    EXPECT_THAT(census.Add(ExampleBuilder().Int64s(key, {1}).Build(), 2 * i),
                IsOk());
    EXPECT_THAT(
        census.Add(ExampleBuilder().Floats(key, {1}).Build(), 2 * i + 1),
        HasCode(ErrorCode::kWrongKind));
  }
  EXPECT_EQ(census.num_conflicts(), 1500u);
  EXPECT_EQ(census.conflicts().size(), 1000u);
}

TEST(FeatureCensus, MalformedLeavesItAsItWas) {
  FeatureCensus census;
  const std::string good = ExampleBuilder().Int64s("a", {1}).Build();
  EXPECT_THAT(census.Add(good, 0), IsOk());
  EXPECT_THAT(census.Add(good + Hex("00"), 1), HasCode(ErrorCode::kMalformed));
  EXPECT_EQ(census.num_records(), 1u);
  EXPECT_EQ(census.features().at("a").present, 1u);
  EXPECT_THAT(census.conflicts(), IsEmpty());
}

TEST(FeatureCensus, FeatureListsOfSequences) {
  FeatureCensus census(MessageType::kSequence);
  const std::string context = ExampleBuilder().Int64s("c", {1}).Build();
  EXPECT_THAT(census.Add(context, 0), IsOk());
  EXPECT_FALSE(census.has_feature_lists());
  const std::string list =
      FeatureListOf({Int64Feature({1, 2}), "", Int64Feature({})});
  EXPECT_THAT(census.Add(context + FeatureListsField(EntryField("s", list)), 1),
              IsOk());
  EXPECT_TRUE(census.has_feature_lists());
  ASSERT_EQ(census.feature_lists().count("s"), 1u);
  const FeatureCount& steps = census.feature_lists().at("s");
  EXPECT_EQ(steps.kind, Kind::kInt64);
  EXPECT_EQ(steps.lists, 1u);
  EXPECT_EQ(steps.present, 3u);
  EXPECT_EQ(steps.unset, 1u);
  EXPECT_EQ(steps.empty, 1u);
  EXPECT_EQ(steps.values, 2u);
  EXPECT_EQ(steps.min_steps, 3u);
  EXPECT_EQ(steps.max_steps, 3u);
  EXPECT_EQ(census.features().at("c").present, 2u);
}

}  // namespace
}  // namespace headrace::testing
