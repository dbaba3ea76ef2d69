// BlockCensus against FeatureCensus, which walks every record.

#include "src/decode/census/block_census.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/plan/infer/census.h"
#include "tests/agreement/census_agreement.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/random/record_shapes.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_families.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

using Records = std::vector<std::string>;

// Blocks of a record or two are walked, larger ones decoded.
void ExpectAgreement(const Records& records, MessageType message,
                     std::vector<size_t> sizes = {1, 300, 60, 7, 1000}) {
  EXPECT_EQ(CensusDifference(records, message, sizes), "");
}

// Record number i of some similar ones.
using MakeRecord = std::function<std::string(int i)>;

Records Make(int count, const MakeRecord& make) {
  Records records;
  for (int i = 0; i < count; ++i) records.push_back(make(i));
  return records;
}

std::string LongKey(int i) {
  return "a key that pays for its column, number " + std::to_string(i);
}

TEST(BlockCensus, RecordsOfWriters) {
  for (const RecordShape& shape : RecordShapes()) {
    SCOPED_TRACE(shape.name);
    Random random(/*seed=*/1);
    const bool is_large = shape.name == "blobs" || shape.name == "floats";
    const Records records = Make(is_large ? 20 : 400 / kCaseStride,
                                 [&](int) { return shape.make(&random); });
    const bool sequence = shape.name == "sequence";
    ExpectAgreement(records,
                    sequence ? MessageType::kSequence : MessageType::kExample);
    ExpectAgreement(records, MessageType::kAuto, {1000});
  }
}

TEST(BlockCensus, ListsOfExamplesAmongOthers) {
  const std::string example = ExampleBuilder().Int64s("a", {1}).Build();
  // The context of a list is its field 2, and an Example its field 1.
  const std::string list = LenField(1, example) + LenField(2, example);
  for (const Records& first : {Records{}, {""}, {"", "\xff"}, {example}}) {
    Records records = first;
    records.insert(records.end(), 200, list);
    ExpectAgreement(records, MessageType::kAuto);
  }
}

TEST(BlockCensus, RandomRecords) {
  ForEachTarget([] {
    for (const MessageType message :
         {MessageType::kExample, MessageType::kSequence, MessageType::kAuto}) {
      for (int seed = 0; seed < 6; seed += kCaseStride) {
        SCOPED_TRACE(seed);
        RandomExample examples(static_cast<uint64_t>(seed),
                               {.plain = seed % 3 == 0,
                                .one_kind_a_key = seed % 4 != 0,
                                .max_features = seed % 2 == 0 ? 6u : 30u});
        Mutator mutator(static_cast<uint64_t>(seed));
        const size_t one_in = size_t{1} << (seed % 5 * 2);
        Random random(static_cast<uint64_t>(seed));
        ExpectAgreement(
            Make(600,
                 [&](int) {
                   std::string record = message == MessageType::kExample
                                            ? examples.Next()
                                            : examples.NextSequence();
                   return random.OneIn(one_in) ? mutator.Mutate(record)
                                               : record;
                 }),
            message);
      }
    }
  });
}

// Each record comes between records of a writer, at every place in a block.
TEST(BlockCensus, WireFamiliesBetweenPlainRecords) {
  Records families[2];
  for (const Level& level : Levels()) {
    for (const auto& family : {RejectedAt(level), AcceptedAt(level)}) {
      for (const Specimen& specimen : family) {
        families[level.type == MessageType::kSequence].push_back(
            specimen.bytes);
      }
    }
  }
  for (const auto& family : {RejectedRecords(), AcceptedRecords()}) {
    for (const Specimen& specimen : family) {
      families[0].push_back(specimen.bytes);
    }
  }
  for (const bool sequence : {false, true}) {
    RandomExample plain(/*seed=*/5, {.plain = true, .max_features = 30});
    Records records;
    for (const std::string& odd : families[sequence]) {
      if (records.size() % kCaseStride == 0) {
        records.push_back(sequence ? plain.NextSequence() : plain.Next());
      }
      records.push_back(odd);
    }
    ASSERT_GT(records.size(), 1000u);
    ExpectAgreement(records,
                    sequence ? MessageType::kSequence : MessageType::kExample);
  }
}

// A feature without a kind gets one in the middle of a block, or two.
TEST(BlockCensus, KindsFoundLate) {
  for (const bool other_first : {false, true}) {
    for (const int at : {1, 2, 100, 255, 256, 300}) {
      for (const Kind kind : {Kind::kInt64, Kind::kFloat, Kind::kBytes}) {
        ExpectAgreement(Make(500,
                             [&](int i) {
                               ExampleBuilder record;
                               record.Int64s(LongKey(0), {i}).Unset(LongKey(2));
                               record.Bytes(LongKey(3), {});
                               if (i < at)
                                 return record.Unset(LongKey(1)).Build();
                               if ((i == at) == other_first) {
                                 return record
                                     .Feature(LongKey(1), FeatureOf(kind, ""))
                                     .Build();
                               }
                               return record.Int64s(LongKey(1), {i}).Build();
                             }),
                        MessageType::kExample);
      }
    }
  }
}

// With many columns the plan stays for a while, also when a column turns out
// to be of another kind than it took it for. One of these places is shortly
// before the end of a chunk, so that the next one is decoded by that plan.
TEST(BlockCensus, KindsOtherThanThePlanTook) {
  for (int at = 5; at < 300; at += 10) {
    ExpectAgreement(Make(400,
                         [&](int i) {
                           ExampleBuilder record;
                           for (int key = 0; key < 80; ++key) {
                             record.Int64s(std::to_string(key), {i});
                           }
                           if (i < at) return record.Unset("late").Build();
                           if (i == at) record.Floats("late", {1});
                           if (i != at) record.Int64s("late", {i});
                           return record.Build();
                         }),
                    MessageType::kExample);
  }
}

