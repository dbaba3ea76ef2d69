// ParseMessage, SerializeMessage and their small siblings.

#include "headrace/message.h"

#include <string>

#include "tests/naive/naive_decoder.h"
#include "tests/naive/protobuf_oracle.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/random/sequences.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_families.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

// Where things go wrong is told apart from what is wrong.
TEST(ParseMessage, ErrorsSayWhere) {
  const std::string bad = FeatureOf(Kind::kInt64, LenField(1, Hex("0180")));
  const std::string before = EntryField("first", Int64Feature({1, 2}));
  const std::string record = ExampleOf(before + EntryField("second", bad));
  const auto message = ParseMessage(record, MessageType::kExample);
  EXPECT_THAT(message, IsError(ErrorCode::kMalformed, {.feature = "second"}));
  ASSERT_NE(message.status().info(), nullptr);
  EXPECT_GE(message.status().info()->offset, before.size());
  EXPECT_LE(message.status().info()->offset, record.size());
}

TEST(ParseMessage, BadKeyIsMalformed) {
  const std::string record = ExampleOf(EntryField(Hex("ff"), ""));
  EXPECT_THAT(ParseMessage(record, MessageType::kExample),
              HasCode(ErrorCode::kMalformed));
}

TEST(ParseMessage, TheTypeMustBeKnown) {
  for (const MessageType type : {MessageType::kAuto, MessageType::kRaw}) {
    EXPECT_THAT(ParseMessage("", type), HasCode(ErrorCode::kInvalidArgument));
  }
}

void ExpectRoundTrip(std::string_view bytes, MessageType type) {
  const auto message = ParseMessage(bytes, type);
  if (!message.ok()) return;
  const auto written = OrThrow(SerializeMessage(*message));
  EXPECT_EQ(NaiveParse(written, type), NaiveParse(bytes, type))
      << "from " << ToHex(bytes);
  // A Message does not say whether there was an empty Features.
  if (message->features.empty()) return;
  EXPECT_EQ(ToHex(written), ToHex(ProtobufCanonical(bytes, type).value_or("")))
      << "from " << ToHex(bytes);
}

TEST(SerializeMessage, WritesWhatProtobufWrites) {
  for (MessageType type : {MessageType::kExample, MessageType::kSequence}) {
    for (const Specimen& specimen : AcceptedRecords()) {
      SCOPED_TRACE(specimen.name);
      ExpectRoundTrip(specimen.bytes, type);
    }
    RandomExample records(/*seed=*/4, {.one_kind_a_key = false});
    for (int i = 0; i < 500; ++i) ExpectRoundTrip(records.Next(), type);
  }
}

TEST(SerializeMessage, RefusesKeysThatAreNotUtf8) {
  Message message;
  message.features[Hex("c0")] = {};
  EXPECT_THAT(SerializeMessage(message), HasCode(ErrorCode::kInvalidArgument));
  Message lists{.type = MessageType::kSequence};
  lists.feature_lists[Hex("c0")] = {};
  lists.has_feature_lists = true;
  EXPECT_THAT(SerializeMessage(lists), HasCode(ErrorCode::kInvalidArgument));
}

TEST(HasFeatureLists, LooksForAnEntry) {
  const std::string example = ExampleBuilder().Int64s("a", {1}).Build();
  const std::string lists = FeatureListsField(EntryField("", ""));
  EXPECT_FALSE(HasFeatureLists(""));
  EXPECT_FALSE(HasFeatureLists(example));
  EXPECT_TRUE(HasFeatureLists(lists));
  EXPECT_TRUE(HasFeatureLists(example + lists));
  EXPECT_FALSE(HasFeatureLists(FeatureListsField("")));
  EXPECT_FALSE(HasFeatureLists(example + FeatureListsField("")));
  EXPECT_FALSE(HasFeatureLists(VarintField(2, 1)));
  EXPECT_FALSE(HasFeatureLists(Group(2)));
  EXPECT_FALSE(HasFeatureLists(lists + Hex("00")));
  EXPECT_FALSE(HasFeatureLists(Hex("12")));
}

TEST(HasFeatureLists, AgreesWithTheOracleOnMessages) {
  RandomExample records(/*seed=*/5, {});
  Mutator mutator(/*seed=*/6);
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = mutator.Mutate(records.Next());
    const auto message = NaiveParse(bytes, MessageType::kSequence);
    if (!message) continue;
    EXPECT_EQ(HasFeatureLists(bytes), !message->feature_lists.empty())
        << ToHex(bytes);
  }
}

TEST(IsUtf8, EveryShortString) {
  for (size_t size = 0; size <= 2; ++size) {
    ForEachString(size, [](const std::string& text) {
      EXPECT_EQ(IsUtf8(text), NaiveIsUtf8(text)) << ToHex(text);
      return !::testing::Test::HasFailure();
    });
  }
}

// Three and four bytes: only bytes at the edges of the rules matter.
TEST(IsUtf8, EdgesOfLongCharacters) {
  std::vector<std::string> bytes;
  for (const char* hex : {"00", "41", "7f", "80", "8f", "90", "9f", "a0", "bf",
                          "c0", "c1", "c2", "df", "e0", "ec", "ed", "ee", "ef",
                          "f0", "f1", "f3", "f4", "f5", "f7", "f8", "ff"}) {
    bytes.push_back(Hex(hex));
  }
  ForEachSequence(bytes, 4, [](const std::string& text) {
    EXPECT_EQ(IsUtf8(text), NaiveIsUtf8(text)) << ToHex(text);
    return !::testing::Test::HasFailure();
  });
}

// Vectors of text at a time must not miss what lies across their edges.
TEST(IsUtf8, OddCharactersAtEveryPosition) {
  const std::vector<std::string> characters = {
      Hex("c3a9"),   Hex("e697a5"), Hex("f09f9982"), Hex("80"),
      Hex("eda080"), Hex("c3"),     Hex("f4908080"), Hex("e28228")};
  for (const std::string& character : characters) {
    for (size_t size : {15u, 16u, 31u, 33u, 64u, 130u}) {
      for (size_t at = 0; at + character.size() <= size; ++at) {
        std::string text(size, 'a');
        text.replace(at, character.size(), character);
        EXPECT_EQ(IsUtf8(text), NaiveIsUtf8(text)) << ToHex(text);
      }
    }
  }
}

}  // namespace
}  // namespace headrace::testing
