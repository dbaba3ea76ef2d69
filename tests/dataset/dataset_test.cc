// Rows taken by number are those that a reader gives in order.

#include "headrace/dataset.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/record_writer.h"
#include "tests/random/random_example.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

// Rows as a reader would write them down.
std::vector<std::string> TakeRows(Dataset* dataset,
                                  const std::vector<uint64_t>& rows,
                                  const TakeOptions& options = {}) {
  Transcript transcript;
  AddRows(OrThrow(dataset->Take(rows, options)), &transcript);
  return transcript.rows;
}

// Files of some rows each, of which one has none.
struct SomeFiles {
  std::deque<TemporaryFile> files;
  std::vector<std::string> paths;

  explicit SomeFiles(const std::vector<int64_t>& sizes) {
    int64_t first = 0;
    for (const int64_t size : sizes) {
      files.emplace_back(RecordFile(IdRecords(first, first + size)));
      first += size;
    }
    for (const TemporaryFile& file : files) paths.push_back(file.path());
  }
};

std::vector<uint64_t> RandomRows(Random* random, uint64_t size) {
  std::vector<uint64_t> rows(random->Below(50));
  for (uint64_t& row : rows) row = random->Below(static_cast<size_t>(size));
  return rows;
}

TEST(DatasetTest, FeaturesBesideAPlanAreAnError) {
  const SomeFiles some({3});
  EXPECT_THAT(Dataset::Open(some.paths, IdPlan(), {.features = {"id"}}),
              IsError(ErrorCode::kInvalidArgument, {.text = "Plan::Select"}));
  Dataset dataset = OrThrow(Dataset::Open(some.paths, {.features = {"id"}}));
  EXPECT_EQ(OrThrow(dataset.Take({2, 0})).num_rows(), 2u);
}

TEST(DatasetTest, TakeCanBeCancelled) {
  const SomeFiles some({100, 1, 300});
  for (const uint64_t block : {0u, 16u}) {
    Dataset dataset = OrThrow(Dataset::Open(some.paths, IdPlan()));
    size_t calls = 0, until = 0;
    const TakeOptions options{.block = block, .kept = 2, .interrupted = [&] {
                                return ++calls > until;
                              }};
    const std::vector<uint64_t> rows = {400, 3, 200, 100};
    for (;; ++until) {
      calls = 0;
      const Result<Batch> batch = dataset.Take(rows, options);
      if (batch) break;
      EXPECT_THAT(batch, IsError(ErrorCode::kCancelled));
    }
    // It is asked before each file, at least.
    EXPECT_GE(until, 3u);
    EXPECT_EQ(TakeRows(&dataset, rows, {.block = block, .kept = 2}),
              TakeRows(&dataset, rows));
  }
}

// Files that are opened when a row of them is asked for are walked then.
TEST(DatasetTest, TakeIsCancelledWhileFilesAreOpened) {
  const SomeFiles some({100, 300});
  Dataset dataset = OrThrow(Dataset::Open(
      some.paths, IdPlan(),
      {.record_ranges = {{.file_records = 100}, {.file_records = 300}}}));
  size_t calls = 0;
  EXPECT_THAT(dataset.Take(std::vector<uint64_t>{250},
                           {.interrupted = [&] { return ++calls == 2; }}),
              IsError(ErrorCode::kCancelled));
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(OrThrow(dataset.Take({250})).num_rows(), 1u);
}

TEST(DatasetTest, TakesTheRowsOfAReader) {
  const SomeFiles some({100, 0, 1, 300});
  const Plan plan = IdPlan();
  const Transcript whole = ReadAll(some.paths, {}, &plan);
  for (const bool mmap : {false, true}) {
    Dataset dataset = OrThrow(Dataset::Open(some.paths, plan, {.mmap = mmap}));
    ASSERT_EQ(dataset.size(), 401u);
    EXPECT_THAT(dataset.first_rows(), ElementsAre(0, 100, 100, 101, 401));
    Random random(1);
    for (int round = 0; round < 300; ++round) {
      const std::vector<uint64_t> rows = RandomRows(&random, dataset.size());
      std::vector<std::string> expected;
      for (const uint64_t row : rows) {
        expected.push_back(whole.rows[static_cast<size_t>(row)]);
      }
      TakeOptions options;
      if (random.OneIn(2)) {
        options = {.block = 1 + random.Below(120), .kept = random.Below(5)};
      }
      EXPECT_EQ(TakeRows(&dataset, rows, options), expected);
    }
    for (uint64_t row = 0; row < dataset.size(); ++row) {
      const RowOrigin origin = OrThrow(dataset.Origin(row));
      EXPECT_EQ(ToText(origin),
                ToText(whole.origins[static_cast<size_t>(row)]));
    }
  }
}

