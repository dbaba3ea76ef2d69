// MessageJudge: what records hold, told from the first of them.

#include "src/plan/infer/message_judge.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "headrace/notice.h"
#include "src/decode/census/block_census.h"
#include "src/plan/infer/census.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

const std::string kEvent = Fixed64Field(1, 7) + LenField(3, "brain.Event:2");
const std::string kLists =
    FeatureListsField(EntryField("a", FeatureListOf({Int64Feature({1})})));
const std::string kExample = ExampleBuilder().Int64s("a", {1}).Build();
// It has what looks like feature lists, and is no SequenceExample.
const std::string kSong = LenField(2, "song.mid");
// It is one, whose feature lists have an unknown field alone.
const std::string kDisguised =
    Fixed64Field(1, 0) + LenField(2, Fixed64Field(3, 0));

MessageJudge Judge(const std::vector<std::string>& records,
                   MessageType message = MessageType::kAuto) {
  MessageJudge judge(message);
  for (const std::string& record : records) judge.Look(record);
  return judge;
}

TEST(MessageJudgeTest, ChoosesSequenceExamplesByAnEntry) {
  EXPECT_EQ(Judge({}).message(), MessageType::kExample);
  EXPECT_EQ(Judge({kExample}).message(), MessageType::kExample);
  EXPECT_EQ(Judge({kExample, kLists}).message(), MessageType::kSequence);
  // An entry may have an empty key and no steps, but there must be one.
  const std::string empty_entry = FeatureListsField(EntryField("", ""));
  EXPECT_EQ(Judge({empty_entry}).message(), MessageType::kSequence);
  for (const std::string& record :
       {FeatureListsField(""), kSong, kDisguised, kExample + kSong,
        kExample + kDisguised, kLists + "\x80"}) {
    EXPECT_EQ(Judge({record}).message(), MessageType::kExample);
  }
  EXPECT_EQ(Judge({kLists}, MessageType::kExample).message(),
            MessageType::kExample);
}

TEST(MessageJudgeTest, DecidesByTheFirstHundred) {
  std::vector<std::string> records(99, kExample);
  records.push_back(kLists);
  EXPECT_EQ(Judge(records).message(), MessageType::kSequence);
  records.insert(records.begin(), kExample);
  EXPECT_EQ(Judge(records).message(), MessageType::kExample);
  MessageJudge judge;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(judge.WantsMore());
    judge.Look(kExample);
  }
  EXPECT_FALSE(judge.WantsMore());
  // Bytes that are no message count, or a pipe of them would be kept whole.
  MessageJudge of_others;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(of_others.WantsMore());
    of_others.Look("\x80");
  }
  EXPECT_FALSE(of_others.WantsMore());
  EXPECT_FALSE(of_others.HoldOther());
  MessageJudge decided;
  decided.Look(kLists);
  EXPECT_FALSE(decided.WantsMore());
}

TEST(MessageJudgeTest, KnowsAnotherMessage) {
  const auto auto_type = MessageType::kAuto;
  const auto example = MessageType::kExample;
  const auto sequence = MessageType::kSequence;
  const auto elwc = MessageType::kElwc;
  const struct {
    std::string record;
    MessageType message;
    bool is_other;
  } cases[] = {
      {"", auto_type, false},
      {kExample, auto_type, false},
      {ExampleOf(""), example, false},  // features, though empty
      {kEvent, auto_type, true},
      {kEvent, example, true},
      {kEvent, sequence, true},
      {kEvent, elwc, true},
      {kEvent, MessageType::kExampleInExample, true},
      {kEvent, MessageType::kRaw, false},
      {kSong, auto_type, true},
      {kDisguised, auto_type, true},
      {kDisguised, sequence, true},
      {LenField(1, Fixed64Field(1, 0)), example, true},
      {kLists, auto_type, false},
      {kLists, sequence, false},
      {kLists, example, false},  // SequenceExamples, which are read as Examples
      {FeatureListsField(""), sequence, false},
      {FeatureListsField(""), auto_type, false},
      {FeatureListsField(""), example, false},
      {LenField(1, kExample), elwc, false},
      {LenField(2, kExample), elwc, false},
      {LenField(2, ""), elwc, false},
      {kEvent + kExample, example, false},
      {"\x80", example, false},  // reading it is an error
  };
  for (const auto& [record, message, is_other] : cases) {
    EXPECT_EQ(Judge({record, record}, message).HoldOther(), is_other)
        << static_cast<int>(message);
    // One record that is right is enough, wherever it is.
    EXPECT_FALSE(Judge({record, ExampleOf("")}, example).HoldOther());
    EXPECT_EQ(Judge({"", record, ""}, message).HoldOther(), is_other);
  }
}

