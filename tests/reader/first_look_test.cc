// What the first records show of a plan is said: another message, and features
// that none of them has.

#include <string>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/notice.h"
#include "headrace/reader.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/compressions.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

const std::string kEvent = Fixed64Field(1, 7) + LenField(3, "brain.Event:2");

std::string Age(int64_t age) {
  return ExampleBuilder().Int64s("age", {age}).Bytes("name", {"x"}).Build();
}

std::vector<std::string> Ages(size_t count) {
  return std::vector<std::string>(count, Age(30));
}

FeatureSpec SpecOf(const std::string& key) {
  return FeatureSpec().Add(key, FixedLen(DType::kInt64).Default(0));
}

std::vector<std::string> TextsOf(const ReadReport& report) {
  std::vector<std::string> texts;
  for (const Notice& notice : report.notices) {
    texts.push_back(NoticeText(notice));
  }
  return texts;
}

Transcript Read(const std::vector<std::string>& records,
                const FeatureSpec& spec, ReadOptions options = {}) {
  const TemporaryFile file(RecordFile(records));
  const Plan plan = OrThrow(Plan::Compile(spec));
  options.batch_size = 10;
  Transcript read = ReadAll({file.path()}, options, &plan);
  options.threads = 3;
  const Transcript other = ReadAll({file.path()}, options, &plan);
  EXPECT_EQ(read.rows, other.rows);
  EXPECT_EQ(TextsOf(read.report), TextsOf(other.report));
  EXPECT_EQ(read.status.ToString(), other.status.ToString());
  return read;
}

constexpr char kOther[] =
    "none of the first 256 records has a feature, though they have 6,144 "
    "bytes: "
    "they seem to hold another message (an event file of TensorBoard?); "
    "message \"raw\" reads payloads";

TEST(FirstLookTest, AnotherMessageIsAnErrorForAPlan) {
  const std::vector<std::string> events(300, kEvent);
  for (const auto on_absent : {OnAbsent::kWarn, OnAbsent::kError}) {
    const Transcript read =
        Read(events, SpecOf("age"), {.on_absent = on_absent});
    EXPECT_THAT(read.status, HasCode(ErrorCode::kMalformed));
    EXPECT_EQ(read.status.message(), kOther);
    EXPECT_NE(read.status.info()->file, "");
    EXPECT_THAT(read.rows, IsEmpty());
  }
  const Transcript wanted =
      Read(events, SpecOf("age"), {.on_absent = OnAbsent::kIgnore});
  EXPECT_THAT(wanted.status, IsOk());
  EXPECT_THAT(wanted.rows, SizeIs(300));
  EXPECT_THAT(TextsOf(wanted.report), ElementsAre(kOther));
}

TEST(FirstLookTest, AnotherMessageIsNoticedWhereColumnsAreFound) {
  const TemporaryFile file(RecordFile(std::vector<std::string>(3, kEvent)));
  for (const size_t threads : {1u, 3u}) {
    const Transcript read = ReadAll({file.path()}, {.threads = threads});
    EXPECT_THAT(read.status, IsOk());
    EXPECT_THAT(read.rows, SizeIs(3));
    EXPECT_THAT(TextsOf(read.report),
                ElementsAre(StartsWith("none of the first 3 records has a")));
  }
  const Transcript raw = ReadAll({file.path()}, {.message = MessageType::kRaw});
  EXPECT_THAT(TextsOf(raw.report), IsEmpty());
}

TEST(FirstLookTest, EmptyRecordsAndFeaturesAreNoOtherMessage) {
  for (const std::string& record : {std::string(), ExampleOf("")}) {
    const std::vector<std::string> records(3, record);
    EXPECT_THAT(Read(records, SpecOf("age")).status, IsOk());
    const TemporaryFile file(RecordFile(records));
    EXPECT_THAT(TextsOf(ReadAll({file.path()}, {}).report), IsEmpty());
  }
}

