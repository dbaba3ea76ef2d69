// ReadOptions::strict_columns: what the sample did not show is an error of the
// row that has it.

#include <string>
#include <vector>

#include "headrace/reader.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

// Ten good rows, this record, and ten more good ones. The sample shows "id",
// and "odd" without a kind.
std::vector<std::string> WithTheEleventh(const std::string& record) {
  std::vector<std::string> records = IdRecords(0, 20);
  records[0] = ExampleBuilder().Int64s("id", {0}).Unset("odd").Build();
  records.insert(records.begin() + 10, record);
  return records;
}

Transcript ReadStrictly(const std::vector<std::string>& records,
                        ReadOptions options) {
  const TemporaryFile file(RecordFile(records));
  options.sample = 5;
  options.strict_columns = true;
  return ReadAll({file.path()}, options);
}

void ExpectLate(const std::string& record, const std::string& feature,
                const std::string& expected, const std::string& found) {
  const std::vector<std::string> records = WithTheEleventh(record);
  for (const size_t threads : {1u, 3u}) {
    ReadOptions options{.batch_size = 4, .threads = threads};
    const Transcript failed = ReadStrictly(records, options);
    EXPECT_THAT(failed.rows, SizeIs(10));
    ASSERT_THAT(failed.status, IsError(ErrorCode::kWrongKind,
                                       {.feature = feature,
                                        .record = 10u,
                                        .expected = expected,
                                        .found = found,
                                        .text = "is not in the sample"}));
    const ErrorInfo& info = *failed.status.info();
    EXPECT_NE(info.offset, kUnknown);
    EXPECT_NE(info.file, "");
    EXPECT_THAT(failed.report.late, IsEmpty());

    options.on_row_error = OnRowError::kSkip;
    const Transcript skipped = ReadStrictly(records, options);
    EXPECT_THAT(skipped.status, IsOk());
    EXPECT_THAT(skipped.rows, SizeIs(20));
    ASSERT_THAT(skipped.report.rows, SizeIs(1));
    EXPECT_EQ(skipped.report.rows[0].info()->message, info.message);
    EXPECT_EQ(skipped.report.num_late, 0u);
    options.max_bad = 0;
    EXPECT_THAT(ReadStrictly(records, options).status,
                HasCode(ErrorCode::kTooManyBad));
  }
}

void ExpectGood(const std::string& record) {
  const Transcript read = ReadStrictly(WithTheEleventh(record), {});
  EXPECT_THAT(read.status, IsOk());
  EXPECT_THAT(read.rows, SizeIs(21));
}

TEST(StrictColumns, AFeatureThatIsNoColumn) {
  ExpectLate(ExampleBuilder().Int64s("id", {1}).Floats("late", {1}).Build(),
             "late", "no such feature", "float");
  // Also without a kind or a value, of which the report counts the key.
  ExpectLate(ExampleBuilder().Unset("late").Build(), "late", "no such feature",
             "null");
  ExpectLate(ExampleBuilder().Bytes("late", {}).Build(), "late",
             "no such feature", "bytes");
  // Of an entry that comes again the last counts.
  ExpectLate(ExampleBuilder().Int64s("late", {1}).Bytes("late", {}).Build(),
             "late", "no such feature", "bytes");
}

TEST(StrictColumns, AValueInAColumnWithoutKind) {
  ExpectLate(ExampleBuilder().Int64s("odd", {}).Build(), "odd", "null",
             "int64");
  ExpectGood(ExampleBuilder().Unset("odd").Int64s("id", {3}).Build());
  ExpectGood(ExampleBuilder().Int64s("odd", {1}).Unset("odd").Build());
  ExpectGood("");
}

TEST(StrictColumns, AKindThatContradictsTheSampleIsNamedFirst) {
  const Transcript read = ReadStrictly(
      WithTheEleventh(
          ExampleBuilder().Int64s("a", {1}).Floats("id", {1}).Build()),
      {});
  EXPECT_THAT(read.status, IsError(ErrorCode::kWrongKind,
                                   {.feature = "id", .expected = "int64"}));
}

TEST(StrictColumns, FeatureLists) {
  const auto record = [](const std::string& list, const std::string& step) {
    return ExampleBuilder().Int64s("id", {1}).Build() +
           FeatureListsField(EntryField(list, FeatureListOf({"", step})));
  };
  std::vector<std::string> records(10, record("steps", ""));
  const auto status = [&](const std::string& last, OnRowError on_row_error) {
    std::vector<std::string> all = records;
    all.push_back(last);
    return ReadStrictly(all, {.on_row_error = on_row_error}).status;
  };
  EXPECT_THAT(status(record("steps", ""), OnRowError::kFail), IsOk());
  const Status late =
      status(record("more", FloatFeature({1})), OnRowError::kFail);
  EXPECT_THAT(
      late, IsError(ErrorCode::kWrongKind, {.feature = "more",
                                            .found = "float",
                                            .text = "feature list \"more\""}));
  const Status typed =
      status(record("steps", BytesFeature({})), OnRowError::kFail);
  EXPECT_THAT(typed, IsError(ErrorCode::kWrongKind,
                             {.expected = "null", .found = "bytes"}));
  EXPECT_THAT(status(record("more", ""), OnRowError::kSkip), IsOk());
}

