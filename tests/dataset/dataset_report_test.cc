// What rows taken in any order show of a plan is said as a reader says it.

#include <string>
#include <thread>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/notice.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

const std::string kEvent = Fixed64Field(1, 7) + LenField(3, "brain.Event:2");
const std::string kAge = ExampleBuilder().Int64s("age", {30}).Build();

Plan PlanOf(const std::string& key) {
  return OrThrow(Plan::Compile(
      FeatureSpec().Add(key, FixedLen(DType::kInt64).Default(0))));
}

Dataset Open(const TemporaryFile& file, const std::string& key,
             const DatasetOptions& options = {}) {
  return OrThrow(Dataset::Open({file.path()}, PlanOf(key), options));
}

Status TakeRow(Dataset* dataset, uint64_t row) {
  return dataset->Take({&row, 1}).status();
}

std::vector<std::string> TextsOf(const Dataset& dataset) {
  std::vector<std::string> texts;
  for (const Notice& notice : OrThrow(dataset.Report()).notices) {
    texts.push_back(NoticeText(notice));
  }
  return texts;
}

TEST(DatasetReportTest, NamesMisspeltFeatures) {
  const TemporaryFile file(RecordFile(std::vector<std::string>(300, kAge)));
  Dataset dataset = Open(file, "age_");
  EXPECT_THAT(TextsOf(dataset), IsEmpty());
  Dataset copy = dataset;
  EXPECT_THAT(TakeRow(&dataset, 299), IsOk());
  EXPECT_THAT(TakeRow(&copy, 3), IsOk());
  for (const Dataset* one : {&dataset, &copy}) {
    EXPECT_THAT(TextsOf(*one),
                ElementsAre("none of the first 256 records has \"age_\"; did "
                            "you mean \"age\"?"));
    const ReadReport report = OrThrow(one->Report());
    ASSERT_THAT(report.absent, SizeIs(1));
    EXPECT_EQ(report.absent[0].name, "age_");
    EXPECT_TRUE(report.absent[0].has_default);
  }
  Dataset ignoring = Open(file, "age_", {.on_absent = OnAbsent::kIgnore});
  EXPECT_THAT(TakeRow(&ignoring, 0), IsOk());
  EXPECT_THAT(TextsOf(ignoring), IsEmpty());
  EXPECT_THAT(OrThrow(ignoring.Report()).absent, SizeIs(1));
  Dataset good = Open(file, "age");
  EXPECT_THAT(TakeRow(&good, 7), IsOk());
  EXPECT_THAT(TextsOf(good), IsEmpty());
  EXPECT_THAT(OrThrow(good.Report()).absent, IsEmpty());
}

TEST(DatasetReportTest, AbsentFeaturesMayBeErrors) {
  const TemporaryFile file(RecordFile(std::vector<std::string>(30, kAge)));
  Dataset dataset = Open(file, "ages", {.on_absent = OnAbsent::kError});
  // No Take gives rows of defaults, the second one neither.
  for (int i = 0; i < 2; ++i) {
    const Status status = TakeRow(&dataset, 20);
    EXPECT_THAT(status, HasCode(ErrorCode::kMissingFeature));
    EXPECT_EQ(status.message(),
              "none of the first 30 records has \"ages\"; did you mean "
              "\"age\"?");
    EXPECT_EQ(status.info()->file, file.path());
  }
  // Another plan for the same rows is judged for itself.
  Dataset good = OrThrow(dataset.With(PlanOf("age")));
  EXPECT_THAT(TakeRow(&good, 20), IsOk());
}

TEST(DatasetReportTest, AnotherMessageIsAnError) {
  std::vector<std::string> records(20, kEvent);
  records.push_back(kAge);
  const TemporaryFile mixed(RecordFile(records));
  Dataset dataset = Open(mixed, "age");
  EXPECT_THAT(TakeRow(&dataset, 0), IsOk());  // one of the first is right
  // So is the row that was asked for, though it lacks a feature.
  std::vector<std::string> many(300, kEvent);
  many.push_back(kAge);
  const TemporaryFile late(RecordFile(many));
  Dataset zebra = Open(late, "zebra");
  EXPECT_THAT(TakeRow(&zebra, 300), IsOk());
  EXPECT_THAT(TextsOf(zebra), IsEmpty());
  const TemporaryFile file(RecordFile(std::vector<std::string>(20, kEvent)));
  Dataset events = Open(file, "age");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(TakeRow(&events, 19), HasCode(ErrorCode::kMalformed));
  }
  Dataset found = OrThrow(Dataset::Open({file.path()}));
  EXPECT_THAT(TakeRow(&found, 19), IsOk());
  EXPECT_THAT(TextsOf(found),
              ElementsAre(StartsWith("none of the first 20 records has a "
                                     "feature, though they have 480 bytes")));
  Dataset raw = OrThrow(Dataset::Open({file.path()}, Plan::ForRaw()));
  EXPECT_THAT(TakeRow(&raw, 19), IsOk());
  EXPECT_THAT(TextsOf(raw), IsEmpty());
}

// The rows asked for have all features, so no others are read for them.
TEST(DatasetReportTest, ReadsOnlyTheRowsAskedForWhereTheyHaveAll) {
  MemoryFiles files;
  files["a"].bytes = RecordFile(std::vector<std::string>(5000, kAge));
  const auto bytes_of_take = [&](const std::string& key) {
    Dataset dataset = OrThrow(
        Dataset::Open({"a"}, PlanOf(key), {.open_input = files.opener()}));
    const uint64_t before = files["a"].bytes_read;
    EXPECT_THAT(TakeRow(&dataset, 4000), IsOk());
    const uint64_t first = files["a"].bytes_read - before;
    EXPECT_THAT(TakeRow(&dataset, 4000), IsOk());
    EXPECT_LE(files["a"].bytes_read - before - first, first);
    return first;
  };
  EXPECT_LT(bytes_of_take("age"), bytes_of_take("zebra"));
}

TEST(DatasetReportTest, CountsFeatureListsThatAreLeftOut) {
  const std::string lists =
      kAge + FeatureListsField(EntryField("", FeatureListOf({""})));
  const TemporaryFile file(RecordFile({kAge, lists, lists}));
  Dataset dataset = Open(file, "age");
  EXPECT_THAT(dataset.Take(std::vector<uint64_t>{0, 1, 2, 1}), IsOk());
  EXPECT_EQ(OrThrow(dataset.Report()).num_lists_left_out, 3u);
  EXPECT_THAT(TextsOf(dataset),
              ElementsAre(StartsWith("left out the feature lists of 3")));
}

TEST(DatasetReportTest, CopiesOfThreadsGetOneVerdict) {
  const TemporaryFile file(RecordFile(std::vector<std::string>(300, kAge)));
  Dataset dataset = Open(file, "ages", {.on_absent = OnAbsent::kError});
  std::vector<Dataset> copies(4, dataset);
  std::vector<ErrorCode> codes(copies.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < copies.size(); ++i) {
    threads.emplace_back([&, i] { codes[i] = TakeRow(&copies[i], i).code(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const ErrorCode code : codes) {
    EXPECT_EQ(code, ErrorCode::kMissingFeature);
  }
}

TEST(DatasetReportTest, OfNoDatasetIsAnError) {
  const TemporaryFile file(RecordFile({kAge}));
  Dataset dataset = Open(file, "age");
  const Dataset moved = std::move(dataset);
  EXPECT_THAT(dataset.Report(), HasCode(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace headrace::testing