// The records that a reader begins with are looked at, whatever file they are
// in.
TEST(FirstLookTest, LooksAtTheFirstRecordsOfAllFiles) {
  const Plan plan = OrThrow(Plan::Compile(SpecOf("age")));
  for (const size_t events : {3u, 255u, 256u}) {
    const TemporaryFile first(
        RecordFile(std::vector<std::string>(events, kEvent)));
    const TemporaryFile second(RecordFile(Ages(9)));
    const TemporaryFile empty("");
    const Transcript read =
        ReadAll({empty.path(), first.path(), second.path()}, {}, &plan);
    EXPECT_EQ(read.status.ok(), events < 256) << events;
    EXPECT_THAT(read.rows, SizeIs(events < 256 ? events + 9 : 0));
    // This shard has other files.
    const Transcript shard =
        ReadAll({first.path(), second.path()},
                {.shard = {.index = 1, .count = 2}}, &plan);
    EXPECT_THAT(shard.status, IsOk());
    EXPECT_THAT(shard.rows, SizeIs(9));
    // So has a reader that goes on behind them.
    const Transcript resumed = ReadAll(
        {first.path(), second.path()},
        {.resume_after = RowOrigin{.record = 0, .offset = 0, .file = 1}},
        &plan);
    EXPECT_THAT(resumed.status, IsOk());
    EXPECT_THAT(resumed.rows, SizeIs(8));
    const Transcript ranges = ReadAll(
        {first.path(), second.path()},
        {.record_ranges = {{.begin = 1, .end = 1}, {.begin = 2, .end = 6}}},
        &plan);
    EXPECT_THAT(ranges.status, IsOk());
    EXPECT_THAT(ranges.rows, SizeIs(4));
  }
}

TEST(FirstLookTest, LooksAtTheFirstRecordsOfItsPartOfAFile) {
  std::vector<std::string> records(300, kEvent);
  records.resize(600, Age(1));
  const DamagedFile whole(records);
  const TemporaryFile file(whole.bytes());
  const Plan plan = OrThrow(Plan::Compile(SpecOf("age")));
  for (const size_t threads : {1u, 3u}) {
    const auto read = [&](ReadOptions options) {
      options.threads = threads;
      return ReadAll({file.path()}, options, &plan);
    };
    EXPECT_THAT(read({}).status, HasCode(ErrorCode::kMalformed));
    const Transcript range = read({.range = {.begin = whole.offset(300)}});
    EXPECT_THAT(range.status, IsOk());
    EXPECT_THAT(range.rows, SizeIs(300));
    const Transcript first = read({.shard = {.index = 0, .count = 4}});
    EXPECT_THAT(first.status, HasCode(ErrorCode::kMalformed));
    const Transcript last = read({.shard = {.index = 3, .count = 4}});
    EXPECT_THAT(last.status, IsOk());
    EXPECT_GT(last.rows.size(), 100u);
    const Transcript resumed =
        read({.resume_after =
                  RowOrigin{.record = 300, .offset = whole.offset(300)}});
    EXPECT_THAT(resumed.status, IsOk());
    EXPECT_THAT(resumed.rows, SizeIs(299));
  }
}

TEST(FirstLookTest, LooksIntoCompressedFiles) {
  const Plan plan = OrThrow(Plan::Compile(SpecOf("age_")));
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(CompressedFile(Ages(300), compression));
    for (const size_t threads : {1u, 3u}) {
      const Transcript read =
          ReadAll({file.path()}, {.threads = threads}, &plan);
      EXPECT_THAT(read.rows, SizeIs(300));
      EXPECT_THAT(TextsOf(read.report),
                  ElementsAre(StartsWith("none of the first 256 records has")));
    }
  }
}

TEST(FirstLookTest, AMisspeltFeatureIsNoticedByItsLikeness) {
  const Transcript read = Read(Ages(300), SpecOf("age_"));
  EXPECT_THAT(read.status, IsOk());
  EXPECT_THAT(read.rows, SizeIs(300));
  // Once, though no record at all has it.
  EXPECT_THAT(TextsOf(read.report),
              ElementsAre("none of the first 256 records has \"age_\"; did you "
                          "mean \"age\"?"));
  ASSERT_THAT(read.report.notices, SizeIs(1));
  EXPECT_EQ(read.report.notices[0].kind, NoticeKind::kMisspelt);
  EXPECT_TRUE(read.report.notices[0].has_default);
  ASSERT_THAT(read.report.absent, SizeIs(1));
  // A key that the plan names itself is not the one that was meant.
  FeatureSpec both = SpecOf("age_");
  both.Add("age", FixedLen(DType::kInt64));
  EXPECT_THAT(TextsOf(Read(Ages(3), both).report),
              ElementsAre("no record has feature \"age_\": all rows have its "
                          "default"));
}