// The first value is the example, whoever counts it.
TEST(BlockCensus, ExamplesAreOfTheFirstValue) {
  for (const int at : {3, 40, 200, 255, 256}) {
    ExpectAgreement(Make(400,
                         [&](int i) {
                           ExampleBuilder record;
                           record.Int64s(LongKey(0), {i});
                           record.Bytes(
                               LongKey(1),
                               i < at ? Records() : Records{std::to_string(i)});
                           // This one is walked.
                           if (i % 7 == 0)
                             record.Unset("new " + std::to_string(i));
                           return record.Build();
                         }),
                    MessageType::kExample);
  }
}

TEST(BlockCensus, ConflictsWithDecodedRecords) {
  ExpectAgreement(Make(900,
                       [](int i) {
                         ExampleBuilder record;
                         record.Int64s(LongKey(0), {i});
                         if (i % 50 == 49) record.Floats(LongKey(1), {1});
                         if (i % 50 != 49) record.Int64s(LongKey(1), {1, 2});
                         if (i % 90 == 89) record.Bytes("new", {"x"});
                         return record.Build();
                       }),
                  MessageType::kExample);
}

TEST(BlockCensus, EverNewKeys) {
  for (const int every : {1, 2, 10}) {
    ExpectAgreement(Make(700,
                         [&](int i) {
                           ExampleBuilder record;
                           record.Floats(LongKey(0), {1, 2}).Bytes("b", {"x"});
                           if (i % every == 0) record.Int64s(LongKey(i), {i});
                           return record.Build();
                         }),
                    MessageType::kExample);
  }
}

// A key that comes twice in a record is the last one's.
TEST(BlockCensus, RepeatedKeys) {
  ExpectAgreement(
      Make(300,
           [](int i) {
             ExampleBuilder record;
             record.Int64s(LongKey(0), {1, 2, 3}).Floats(LongKey(1), {1});
             if (i % 3 == 0) record.Unset(LongKey(0));
             if (i % 5 == 0) record.Bytes(LongKey(1), {"x"});
             if (i % 7 == 0) record.Floats(LongKey(1), {1, 2});
             return record.Build();
           }),
      MessageType::kExample);
}

TEST(BlockCensus, FeatureListsFoundLate) {
  for (const MessageType message :
       {MessageType::kSequence, MessageType::kAuto, MessageType::kExample}) {
    for (const int at : {0, 50, 99, 100, 300}) {
      ExpectAgreement(
          Make(600,
               [&](int i) {
                 std::string record =
                     ExampleBuilder().Int64s(LongKey(0), {i}).Build();
                 if (i < at) return record;
                 if (i == at) return record + FeatureListsField("");
                 const std::string list =
                     FeatureListOf(i % 2 == 0 ? Records{Int64Feature({1, 2}),
                                                        "", Int64Feature({})}
                                              : Records{"", ""});
                 return record + FeatureListsField(EntryField("s", list) +
                                                   EntryField("t", ""));
               }),
          message);
    }
  }
}

TEST(BlockCensus, LargeRecords) {
  Random random(/*seed=*/3);
  ExpectAgreement(Make(40,
                       [&](int i) {
                         const size_t size =
                             i % 3 == 0 ? size_t{300} << 10 : 100;
                         return ExampleBuilder()
                             .Bytes("b", {random.Bytes(size)})
                             .Int64s("a", {i})
                             .Build();
                       }),
                  MessageType::kExample);
}

// What comes behind the record that the caller does not accept is not counted.
TEST(BlockCensus, EndsWhereTheCallerSays) {
  const std::string bad = Hex("FF");
  Records records(200, ExampleBuilder().Int64s(LongKey(0), {1}).Build());
  for (const size_t at : {size_t{0}, size_t{1}, size_t{150}}) {
    Records some = records;
    some[at] = bad;
    std::vector<NumberedRecord> numbered;
    for (const std::string& record : some) {
      numbered.push_back({record, 1000 + numbered.size()});
    }
    BlockCensus census;
    const Status status =
        census.Add(numbered, [&](size_t i, const Status& error) {
          EXPECT_EQ(i, at);
          EXPECT_EQ(error.info()->record, 1000 + at);
          return error;
        });
    EXPECT_THAT(status, HasCode(ErrorCode::kMalformed));
    EXPECT_EQ(census.census().num_records(), at);
    // It goes on with what the caller gives next.
    numbered.erase(numbered.begin(),
                   numbered.begin() + 1 + static_cast<std::ptrdiff_t>(at));
    EXPECT_THAT(
        census.Add(numbered, [](size_t, const Status& error) { return error; }),
        IsOk());
    EXPECT_EQ(census.census().num_records(), 199u);
  }
}

TEST(BlockCensus, MovesWithItsCensus) {
  const Records records(100, ExampleBuilder().Int64s(LongKey(0), {1}).Build());
  std::vector<NumberedRecord> numbered;
  for (const std::string& record : records) numbered.push_back({record, 0});
  const auto refuse = [](size_t, const Status& error) { return error; };
  BlockCensus first;
  EXPECT_THAT(first.Add(numbered, refuse), IsOk());
  BlockCensus second(std::move(first));
  EXPECT_THAT(second.Add(numbered, refuse), IsOk());
  BlockCensus third;
  third = std::move(second);
  EXPECT_THAT(third.Add(numbered, refuse), IsOk());
  EXPECT_EQ(third.census().num_records(), 300u);
  EXPECT_EQ(third.census().features().at(LongKey(0)).values, 300u);
}

}  // namespace
}  // namespace headrace::testing