// Records that were taken for Examples, because the sample has no feature list.
TEST(StrictColumns, FeatureListsOfWhatLookedLikeExamples) {
  const std::vector<std::string> records =
      WithTheEleventh(ExampleBuilder().Int64s("id", {1}).Build() +
                      FeatureListsField(EntryField(
                          "steps", FeatureListOf({FloatFeature({1})}))));
  const TemporaryFile file(RecordFile(records));
  for (const size_t threads : {1u, 3u}) {
    ReadOptions options{.batch_size = 4, .sample = 5, .threads = threads};
    const Transcript read = ReadAll({file.path()}, options);
    EXPECT_THAT(read.status, IsOk());
    EXPECT_THAT(read.rows, SizeIs(21));
    EXPECT_EQ(read.report.num_late, 1u);
    ASSERT_THAT(read.report.late, SizeIs(1));
    const LateFeature& late = read.report.late[0];
    EXPECT_EQ(late.name, "steps");
    EXPECT_EQ(late.kind, Kind::kFloat);
    EXPECT_TRUE(late.in_sequence);

    options.strict_columns = true;
    const Transcript strict = ReadAll({file.path()}, options);
    EXPECT_THAT(strict.status, IsError(ErrorCode::kWrongKind,
                                       {.feature = "steps", .record = 10u}));

    // To who says what they are, they are Examples with a field nobody knows.
    options.message = MessageType::kExample;
    const Transcript examples = ReadAll({file.path()}, options);
    EXPECT_THAT(examples.status, IsOk());
    EXPECT_EQ(examples.report.num_late, 0u);
  }
}

// A plan of columns that another reader found: what has no value is no loss.
TEST(StrictColumns, APlanOfASample) {
  const Plan plan = IdPlan();
  const std::string late =
      ExampleBuilder().Int64s("id", {1}).Floats("late", {1}).Build();
  const std::string empty =
      ExampleBuilder().Int64s("id", {1}).Unset("empty").Build();
  std::vector<std::string> records = WithTheEleventh(late);
  records.push_back(empty);
  const TemporaryFile file(RecordFile(records));
  for (const size_t threads : {1u, 3u}) {
    ReadOptions options{.batch_size = 4, .threads = threads};
    EXPECT_EQ(ReadAll({file.path()}, options, &plan).report.num_late, 0u);
    options.plan_is_of_sample = true;
    const Transcript read = ReadAll({file.path()}, options, &plan);
    EXPECT_THAT(read.status, IsOk());
    ASSERT_THAT(read.report.late, SizeIs(1));
    EXPECT_EQ(read.report.late[0].name, "late");
    EXPECT_EQ(read.report.num_late, 1u);
    options.strict_columns = true;
    options.on_row_error = OnRowError::kSkip;
    const Transcript strict = ReadAll({file.path()}, options, &plan);
    EXPECT_THAT(strict.rows, SizeIs(records.size() - 1));
    ASSERT_THAT(strict.report.rows, SizeIs(1));
    EXPECT_THAT(strict.report.rows[0],
                IsError(ErrorCode::kWrongKind, {.feature = "late"}));
    EXPECT_EQ(strict.report.num_late, 0u);
  }
  const Plan raw = Plan::ForRaw();
  EXPECT_THAT(ReadAll({file.path()}, {.plan_is_of_sample = true}, &raw).status,
              IsOk());
}

// Damage explains any finding.
TEST(StrictColumns, TheChecksumIsBelievedFirst) {
  DamagedFile damaged(
      WithTheEleventh(ExampleBuilder().Int64s("late", {1}).Build()));
  damaged.FlipByte(damaged.offset(11) - 6);
  const TemporaryFile file(damaged.bytes());
  const ReadOptions options{.sample = 5, .strict_columns = true};
  EXPECT_THAT(ReadAll({file.path()}, options).status,
              HasCode(ErrorCode::kPayloadCrc));
}

TEST(StrictColumns, WhatWasNotAskedForIsNotMissed) {
  const std::vector<std::string> records =
      WithTheEleventh(ExampleBuilder().Int64s("late", {1}).Build());
  EXPECT_THAT(ReadStrictly(records, {.features = {"id"}}).status, IsOk());
  const TemporaryFile file(RecordFile(records));
  const Plan plan = IdPlan();
  EXPECT_THAT(ReadAll({file.path()}, {.strict_columns = true}, &plan).status,
              IsOk());
}

TEST(StrictColumns, OffTheReportCounts) {
  const TemporaryFile file(RecordFile(
      WithTheEleventh(ExampleBuilder().Int64s("late", {1}).Build())));
  const Transcript read = ReadAll({file.path()}, {.sample = 5});
  EXPECT_THAT(read.status, IsOk());
  EXPECT_EQ(read.report.num_late, 1u);
}

}  // namespace
}  // namespace headrace::testing