TEST(FirstLookTest, FeaturesOfEveryLayoutMayBeMisspelt) {
  FeatureSpec spec;
  const auto number = DType::kInt64;
  spec.Add("age_", VarLen(number));
  spec.Add("r", Ragged(number, {}, "Age"));
  spec.Add("s", Sparse({"nam"}, "names", number, {9}));
  const Transcript read =
      Read(Ages(3), spec, {.on_row_error = OnRowError::kSkip});
  EXPECT_THAT(TextsOf(read.report),
              ElementsAre(HasSubstr("\"age_\"; did you mean \"age\"?"),
                          HasSubstr("\"Age\"; did you mean \"age\"?"),
                          HasSubstr("\"names\"; did you mean \"name\"?"),
                          HasSubstr("\"nam\"; did you mean \"name\"?")));
}

TEST(FirstLookTest, WhatNoRecordHadIsSaidAtTheEnd) {
  FeatureSpec spec = SpecOf("zebra");
  spec.Add("ages", VarLen(DType::kInt64));
  spec.Add("yak", VarLen(DType::kInt64));
  const Transcript read = Read(Ages(3), spec);
  EXPECT_THAT(
      TextsOf(read.report),
      ElementsAre("none of the first 3 records has \"ages\"; did you mean "
                  "\"age\"?",
                  "no record has feature \"zebra\": all rows have its default",
                  "no record has feature \"yak\""));
  // Before the end nobody knows.
  const TemporaryFile file(RecordFile(Ages(20)));
  Reader reader = OrThrow(Reader::Open(
      {file.path()}, OrThrow(Plan::Compile(spec)), {.batch_size = 4}));
  ASSERT_TRUE(reader.Next());
  EXPECT_THAT(reader.report().notices, SizeIs(1));
  EXPECT_THAT(reader.report().absent, SizeIs(3));
}

TEST(FirstLookTest, AFeatureThatComesLateIsNotAbsent) {
  std::vector<std::string> records(300, ExampleBuilder().Build());
  records.push_back(Age(1));
  const Transcript read = Read(records, SpecOf("age"));
  EXPECT_THAT(TextsOf(read.report), IsEmpty());
  EXPECT_THAT(read.report.absent, IsEmpty());
}

TEST(FirstLookTest, AbsentFeaturesMayBeErrors) {
  const ReadOptions strict = {.on_absent = OnAbsent::kError};
  const Transcript misspelt = Read(Ages(300), SpecOf("age_"), strict);
  EXPECT_THAT(misspelt.status, HasCode(ErrorCode::kMissingFeature));
  EXPECT_EQ(misspelt.status.message(),
            "none of the first 256 records has \"age_\"; did you mean "
            "\"age\"?");
  EXPECT_EQ(misspelt.status.info()->feature, "age_");
  EXPECT_EQ(misspelt.status.info()->record, kUnknown);
  EXPECT_THAT(misspelt.rows, IsEmpty());
  // Of several the one whose name is like another's is named.
  FeatureSpec spec = SpecOf("zebra");
  EXPECT_EQ(Read(Ages(3), spec, strict).status.message(),
            "none of the first 3 records has \"zebra\"");
  spec.Add("ages", VarLen(DType::kInt64));
  EXPECT_EQ(Read(Ages(3), spec, strict).status.info()->feature, "ages");
  EXPECT_THAT(Read({}, spec, strict).status, IsOk());
  EXPECT_THAT(Read(Ages(3), SpecOf("age"), strict).status, IsOk());
}

// The one row that has "x" is bad.
TEST(FirstLookTest, WhatNoRowHadIsAnErrorAtTheEnd) {
  FeatureSpec spec = SpecOf("x");
  spec.Add("age", FixedLen(DType::kInt64));
  std::vector<std::string> records = Ages(30);
  records[1] = ExampleBuilder().Int64s("x", {1}).Build();
  const Transcript read =
      Read(records, spec,
           {.on_row_error = OnRowError::kSkip, .on_absent = OnAbsent::kError});
  EXPECT_THAT(read.status, HasCode(ErrorCode::kMissingFeature));
  EXPECT_EQ(read.status.message(),
            "no record has feature \"x\": all rows have its default");
  EXPECT_THAT(read.rows, SizeIs(29));
}

TEST(FirstLookTest, AbsentFeaturesMayBeIgnored) {
  const Transcript read =
      Read(Ages(30), SpecOf("age_"), {.on_absent = OnAbsent::kIgnore});
  EXPECT_THAT(TextsOf(read.report), IsEmpty());
  ASSERT_THAT(read.report.absent, SizeIs(1));
  EXPECT_EQ(read.report.absent[0].name, "age_");
}

