// JsonLineWriter writes what AppendJsonMessage writes of a parsed message,
// whatever it wrote before.

#include "src/exchange/json/json_lines.h"

#include <bit>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/message.h"
#include "src/base/json/json_text.h"
#include "src/sample/example_builder.h"
#include "src/sample/random.h"
#include "src/sample/shapes.h"
#include "tests/naive/naive_json.h"
#include "tests/process/allocation_counter.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/wire_families.h"

namespace headrace::testing {
namespace {

constexpr std::string_view kBefore = "before";

// The line, or the error, behind what the text had before.
std::string LineOf(std::string_view payload, JsonLineWriter* writer) {
  std::string text(kBefore);
  const Status status = writer->Append(payload, &text);
  return status.ok() ? text : text + status.ToString();
}

std::string LineOfMessage(std::string_view payload, MessageType type) {
  std::string text(kBefore);
  const Result<Message> message = ParseMessage(payload, type);
  if (!message.ok()) return text + message.status().ToString();
  AppendJsonMessage(*message, &text);
  return text;
}

// One writer for all records, and for some of them one that knows no keys.
void ExpectSameLines(const std::vector<std::string>& records) {
  for (const MessageType type :
       {MessageType::kExample, MessageType::kSequence}) {
    JsonLineWriter writer(type);
    for (size_t i = 0; i < records.size(); ++i) {
      const std::string expected = LineOfMessage(records[i], type);
      ASSERT_EQ(LineOf(records[i], &writer), expected) << i;
      if (i % 8 != 0) continue;
      JsonLineWriter fresh(type);
      ASSERT_EQ(LineOf(records[i], &fresh), expected) << i;
    }
  }
}

TEST(JsonLineWriter, WritesGeneratedShapes) {
  for (const sample::Shape& shape : sample::Shapes()) {
    std::vector<std::string> records;
    for (uint64_t i = 0; i < 40; ++i) {
      sample::Random random(/*seed=*/1, i);
      sample::ExampleBuilder builder;
      shape.build(i, &random, &builder);
      if (i % 4 == 3) sample::ShuffleKeys(&random, &builder);
      if (i % 4 >= 2) sample::DropKey(&random, &builder);
      records.push_back(builder.Finish());
    }
    ExpectSameLines(records);
  }
}

TEST(JsonLineWriter, WritesRandomRecords) {
  for (const bool plain : {true, false}) {
    RandomExample random(/*seed=*/61, {.plain = plain,
                                       .one_kind_a_key = plain,
                                       .max_values = plain ? 80u : 12u});
    std::vector<std::string> records;
    for (int i = 0; i < 3000; ++i) {
      records.push_back(i % 2 == 0 ? random.Next() : random.NextSequence());
    }
    ExpectSameLines(records);
  }
}

TEST(JsonLineWriter, WritesOrRefusesMutatedRecords) {
  RandomExample random(/*seed=*/62, {.one_kind_a_key = false});
  Mutator mutator(/*seed=*/63);
  std::vector<std::string> records;
  std::string bytes;
  for (int i = 0; i < 20000; i += kCaseStride) {
    bytes = mutator.Mutate(i % 3 == 0 ? i % 2 == 0 ? random.Next()
                                                   : random.NextSequence()
                                      : bytes);
    records.push_back(bytes);
  }
  ExpectSameLines(records);
}

TEST(JsonLineWriter, WritesOrRefusesTheFamilies) {
  std::vector<std::string> records;
  const auto append = [&](const std::vector<Specimen>& specimens) {
    for (const Specimen& specimen : specimens) {
      records.push_back(specimen.bytes);
    }
  };
  for (const Level& level : Levels()) {
    append(RejectedAt(level));
    append(AcceptedAt(level));
  }
  append(RejectedRecords());
  append(AcceptedRecords());
  ExpectSameLines(records);
}

TEST(JsonLineWriter, WritesOrRefusesEveryFlipAndCut) {
  const std::string record =
      ExampleBuilder()
          .Int64s("ids", {1, -1, 300})
          .Floats("f", {1.5f, -0.0f, 1e-7f})
          .Bytes("b", {"text", "\xff", "\xc2\x80\"\\"})
          .Unset("u")
          .Build() +
      FeatureListsField(EntryField(
          "k", FeatureListOf({Int64Feature({1, 2}), "", FloatFeature({})})));
  std::vector<std::string> records;
  for (size_t i = 0; i < record.size(); ++i) {
    records.push_back(record.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      records.push_back(record);
      records.back()[i] = static_cast<char>(records.back()[i] ^ (1 << bit));
    }
  }
  ExpectSameLines(records);
}

TEST(JsonLineWriter, FloatsThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::string not_finite = FloatFeature({1.0f, nan, -infinity});
  ExpectSameLines({
      ExampleBuilder().Floats("a", {infinity}).Floats("b", {1.0f}).Build(),
      ExampleBuilder().Floats("a", {1.0f}).Floats("b", {nan, 2.0f}).Build(),
      // Lists that others of another kind replace.
      ExampleBuilder().Feature("a", not_finite + Int64Feature({7})).Build(),
      ExampleBuilder()
          .Feature("a", not_finite + Int64Feature({7}) + FloatFeature({2.0f}))
          .Build(),
      ExampleBuilder().Floats("a", {nan}).Floats("a", {2.0f}).Build(),
      FeatureListsField(EntryField(
          "k", FeatureListOf({not_finite, FloatFeature({2.0f}), not_finite}))),
  });
}

// As many numbers as are written at once, and about as many.
TEST(JsonLineWriter, ListsOfAllLengths) {
  std::vector<std::string> records;
  for (int count = 0; count < 140; ++count) {
    std::vector<int64_t> ids;
    std::vector<float> floats;
    for (int i = 0; i < count; ++i) {
      ids.push_back(std::numeric_limits<int64_t>::min() + i);
      floats.push_back(std::bit_cast<float>(0xff7fffffu - uint32_t(i)));
    }
    records.push_back(
        ExampleBuilder().Int64s("i", ids).Floats("f", floats).Build());
  }
  ExpectSameLines(records);
}

// Keys come and go, in any order, many and few in turns.
TEST(JsonLineWriter, KeysOfAnyNumberAndOrder) {
  testing::Random random(/*seed=*/64);
  std::vector<std::string> records;
  for (int i = 0; i < 600; ++i) {
    ExampleBuilder builder;
    const size_t count = random.OneIn(20) ? 400 : random.Below(8);
    const size_t keys = random.OneIn(2) ? 10 : 100'000;
    for (size_t k = 0; k < count; ++k) {
      builder.Int64s("key" + std::to_string(random.Below(keys)), {i});
    }
    records.push_back(builder.Build());
  }
  ExpectSameLines(records);
}

// Keys of one size with the same first and last bytes, and their beginnings.
TEST(JsonLineWriter, KeysThatLookAlike) {
  std::vector<std::string> records;
  for (int i = 0; i < 20; ++i) {
    ExampleBuilder builder;
    for (int k = 0; k < 4; ++k) {
      const int digit = (i * k) % 5;
      builder.Int64s("first bytes " + std::to_string(digit) + " last bytes",
                     {i, k});
      builder.Int64s(std::string("eight_or").substr(0, size_t(4 + k)), {k});
      builder.Int64s("eight_or" + std::string(size_t(k), '\0'), {k});
    }
    records.push_back(builder.Build());
  }
  ExpectSameLines(records);
}

TEST(JsonLineWriter, RawRecordsAreBytes) {
  JsonLineWriter writer(MessageType::kRaw);
  for (const std::string_view payload : {"", "text \"", "\xff\xd8\xff"}) {
    std::string expected(kBefore);
    AppendJsonBytes(payload, &expected);
    EXPECT_EQ(LineOf(payload, &writer), expected);
  }
}

TEST(JsonLineWriter, KeepsWhatIsAskedFor) {
  const std::string record =
      ExampleBuilder().Int64s("a", {1}).Int64s("b", {2}).Build() +
      FeatureListsField(EntryField("a", FeatureListOf({})) +
                        EntryField("c", FeatureListOf({})));
  std::set<std::string> asked;
  JsonLineWriter writer(MessageType::kSequence, [&](std::string_view name) {
    asked.emplace(name);
    return name == "a";
  });
  for (int i = 0; i < 2; ++i) {
    // Names of a message that is refused are not asked for.
    const std::string bad = ExampleBuilder().Int64s("d", {1}).Build() + "\x0a";
    EXPECT_NE(LineOf(bad, &writer), kBefore);
    EXPECT_EQ(LineOf(record, &writer),
              R"(before{"context":{"a":[1]},"feature_lists":{"a":[]}})");
  }
  EXPECT_EQ(asked, (std::set<std::string>{"a", "b", "c"}));
}

TEST(JsonLineWriter, NeedsAMessageType) {
  JsonLineWriter automatic(MessageType::kAuto);
  std::string text;
  EXPECT_EQ(automatic.Append("", &text).code(), ErrorCode::kInvalidArgument);
  JsonLineWriter moved = std::move(automatic);
  EXPECT_EQ(automatic.Append("", &text).code(),  // NOLINT
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(text, "");
}

TEST(JsonLineWriter, TakesNoMemoryInSteadyState) {
  if (!AllocationsAreCounted()) GTEST_SKIP() << "not with this sanitizer";
  RandomExample random(/*seed=*/65, {.plain = true, .max_values = 50});
  std::vector<std::string> records;
  for (int i = 0; i < 100; ++i) records.push_back(random.NextSequence());
  JsonLineWriter writer(MessageType::kSequence);
  std::string line;
  size_t before = 0;
  for (int i = 0; i < 4; ++i) {
    if (i == 1) before = AllocationCount();
    for (const std::string& record : records) {
      line.clear();
      ASSERT_TRUE(writer.Append(record, &line).ok());
    }
  }
  EXPECT_EQ(AllocationCount() - before, 0u);
}

}  // namespace
}  // namespace headrace::testing