// The same rows with columns found, tensors, bytes in every form.
TEST(DatasetTest, TakesRandomExamples) {
  Random random(7);
  std::vector<std::string> records;
  RandomExample examples(7, {});
  for (int i = 0; i < 200; ++i) records.push_back(examples.Next());
  const TemporaryFile file(RecordFile(records));
  const Transcript whole = ReadAll({file.path()}, {});
  Dataset dataset = OrThrow(Dataset::Open({file.path()}));
  ASSERT_EQ(dataset.size(), whole.rows.size());
  for (int round = 0; round < 100; ++round) {
    const std::vector<uint64_t> rows = RandomRows(&random, dataset.size());
    std::vector<std::string> expected;
    for (const uint64_t row : rows) {
      expected.push_back(whole.rows[static_cast<size_t>(row)]);
    }
    EXPECT_EQ(TakeRows(&dataset, rows), expected);
  }
}

TEST(DatasetTest, CopiesReadOnTheirOwn) {
  const SomeFiles some({10});
  std::optional<Dataset> first = OrThrow(Dataset::Open(some.paths, IdPlan()));
  Dataset second = *first;
  const std::vector<std::string> rows = TakeRows(&*first, {3, 4});
  const Batch batch = OrThrow(first->Take(std::vector<uint64_t>{5}));
  first.reset();
  EXPECT_EQ(TakeRows(&second, {3, 4}), rows);
  // A batch outlives its dataset.
  EXPECT_EQ(batch.columns()[0].int64s()[0], 5);
  Dataset moved = std::move(second);
  EXPECT_EQ(moved.size(), 10u);
  EXPECT_EQ(second.size(), 0u);
  EXPECT_THAT(second.Take(std::vector<uint64_t>{0}),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(DatasetTest, RowsThatThereAreNot) {
  const SomeFiles some({10, 0});
  Dataset dataset = OrThrow(Dataset::Open(some.paths, IdPlan()));
  for (const uint64_t row : {uint64_t{10}, ~uint64_t{0}}) {
    EXPECT_THAT(dataset.Take(std::vector<uint64_t>{1, row}),
                HasCode(ErrorCode::kInvalidArgument));
    EXPECT_THAT(dataset.Origin(row), HasCode(ErrorCode::kInvalidArgument));
  }
  EXPECT_EQ(TakeRows(&dataset, {9}).size(), 1u);
  EXPECT_EQ(TakeRows(&dataset, {}).size(), 0u);
}

TEST(DatasetTest, FilesOfNothing) {
  const SomeFiles some({0});
  const Dataset dataset = OrThrow(Dataset::Open(some.paths, IdPlan()));
  EXPECT_EQ(dataset.size(), 0u);
}

TEST(DatasetTest, WhatCannotBeReadAtAnyPlace) {
  const TemporaryFile file("");
  auto writer = OrThrow(
      RecordWriter::Open(file.path(), {.compression = Compression::kSnappy}));
  ASSERT_THAT(writer.Write("a"), IsOk());
  ASSERT_THAT(writer.Close(), IsOk());
  EXPECT_THAT(Dataset::Open({file.path()}, Plan::ForRaw()),
              HasCode(ErrorCode::kInvalidArgument));
  MemoryFiles files;
  files["a"] = {.bytes = RecordFile(IdRecords(0, 3)), .can_seek = false};
  EXPECT_THAT(Dataset::Open({"a"}, IdPlan(), {.open_input = files.opener()}),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(DatasetTest, InputsOfTheCaller) {
  MemoryFiles files;
  files["a"] = {.bytes = RecordFile(IdRecords(0, 30))};
  files["b"] = {.bytes = RecordFile(IdRecords(30, 60))};
  Dataset dataset = OrThrow(
      Dataset::Open({"a", "b"}, IdPlan(), {.open_input = files.opener()}));
  const Batch batch = OrThrow(dataset.Take(std::vector<uint64_t>{59, 0, 31}));
  EXPECT_THAT(batch.columns()[0].int64s(), ElementsAre(59, 0, 31));
}

TEST(DatasetTest, IndexesAreUsedWhereTheyAre) {
  const SomeFiles some({40});
  const std::string index = some.paths[0] + ".hri";
  EXPECT_THAT(
      Dataset::Open(some.paths, IdPlan(), {.index = IndexUse::kRequired}),
      HasCode(ErrorCode::kNotFound));
  ASSERT_THAT(OrThrow(Index::Build(some.paths[0])).Save(index), IsOk());
  Dataset dataset = OrThrow(
      Dataset::Open(some.paths, IdPlan(), {.index = IndexUse::kRequired}));
  EXPECT_EQ(TakeRows(&dataset, {39, 0}).size(), 2u);
  // An index of other content is refused, not passed over.
  std::ofstream(some.paths[0], std::ios::app) << FramedRecord("x");
  EXPECT_THAT(Dataset::Open(some.paths, IdPlan()),
              HasCode(ErrorCode::kBadIndex));
  const Dataset walked =
      OrThrow(Dataset::Open(some.paths, IdPlan(), {.index = IndexUse::kNone}));
  EXPECT_EQ(walked.size(), 41u);
  std::filesystem::remove(index);
}

// The dataset is open, but the file is read only now.
TEST(DatasetTest, FilesThatChange) {
  const Plan plan = IdPlan();
  const auto open = [&](const TemporaryFile& file) {
    return OrThrow(Dataset::Open({file.path()}, plan));
  };
  const std::string bytes = RecordFile(IdRecords(0, 40));
  {
    const TemporaryFile file(bytes);
    Dataset dataset = open(file);
    std::ofstream(file.path()) << RecordFile(IdRecords(0, 39));
    EXPECT_THAT(dataset.Take(std::vector<uint64_t>{0}),
                HasCode(ErrorCode::kBadIndex));
  }
  {
    // It is open and loses its end.
    const TemporaryFile file(bytes);
    Dataset dataset = open(file);
    EXPECT_EQ(TakeRows(&dataset, {0}).size(), 1u);
    std::filesystem::resize_file(file.path(), bytes.size() / 2);
    EXPECT_THAT(dataset.Take(std::vector<uint64_t>{39}),
                HasCode(ErrorCode::kBadIndex));
    EXPECT_EQ(TakeRows(&dataset, {1}).size(), 1u);
  }
  {
    // It is open and gets other records.
    const TemporaryFile file(bytes);
    Dataset dataset = open(file);
    EXPECT_EQ(TakeRows(&dataset, {0}).size(), 1u);
    std::ofstream(file.path()) << std::string(bytes.size(), 'x');
    EXPECT_THAT(
        dataset.Take(std::vector<uint64_t>{3}),
        IsError(ErrorCode::kBadIndex, {.file = file.path(), .record = 3}));
  }
}

TEST(DatasetTest, DamagedRecordsAreNamed) {
  const std::vector<std::string> records = IdRecords(0, 40);
  DamagedFile damaged(records);
  damaged.FlipByte(damaged.offset(7) + 13);
  const TemporaryFile file(damaged.bytes());
  Dataset dataset = OrThrow(Dataset::Open({file.path()}, IdPlan()));
  EXPECT_EQ(TakeRows(&dataset, {6, 8}).size(), 2u);
  EXPECT_THAT(
      dataset.Take(std::vector<uint64_t>{8, 7}),
      IsError(ErrorCode::kPayloadCrc,
              {.file = file.path(), .record = 7, .offset = damaged.offset(7)}));
  // Framing that is lost is an error when headers are walked.
  damaged.FlipByte(damaged.offset(9));
  const TemporaryFile lost(damaged.bytes());
  EXPECT_THAT(
      Dataset::Open({lost.path()}, IdPlan()),
      IsError(ErrorCode::kHeaderCrc, {.file = lost.path(), .record = 9}));
}

TEST(DatasetTest, RowsThatDoNotFitAreNamed) {
  std::vector<std::string> records = IdRecords(0, 10);
  records[4] = "\x0a\x7f";
  const TemporaryFile file(RecordFile(records));
  Dataset dataset = OrThrow(Dataset::Open({file.path()}, IdPlan()));
  EXPECT_THAT(
      dataset.Take(std::vector<uint64_t>{1, 4}),
      IsError(ErrorCode::kMalformed, {.file = file.path(), .record = 4}));
  Dataset small = OrThrow(Dataset::Open({file.path()}, Plan::ForRaw(),
                                        {.limits = {.max_batch_bytes = 64}}));
  EXPECT_THAT(small.Take(std::vector<uint64_t>{0, 1, 2, 3}),
              HasCode(ErrorCode::kLimit));
}

// The first record shows "id" alone, the others have more.
TemporaryFile FileWithLateFeatures() {
  std::vector<std::string> records = IdRecords(0, 1);
  records.push_back(
      ExampleBuilder().Int64s("id", {1}).Floats("late", {0.5f}).Build());
  records.push_back(
      ExampleBuilder().Int64s("id", {2}).Bytes("later", {"x"}).Build());
  records.push_back(
      ExampleBuilder().Int64s("id", {3}).Floats("late", {1.5f}).Build());
  return TemporaryFile(RecordFile(records));
}

TEST(DatasetTest, TellsOfFeaturesThatTheSampleDidNotShow) {
  const TemporaryFile file = FileWithLateFeatures();
  Dataset found = OrThrow(Dataset::Open({file.path()}, {.sample = 1}));
  // Somebody else found the columns, and gives them as a plan.
  const Plan columns = OrThrow(Plan::ForColumns(found.plan().columns()));
  Dataset given = OrThrow(
      Dataset::Open({file.path()}, columns, {.plan_is_of_sample = true}));
  for (Dataset* dataset : {&found, &given}) {
    EXPECT_THAT(TakeRows(dataset, {0}), SizeIs(1));
    EXPECT_EQ(dataset->num_late(), 0u);
    Dataset copy = *dataset;
    EXPECT_THAT(TakeRows(&copy, {1, 1}), SizeIs(2));
    EXPECT_THAT(TakeRows(dataset, {0, 2}), SizeIs(2));
    EXPECT_EQ(dataset->num_late(), 3u);
    EXPECT_EQ(copy.num_late(), 3u);
    const std::vector<LateFeature> late = OrThrow(dataset->Late());
    ASSERT_THAT(late, SizeIs(2));
    EXPECT_EQ(late[0].name, "late");
    EXPECT_EQ(late[0].kind, Kind::kFloat);
    EXPECT_EQ(late[0].rows, 2u);
    EXPECT_EQ(late[1].name, "later");
    EXPECT_EQ(late[1].in_columns, dataset == &given);
  }
  Dataset unknown = OrThrow(Dataset::Open({file.path()}, columns));
  TakeRows(&unknown, {0, 1, 2, 3});
  EXPECT_EQ(unknown.num_late(), 0u);
  Dataset moved = std::move(unknown);
  EXPECT_EQ(unknown.num_late(), 0u);
  EXPECT_THAT(unknown.Late(), HasCode(ErrorCode::kInvalidArgument));
}

TEST(DatasetTest, LateFeaturesCanBeErrors) {
  const TemporaryFile file = FileWithLateFeatures();
  Dataset dataset = OrThrow(
      Dataset::Open({file.path()}, {.sample = 1, .strict_columns = true}));
  EXPECT_THAT(TakeRows(&dataset, {0}), SizeIs(1));
  const auto taken = dataset.Take(std::vector<uint64_t>{0, 3});
  EXPECT_THAT(taken.status(), IsError(ErrorCode::kWrongKind,
                                      {.feature = "late", .record = 3u}));
  EXPECT_EQ(dataset.num_late(), 0u);
}

TEST(DatasetTest, AnotherPlanSharesWhatIsKnownOfTheFiles) {
  MemoryFiles files;
  files["a"] = {.bytes = RecordFile(IdRecords(0, 100))};
  const DatasetOptions options{.open_input = files.opener()};
  Dataset dataset = OrThrow(Dataset::Open({"a"}, IdPlan(), options));
  const uint64_t bytes_read = files["a"].bytes_read;
  Dataset raw = OrThrow(dataset.With(Plan::ForRaw()));
  EXPECT_EQ(files["a"].bytes_read, bytes_read);
  EXPECT_EQ(raw.size(), 100u);
  EXPECT_EQ(raw.plan().message(), MessageType::kRaw);
  EXPECT_EQ(raw.fingerprint(), dataset.fingerprint());
  const auto batch = OrThrow(raw.Take(std::vector<uint64_t>{7}));
  EXPECT_EQ(batch.columns()[0].bytes()[0], IdRecords(7, 8)[0]);
  EXPECT_THAT(TakeRows(&dataset, {7}), SizeIs(1));
  Dataset moved = std::move(dataset);
  EXPECT_THAT(dataset.With(Plan::ForRaw()),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(DatasetTest, FingerprintsTellDatasetsApart) {
  const SomeFiles some({10, 20});
  const auto of = [](const std::vector<std::string>& paths) {
    return OrThrow(Dataset::Open(paths, Plan::ForRaw())).fingerprint();
  };
  EXPECT_EQ(of(some.paths), of(some.paths));
  EXPECT_NE(of(some.paths), of({some.paths[1], some.paths[0]}));
  EXPECT_NE(of(some.paths), of({some.paths[0]}));
}

}  // namespace
}  // namespace headrace::testing