TEST(FirstLookTest, NoticesAreListedUpToTheLimit) {
  FeatureSpec spec = SpecOf("age_");
  spec.Add("names", VarLen(DType::kBytes));
  spec.Add("zebra", VarLen(DType::kBytes));
  for (const size_t limit : {0u, 1u, 2u, 3u}) {
    ReadOptions options;
    options.limits.max_reported = limit;
    EXPECT_THAT(Read(Ages(3), spec, options).report.notices, SizeIs(limit));
  }
}

TEST(FirstLookTest, ReadsNothingTwice) {
  MemoryFiles files;
  files["a"].bytes = RecordFile(Ages(5000));
  files["a"].can_seek = false;
  const Plan plan = OrThrow(Plan::Compile(SpecOf("age_")));
  for (const size_t threads : {1u, 3u}) {
    files["a"].bytes_read = 0;
    const Transcript read =
        ReadAll({"a"}, Through(&files, {.threads = threads}), &plan);
    EXPECT_THAT(read.status, IsOk());
    EXPECT_THAT(read.rows, SizeIs(5000));
    EXPECT_THAT(TextsOf(read.report), SizeIs(1));
    EXPECT_EQ(files["a"].bytes_read, files["a"].bytes.size());
  }
  // A pipe may give no more than the first batch for long.
  const Transcript few =
      ReadAll({"a"}, Through(&files, {.batch_size = 7}), &plan);
  EXPECT_THAT(TextsOf(few.report),
              ElementsAre(StartsWith("none of the first 7 records has")));
}

TEST(FirstLookTest, DamagedRecordsShowNothing) {
  std::vector<std::string> records = Ages(6);
  records[0] = kEvent;
  DamagedFile damaged(records);
  damaged.FlipByte(damaged.offset(0) + 14);
  damaged.FlipByte(damaged.offset(3) + 14);
  const TemporaryFile file(damaged.bytes());
  const Plan plan = OrThrow(Plan::Compile(SpecOf("age")));
  for (const size_t threads : {1u, 3u}) {
    const Transcript failed =
        ReadAll({file.path()}, {.threads = threads}, &plan);
    EXPECT_THAT(failed.status, HasCode(ErrorCode::kPayloadCrc));
    EXPECT_EQ(failed.status.info()->record, 0u);
    for (const auto policy : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      const Transcript read = ReadAll(
          {file.path()}, {.on_corrupt = policy, .threads = threads}, &plan);
      EXPECT_THAT(read.status, IsOk());
      EXPECT_THAT(read.rows, SizeIs(4));
      EXPECT_EQ(read.report.num_regions, 2u);
      EXPECT_EQ(read.origins[0].record, 1u);
    }
  }
}

// The stream fails while it is looked at; rows before that come first.
TEST(FirstLookTest, AnErrorBehindTheFirstRecordsComesInItsPlace) {
  const TemporaryFile first(RecordFile(Ages(3)));
  DamagedFile cut(Ages(5));
  cut.CutTo(static_cast<size_t>(cut.offset(4)) + 5);
  const TemporaryFile second(cut.bytes());
  const Plan plan = OrThrow(Plan::Compile(SpecOf("age_")));
  for (const size_t threads : {1u, 3u}) {
    const Transcript read =
        ReadAll({first.path(), second.path()},
                {.batch_size = 2, .threads = threads}, &plan);
    EXPECT_THAT(read.status, HasCode(ErrorCode::kTruncatedHeader));
    EXPECT_EQ(read.status.info()->record, 4u);
    EXPECT_THAT(read.rows, SizeIs(7));
    EXPECT_THAT(TextsOf(read.report),
                ElementsAre(StartsWith("none of the first 7 records has")));
  }
}

const std::string kTokens =
    FeatureListsField(EntryField("tokens", FeatureListOf({Int64Feature({1})})));