TEST(MessageJudgeTest, CountsWhatItLookedAt) {
  const MessageJudge judge = Judge({kEvent, "", kEvent, "\x80"});
  EXPECT_EQ(judge.num_records(), 3u);
  EXPECT_EQ(judge.num_bytes(), 2 * kEvent.size());
  const Notice notice = OtherMessageNotice(judge);
  EXPECT_EQ(NoticeText(notice),
            "none of the first 3 records has a feature, though they have 48 "
            "bytes: they seem to hold another message (an event file of "
            "TensorBoard?); message \"raw\" reads payloads");
  EXPECT_THAT(NoticeText(notice, Words::kProgram),
              HasSubstr("; --message raw reads payloads"));
  EXPECT_THAT(NoticeText(notice, Words::kPython),
              HasSubstr("; message=\"raw\" reads payloads"));
  EXPECT_THAT(NoticeText(OtherMessageNotice(Judge({kEvent}))),
              HasSubstr("the first record does not have a feature, though it "
                        "has 24 bytes: it seems to hold another"));
}

// The census asks a judge, and BlockCensus agrees with it.
TEST(MessageJudgeTest, DecidesForACensus) {
  for (const auto& records : {std::vector<std::string>{kEvent, kEvent},
                              {kExample, kSong},
                              {kExample + kSong, kExample},
                              {kExample + kLists, kExample},
                              std::vector<std::string>(300, kEvent),
                              std::vector<std::string>(300, kExample)}) {
    FeatureCensus census(MessageType::kAuto);
    BlockCensus blocks(MessageType::kAuto);
    std::vector<NumberedRecord> numbered;
    for (const std::string& record : records) {
      EXPECT_THAT(census.Add(record, 0), IsOk());
      numbered.push_back({record, 0});
    }
    EXPECT_THAT(blocks.Add(numbered,
                           [](size_t, const Status& status) { return status; }),
                IsOk());
    const MessageJudge judge = Judge(records);
    for (const FeatureCensus* found :
         std::initializer_list<const FeatureCensus*>{&census,
                                                     &blocks.census()}) {
      EXPECT_EQ(found->message(), judge.message());
      EXPECT_EQ(found->judge().HoldOther(), judge.HoldOther());
      EXPECT_EQ(found->notices().size(), judge.HoldOther() ? 1u : 0u);
    }
  }
}

TEST(MessageJudgeTest, ACensusCountsFeatureListsThatItLeavesOut) {
  std::vector<std::string> records(150, kExample);
  records.resize(250, kExample + kLists);
  records.push_back(kExample + kSong);
  for (const auto message : {MessageType::kAuto, MessageType::kExample}) {
    FeatureCensus census(message);
    BlockCensus blocks(message);
    std::vector<NumberedRecord> numbered;
    for (const std::string& record : records) {
      EXPECT_THAT(census.Add(record, 0), IsOk());
      numbered.push_back({record, 0});
    }
    EXPECT_THAT(blocks.Add(numbered, [](size_t, const Status& s) { return s; }),
                IsOk());
    for (const FeatureCensus* found :
         std::initializer_list<const FeatureCensus*>{&census,
                                                     &blocks.census()}) {
      EXPECT_EQ(found->num_lists_left_out(), 100u);
      ASSERT_THAT(found->notices(), SizeIs(1));
      EXPECT_EQ(NoticeText(found->notices()[0], Words::kProgram),
                "left out the feature lists of 100 records, which are read as "
                "Examples; --message sequence_example reads them");
    }
  }
}

}  // namespace
}  // namespace headrace::testing