TEST(FirstLookTest, APlanOfExamplesForSequenceExamples) {
  const std::vector<std::string> records(20, Age(1) + kTokens);
  const Transcript read = Read(records, SpecOf("tokens"));
  EXPECT_THAT(read.status, IsOk());
  EXPECT_EQ(read.report.num_lists_left_out, 20u);
  EXPECT_THAT(
      TextsOf(read.report),
      ElementsAre(
          "none of the first 20 records has \"tokens\"; did you mean the "
          "feature list \"tokens\", which a spec for SequenceExamples reads?",
          "left out the feature lists of 20 records, which are read as "
          "Examples; message \"sequence\" reads them"));
  EXPECT_THAT(TextsOf(Read(records, SpecOf("token")).report),
              ElementsAre(HasSubstr("has \"token\"; did you mean the feature "
                                    "list \"tokens\", which a spec"),
                          StartsWith("left out the feature lists of 20")));
  const Transcript other = Read(records, SpecOf("zebra"));
  EXPECT_THAT(
      TextsOf(other.report),
      ElementsAre(
          "none of the first 20 records has a feature of the plan, which is "
          "for Examples; they have feature lists: message \"sequence\" and a "
          "spec for it read them",
          StartsWith("left out the feature lists of 20 records"),
          StartsWith("no record has feature \"zebra\"")));
  // A plan that reads their context leaves out the lists.
  EXPECT_THAT(TextsOf(Read(records, SpecOf("age")).report),
              ElementsAre(StartsWith("left out the feature lists of 20")));
  FeatureSpec context(MessageType::kSequence);
  context.Add("age", FixedLen(DType::kInt64));
  const Transcript wanted = Read(records, context);
  EXPECT_THAT(TextsOf(wanted.report), IsEmpty());
  EXPECT_EQ(wanted.report.num_lists_left_out, 0u);
}

TEST(FirstLookTest, NamesOfFeatureLists) {
  const std::vector<std::string> records(3, Age(1) + kTokens);
  FeatureSpec spec(MessageType::kSequence);
  spec.Add("tokens", VarLen(DType::kInt64));
  spec.AddSequence("token", VarLen(DType::kInt64));
  spec.AddSequence("age", VarLen(DType::kInt64));
  EXPECT_THAT(
      TextsOf(Read(records, spec).report),
      ElementsAre("none of the first 3 records has \"tokens\"; did you mean "
                  "the feature list \"tokens\"?",
                  "none of the first 3 records has the feature list \"token\"; "
                  "did you mean the feature list \"tokens\"?",
                  "none of the first 3 records has the feature list \"age\"; "
                  "did you mean \"age\", which is not a feature list?"));
}

TEST(FirstLookTest, NamesInListsOfExamples) {
  const std::string list = LenField(1, Age(1)) + LenField(2, Age(2));
  FeatureSpec spec(MessageType::kElwc);
  spec.Add("nam", VarLen(DType::kBytes));
  spec.AddToExamples("age_", VarLen(DType::kInt64));
  EXPECT_THAT(
      TextsOf(Read({list, list}, spec).report),
      ElementsAre("none of the first 2 records has \"nam\" in its context; did "
                  "you mean \"name\" in its context?",
                  "none of the first 2 records has \"age_\" in its Examples; "
                  "did you mean \"age\" in its Examples?"));
}

// This list happens to parse as an Example, whose feature has a name of bytes.
TEST(FirstLookTest, ListsOfExamplesForASpecOfExamples) {
  const std::string list = LenField(1, Age(1)) + LenField(2, Age(2));
  FeatureSpec spec;
  spec.Add("age", VarLen(DType::kInt64));
  EXPECT_THAT(
      TextsOf(Read({list, list}, spec).report),
      ElementsAre(
          "none of the first 2 records has a feature of the plan, which "
          "is for Examples; they look like ExampleListWithContext: "
          "message \"elwc\" and a spec for it read them",
          HasSubstr("message \"elwc\" reads them"), HasSubstr("age")));
}

TEST(FirstLookTest, NamesInListsInsideOfAnExample) {
  const std::string record = ExampleBuilder()
                                 .Bytes("serialized_context", {Age(2)})
                                 .Bytes("serialized_examples", {Age(1), Age(3)})
                                 .Build();
  FeatureSpec spec(MessageType::kExampleInExample);
  spec.Add("age", VarLen(DType::kInt64));
  spec.AddToExamples("names", VarLen(DType::kBytes));
  EXPECT_THAT(TextsOf(Read({record, record}, spec).report),
              ElementsAre("none of the first 2 records has \"names\" in its "
                          "Examples; did you mean \"name\" in its Examples?"));
}

// Feature lists that are left out are counted, whoever chose Examples.
TEST(LeftOutListsTest, AreCounted) {
  std::vector<std::string> records = Ages(120);
  records.resize(150, Age(1) + kTokens);
  // Neither is a feature list.
  records.push_back(Age(1) + LenField(2, "song.mid"));
  records.push_back(Age(1) + FeatureListsField(""));
  const TemporaryFile file(RecordFile(records));
  const Plan plan = OrThrow(Plan::Compile(SpecOf("age")));
  for (const size_t threads : {1u, 3u}) {
    for (const Plan* given : {static_cast<const Plan*>(nullptr), &plan}) {
      for (const auto message : {MessageType::kAuto, MessageType::kExample}) {
        const Transcript read = ReadAll(
            {file.path()},
            {.message = message, .sample = 100, .threads = threads}, given);
        EXPECT_THAT(read.status, IsOk());
        EXPECT_THAT(read.rows, SizeIs(152));
        EXPECT_EQ(read.report.num_lists_left_out, 30u);
        EXPECT_THAT(TextsOf(read.report),
                    ElementsAre(StartsWith("left out the feature lists of 30 "
                                           "records")));
      }
    }
  }
}

// A field that only looks like feature lists is unknown to an Example.
TEST(LeftOutListsTest, UnknownFieldsAreNone) {
  std::vector<std::string> records = Ages(3);
  for (std::string& record : records) record += LenField(2, "song.mid");
  const TemporaryFile file(RecordFile(records));
  for (const auto message : {MessageType::kAuto, MessageType::kExample}) {
    const Transcript read = ReadAll({file.path()}, {.message = message});
    EXPECT_THAT(read.status, IsOk());
    EXPECT_THAT(read.rows, SizeIs(3));
    EXPECT_EQ(read.report.num_lists_left_out, 0u);
  }
  const std::string wrong = ExampleBuilder().Floats("age", {1}).Build();
  records.push_back(wrong + LenField(2, "song.mid"));
  const TemporaryFile bad(RecordFile(records));
  const Transcript read = ReadAll({bad.path()}, {.sample = 2});
  EXPECT_THAT(read.status, HasCode(ErrorCode::kWrongKind));
  EXPECT_EQ(read.status.info()->feature, "age");
  EXPECT_THAT(read.rows, SizeIs(3));
}

TEST(DecoderReportTest, SaysWhatTheRecordsShow) {
  const std::string event = kEvent, age = Age(1), lists = Age(1) + kTokens;
  const auto report = [](const FeatureSpec& spec,
                         const std::vector<std::string>& records) {
    Decoder decoder(OrThrow(Plan::Compile(spec)));
    EXPECT_THAT(decoder.Decode({}), IsOk());
    EXPECT_THAT(decoder.report().notices, IsEmpty());
    for (const std::string_view record : records) {
      EXPECT_THAT(decoder.Decode({&record, 1}), IsOk());
    }
    return decoder.report();
  };
  EXPECT_THAT(TextsOf(report(SpecOf("age"), {event, age})),
              ElementsAre(StartsWith("the first record does not have a "
                                     "feature, though it has 24 bytes")));
  EXPECT_THAT(TextsOf(report(SpecOf("age_"), {age, age})),
              ElementsAre("the first record does not have \"age_\"; did you "
                          "mean \"age\"?"));
  const ReadReport absent = report(SpecOf("zebra"), {age, lists, lists});
  ASSERT_THAT(absent.absent, SizeIs(1));
  EXPECT_EQ(absent.absent[0].name, "zebra");
  EXPECT_EQ(absent.num_lists_left_out, 2u);
  EXPECT_THAT(TextsOf(absent),
              ElementsAre(StartsWith("left out the feature lists of 2")));
  EXPECT_THAT(TextsOf(report(SpecOf("age"), {age, event})), IsEmpty());
  // The records stay what they are in later calls.
  Decoder strict(OrThrow(Plan::Compile(SpecOf("age_"))),
                 {.on_absent = OnAbsent::kError});
  const std::string_view first = age;
  for (int i = 0; i < 2; ++i) {
    const Status status = strict.Decode({&first, 1}).status();
    EXPECT_THAT(status, HasCode(ErrorCode::kMissingFeature));
    EXPECT_EQ(status.info()->feature, "age_");
  }
  Decoder raw(Plan::ForRaw());
  const std::string_view record = event;
  EXPECT_THAT(raw.Decode({&record, 1}), IsOk());
  EXPECT_THAT(raw.report().notices, IsEmpty());
}

}  // namespace
}  // namespace headrace::testing
