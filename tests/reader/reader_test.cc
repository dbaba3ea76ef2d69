// Reader over real files: order, columns found from data, what is left out and
// how it is reported. What single records decode to is tests/decode's subject.

#include "headrace/reader.h"

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "headrace/decoder.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

std::string Id(int64_t value) { return IdRecords(value, value + 1)[0]; }

// The first value of "id" of every row until the stream ends.
std::vector<int64_t> ReadIds(Reader& reader) {
  std::vector<int64_t> ids;
  while (auto batch = reader.Next()) {
    const Column* column = batch->Find("id");
    for (size_t row = 0; row < batch->num_rows(); ++row) {
      ids.push_back(
          column->IsNull(row)
              ? -1
              : column->int64s()[static_cast<size_t>(column->offsets[row])]);
    }
  }
  return ids;
}

std::vector<int64_t> Range(int64_t begin, int64_t end) {
  std::vector<int64_t> values;
  for (int64_t i = begin; i < end; ++i) values.push_back(i);
  return values;
}

TEST(ReaderTest, ReadsFilesInTheOrderGiven) {
  const TemporaryFile b(RecordFile(IdRecords(0, 300))),
      a(RecordFile(IdRecords(300, 301))), empty(""),
      c(RecordFile(IdRecords(301, 700)));
  auto reader =
      OrThrow(Reader::Open({b.path(), a.path(), empty.path(), c.path()}));
  EXPECT_THAT(reader.columns(), ElementsAre(ColumnField{"id", Kind::kInt64}));
  EXPECT_EQ(ReadIds(reader), Range(0, 700));
  EXPECT_THAT(reader.status(), IsOk());
  EXPECT_EQ(reader.num_records(), 700u);
  EXPECT_EQ(reader.num_bytes(), std::filesystem::file_size(b.path()) +
                                    std::filesystem::file_size(a.path()) +
                                    std::filesystem::file_size(c.path()));
}

TEST(ReaderTest, NoPathIsAnError) {
  for (const bool has_opener : {false, true}) {
    ReadOptions options;
    if (has_opener) {
      options.open_input = [](const std::string&) {
        return Result<std::unique_ptr<InputFile>>(Status::OutOfMemory());
      };
    }
    EXPECT_THAT(Reader::Open({}, options).status(),
                IsError(ErrorCode::kInvalidArgument, {.text = "no files"}));
    EXPECT_THAT(Reader::Open({}, IdPlan(), options).status(),
                IsError(ErrorCode::kInvalidArgument, {.text = "no files"}));
  }
  EXPECT_THAT(Reader::Open({}, {}), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Reader::Open({"/no/such/*"}), HasCode(ErrorCode::kNotFound));
}

TEST(ReaderTest, BatchesAreFullExceptTheLast) {
  const TemporaryFile a(RecordFile(IdRecords(0, 10))),
      b(RecordFile(IdRecords(10, 25)));
  auto reader = OrThrow(Reader::Open({a.path(), b.path()}, {.batch_size = 7}));
  std::vector<size_t> sizes;
  while (auto batch = reader.Next()) sizes.push_back(batch->num_rows());
  EXPECT_THAT(sizes, ElementsAre(7, 7, 7, 4));
  auto after = reader.Next();
  ASSERT_THAT(after, IsOk());
  EXPECT_FALSE(after);
}

TEST(ReaderTest, AutomaticBatchesFollowTheSizeOfRows) {
  const auto sizes = [](size_t values) {
    const std::string record =
        ExampleBuilder().Int64s("id", std::vector<int64_t>(values, 1)).Build();
    const TemporaryFile file(
        RecordFile(std::vector<std::string>(3000, record)));
    std::vector<size_t> rows;
    auto reader =
        Reader::Open({file.path()}, IdPlan(), {.batch_size = kAutoBatchSize});
    while (auto batch = reader->Next()) rows.push_back(batch->num_rows());
    return rows;
  };
  EXPECT_THAT(sizes(1), ElementsAre(1024, 1024, 952));
  const std::vector<size_t> large = sizes(3000);
  ASSERT_GT(large.size(), 4u);
  EXPECT_GE(large[0], 16u);
  EXPECT_LT(large[0], 256u);
  EXPECT_EQ(large[1], large[0]);
}

TEST(ReaderTest, RowsSayWhereTheyComeFrom) {
  const std::string file = RecordFile(IdRecords(0, 3));
  const TemporaryFile a(file), b(file);
  auto reader = Reader::Open({a.path(), b.path()});
  auto batch = reader->Next();
  ASSERT_TRUE(batch);
  ASSERT_THAT(batch->origins(), SizeIs(6));
  EXPECT_EQ(batch->origins()[4].file, 1u);
  EXPECT_EQ(batch->origins()[4].record, 1u);
  EXPECT_EQ(batch->origins()[4].offset, file.size() / 3);
  EXPECT_FALSE(batch->origins()[4].recovered);
}

TEST(ReaderTest, NothingToReadIsNoRows) {
  const TemporaryFile empty("");
  auto reader = OrThrow(Reader::Open({empty.path()}));
  EXPECT_THAT(reader.columns(), IsEmpty());
  EXPECT_THAT(ReadIds(reader), IsEmpty());
  EXPECT_THAT(reader.status(), IsOk());
}

TEST(ReaderTest, RecordsWithoutFeaturesAreRows) {
  const TemporaryFile file(RecordFile({"", "", ""}));
  auto reader = Reader::Open({file.path()});
  auto batch = reader->Next();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->num_rows(), 3u);
  EXPECT_THAT(batch->columns(), IsEmpty());
}

TEST(ReaderTest, RequestsThatMakeNoSense) {
  const TemporaryFile file(RecordFile(IdRecords(0, 3)));
  EXPECT_THAT(Reader::Open({file.path()}, {.batch_size = 0}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Reader::Open({file.path()}, {.message = MessageType::kRaw,
                                           .features = {"payload"}}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(
      Reader::Open({file.path()}, Plan::ForRaw(), {.features = {"payload"}}),
      HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(
      Reader::Open({file.path()}, IdPlan(), {.message = MessageType::kRaw}),
      HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Reader::Open({file.path()}, {.features = {"nope"}}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Reader::Open({file.path()}, IdPlan(), {.features = {"id"}}),
              IsError(ErrorCode::kInvalidArgument, {.text = "Plan::Select"}));
  EXPECT_THAT(Reader::Open({"-"}, {.sample = 0}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Reader::Open({file.path(), "/nowhere/x.tfrecord"}),
              HasCode(ErrorCode::kNotFound));
  // A directory stands for its TFRecord files.
  EXPECT_THAT(Reader::Open({"/"}), HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(Reader::Open({file.path()}, IdPlan(),
                           {.message = MessageType::kSequence}),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(ReaderTest, SequenceExamplesAreRecognised) {
  const std::string sequence = FeatureListsField(
      EntryField("steps", FeatureListOf({Int64Feature({1})})));
  const TemporaryFile file(RecordFile({sequence}));
  auto reader = Reader::Open({file.path()});
  ASSERT_THAT(reader, IsOk());
  EXPECT_EQ(reader->message(), MessageType::kSequence);
  auto batch = reader->Next();
  ASSERT_TRUE(batch);
  const Column* const steps = batch->Find("steps", /*in_sequence=*/true);
  ASSERT_NE(steps, nullptr);
  EXPECT_EQ(steps->num_steps(), 1u);
  EXPECT_EQ(steps->int64s()[0], 1);

  // As an Example it has only the features of its context, which are none.
  reader = Reader::Open({file.path()}, {.message = MessageType::kExample});
  ASSERT_THAT(reader, IsOk());
  EXPECT_TRUE(reader->columns().empty());
}

// -------------------------------------------------- Columns found from data

TEST(ReaderTest, WhatTheSampleDidNotShowIsCounted) {
  auto records = IdRecords(0, 5);
  records[1] = ExampleBuilder().Int64s("id", {1}).Unset("odd").Build();
  records.push_back(
      ExampleBuilder().Int64s("id", {5}).Floats("late", {1}).Build());
  records.push_back(ExampleBuilder()
                        .Int64s("id", {6})
                        .Bytes("late", {"x"})
                        .Int64s("odd", {})
                        .Build());
  const TemporaryFile file(RecordFile(records));
  auto reader = OrThrow(Reader::Open({file.path()}, {.sample = 5}));
  EXPECT_THAT(reader.columns(), ElementsAre(ColumnField{"id", Kind::kInt64},
                                            ColumnField{"odd", Kind::kNull}));
  EXPECT_EQ(ReadIds(reader), Range(0, 7));
  const ReadReport& report = reader.report();
  ASSERT_THAT(report.late, SizeIs(2));
  EXPECT_EQ(report.late[0].name, "late");
  EXPECT_EQ(report.late[0].kind, Kind::kFloat);
  EXPECT_EQ(report.late[0].rows, 2u);
  EXPECT_FALSE(report.late[0].in_columns);
  EXPECT_EQ(report.late[1].name, "odd");
  EXPECT_EQ(report.late[1].rows, 1u);
  EXPECT_TRUE(report.late[1].in_columns);
  EXPECT_EQ(report.num_late, 3u);
}

TEST(ReaderTest, ASampleOfZeroSeesEverything) {
  auto records = IdRecords(0, 20);
  records.push_back(ExampleBuilder().Floats("late", {1}).Build());
  const TemporaryFile file(RecordFile(records));
  auto reader =
      OrThrow(Reader::Open({file.path()}, {.batch_size = 4, .sample = 0}));
  EXPECT_THAT(reader.columns(), SizeIs(2));
  EXPECT_THAT(ReadIds(reader), SizeIs(21));
  EXPECT_THAT(reader.report().late, IsEmpty());
}

TEST(ReaderTest, AKindThatContradictsTheSampleIsARowError) {
  auto records = IdRecords(0, 3);
  records.push_back(ExampleBuilder().Floats("id", {1}).Build());
  records.push_back(Id(4));
  const TemporaryFile file(RecordFile(records));
  auto reader = OrThrow(Reader::Open({file.path()}, {.sample = 2}));
  EXPECT_EQ(ReadIds(reader), Range(0, 3));
  EXPECT_THAT(reader.status(),
              IsError(ErrorCode::kWrongKind, {.file = file.path(),
                                              .feature = "id",
                                              .record = 3u,
                                              .expected = "int64",
                                              .found = "float"}));
}

TEST(ReaderTest, ProjectionKeepsTheOrderAskedForAndMissesNothing) {
  std::vector<std::string> records(3, ExampleBuilder()
                                          .Int64s("a", {1})
                                          .Floats("b", {2})
                                          .Int64s("c", {3})
                                          .Build());
  records.push_back(ExampleBuilder().Int64s("other", {1}).Build());
  const TemporaryFile file(RecordFile(records));
  auto reader = OrThrow(
      Reader::Open({file.path()}, {.sample = 3, .features = {"c", "a"}}));
  EXPECT_THAT(reader.columns(), ElementsAre(ColumnField{"c", Kind::kInt64},
                                            ColumnField{"a", Kind::kInt64}));
  while (reader.Next()) {
  }
  EXPECT_THAT(reader.status(), IsOk());
  EXPECT_THAT(reader.report().late, IsEmpty());
}

// A pipe cannot be opened twice: what the sample took must come again.
TEST(ReaderTest, PipesAreSampledWithoutLoss) {
  const TemporaryFile name("");
  std::filesystem::remove(name.path());
  ASSERT_EQ(mkfifo(name.path().c_str(), 0600), 0);
  const std::string bytes = RecordFile(IdRecords(0, 5000));
  std::thread writer([&] {
    FILE* out = fopen(name.path().c_str(), "wb");
    fwrite(bytes.data(), 1, bytes.size(), out);
    fclose(out);
  });
  {
    auto reader = Reader::Open({name.path()}, {.sample = 1000});
    EXPECT_THAT(reader, IsOk());
    if (reader.ok()) {
      EXPECT_EQ(ReadIds(*reader), Range(0, 5000));
    }
  }
  writer.join();
  EXPECT_THAT(Reader::Open({name.path()}, {.sample = 0}),
              HasCode(ErrorCode::kInvalidArgument));
}

// ------------------------------------------------------------------ Damage

TEST(ReaderTest, TheRowsBeforeAnErrorAreDeliveredFirst) {
  DamagedFile damaged(IdRecords(0, 10));
  damaged.FlipByte(damaged.offset(7) + 13);
  const TemporaryFile good(RecordFile(IdRecords(0, 4))), bad(damaged.bytes());
  for (const bool sampled : {true, false}) {
    auto reader = sampled ? Reader::Open({good.path(), bad.path()})
                          : Reader::Open({good.path(), bad.path()}, IdPlan());
    ASSERT_THAT(reader, IsOk());
    EXPECT_THAT(ReadIds(*reader), SizeIs(11));
    EXPECT_THAT(reader->status(),
                IsError(ErrorCode::kPayloadCrc, {.file = bad.path(),
                                                 .record = 7u,
                                                 .offset = damaged.offset(7)}));
    EXPECT_THAT(reader->Next(), HasCode(ErrorCode::kPayloadCrc));
  }
}

TEST(ReaderTest, SkipLeavesOutExactlyTheDamagedRecords) {
  DamagedFile damaged(IdRecords(0, 10));
  damaged.FlipByte(damaged.offset(2) + 13).FlipByte(damaged.offset(9) + 13);
  const TemporaryFile file(damaged.bytes());
  auto reader = OrThrow(
      Reader::Open({file.path()}, IdPlan(), {.on_corrupt = OnCorrupt::kSkip}));
  EXPECT_THAT(ReadIds(reader), ElementsAre(0, 1, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(reader.status(), IsOk());
  const ReadReport& report = reader.report();
  EXPECT_EQ(report.num_regions, 2u);
  ASSERT_THAT(report.regions, SizeIs(2));
  EXPECT_EQ(report.regions[0].file, file.path());
  EXPECT_EQ(report.regions[0].region,
            (SkippedRegion{damaged.offset(2), damaged.offset(3),
                           ErrorCode::kPayloadCrc}));
  EXPECT_EQ(report.regions[1].region.end, damaged.bytes().size());
}

TEST(ReaderTest, RescanMarksTheRowsItFinds) {
  DamagedFile damaged(IdRecords(0, 10));
  damaged.FlipByte(damaged.offset(4));
  const TemporaryFile file(damaged.bytes());
  auto reader = Reader::Open({file.path()}, {.on_corrupt = OnCorrupt::kRescan});
  auto batch = reader->Next();
  ASSERT_TRUE(batch);
  ASSERT_EQ(batch->num_rows(), 9u);
  EXPECT_FALSE(batch->origins()[3].recovered);
  EXPECT_TRUE(batch->origins()[4].recovered);
  EXPECT_EQ(batch->origins()[4].offset, damaged.offset(5));
  EXPECT_EQ(reader->report().num_regions, 1u);
}

TEST(ReaderTest, BadRowsAreSkippedAndListed) {
  auto records = IdRecords(0, 6);
  records[1] = "\x0a\x7f";  // cut
  records[4] = ExampleBuilder().Bytes("id", {"x"}).Build();
  const TemporaryFile file(RecordFile(records));
  auto reader = OrThrow(Reader::Open({file.path()}, IdPlan(),
                                     {.on_row_error = OnRowError::kSkip}));
  EXPECT_THAT(ReadIds(reader), ElementsAre(0, 2, 3, 5));
  const ReadReport& report = reader.report();
  EXPECT_EQ(report.num_rows, 2u);
  ASSERT_THAT(report.rows, SizeIs(2));
  EXPECT_THAT(report.rows[0], IsError(ErrorCode::kMalformed, {.record = 1u}));
  EXPECT_THAT(report.rows[1],
              IsError(ErrorCode::kWrongKind, {.file = file.path()}));
}

// A flipped bit is damage, whatever the decoder makes of the bytes.
TEST(ReaderTest, TheChecksumIsBelievedBeforeTheDecoder) {
  auto records = IdRecords(0, 4);
  DamagedFile damaged(records);
  damaged.SetByte(damaged.offset(2) + 12, 0x07);  // no field 0, no type 7
  const TemporaryFile file(damaged.bytes());
  auto reader = Reader::Open({file.path()}, IdPlan(),
                             {.on_row_error = OnRowError::kSkip});
  EXPECT_THAT(ReadIds(*reader), ElementsAre(0, 1));
  EXPECT_THAT(reader->status(), HasCode(ErrorCode::kPayloadCrc));
  reader = Reader::Open({file.path()}, IdPlan(), {.verify_payload = false});
  EXPECT_THAT(ReadIds(*reader), ElementsAre(0, 1));
  EXPECT_THAT(reader->status(), HasCode(ErrorCode::kMalformed));
}

TEST(ReaderTest, MaxBadCountsRegionsAndRows) {
  auto records = IdRecords(0, 8);
  records[1] = "\x0a\x7f";
  DamagedFile damaged(records);
  damaged.FlipByte(damaged.offset(5) + 13);
  const TemporaryFile file(damaged.bytes());
  ReadOptions options{.on_corrupt = OnCorrupt::kSkip,
                      .on_row_error = OnRowError::kSkip,
                      .max_bad = 2};
  auto reader = Reader::Open({file.path()}, options);
  EXPECT_THAT(ReadIds(*reader), SizeIs(6));
  EXPECT_THAT(reader->status(), IsOk());
  options.max_bad = 1;
  reader = Reader::Open({file.path()}, options);
  EXPECT_THAT(ReadIds(*reader), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(reader->status(), HasCode(ErrorCode::kTooManyBad));
}

TEST(ReaderTest, ReportsAreBounded) {
  auto records = IdRecords(0, 50);
  for (size_t i = 0; i < 50; i += 2) records[i] = "\x0a\x7f";
  const TemporaryFile file(RecordFile(records));
  ReadOptions options{.on_row_error = OnRowError::kSkip};
  options.limits.max_reported = 3;
  auto reader = Reader::Open({file.path()}, options);
  EXPECT_THAT(ReadIds(*reader), SizeIs(25));
  EXPECT_THAT(reader->report().rows, SizeIs(3));
  EXPECT_EQ(reader->report().num_rows, 25u);
}

// ------------------------------------------------------------------- Memory

TEST(ReaderTest, BatchesOutliveTheirReader) {
  std::vector<std::string> records;
  for (int i = 0; i < 4000; ++i) {
    records.push_back(
        ExampleBuilder()
            .Bytes("b", {std::string(1000, static_cast<char>('a' + i % 26))})
            .Build());
  }
  const TemporaryFile file(RecordFile(records));
  std::vector<Batch> kept;
  {
    auto reader = Reader::Open({file.path()}, {.batch_size = 333});
    while (auto batch = reader->Next()) kept.push_back(*batch);
  }
  size_t row = 0;
  for (const Batch& batch : kept) {
    for (const std::string_view value : batch.columns()[0].bytes()) {
      ASSERT_EQ(value, std::string(1000, static_cast<char>('a' + row % 26)));
      ++row;
    }
  }
  EXPECT_EQ(row, 4000u);
}

TEST(ReaderTest, ABatchEndsEarlyWhereMemoryIsShort) {
  std::vector<std::string> records(
      20, ExampleBuilder().Bytes("b", {std::string(100'000, 'x')}).Build());
  const TemporaryFile file(RecordFile(records));
  ReadOptions options;
  options.limits.max_batch_bytes = 350'000;
  auto reader = Reader::Open({file.path()}, options);
  std::vector<size_t> sizes;
  while (auto batch = reader->Next()) sizes.push_back(batch->num_rows());
  EXPECT_THAT(reader->status(), IsOk());
  EXPECT_THAT(sizes, ElementsAre(3, 3, 3, 3, 3, 3, 2));
}

TEST(ReaderTest, ARowThatCannotFitIsAnErrorOfItsOwn) {
  auto records = IdRecords(0, 3);
  // 100,000 values of one byte: eight times that in memory.
  records.insert(
      records.begin() + 1,
      ExampleBuilder().Int64s("id", std::vector<int64_t>(100'000, 1)).Build());
  const TemporaryFile file(RecordFile(records));
  ReadOptions options;
  options.limits.max_batch_bytes = 300'000;
  auto reader = Reader::Open({file.path()}, options);
  EXPECT_THAT(ReadIds(*reader), ElementsAre(0));
  EXPECT_THAT(reader->status(), IsError(ErrorCode::kLimit, {.record = 1u}));
  options.on_row_error = OnRowError::kSkip;
  reader = Reader::Open({file.path()}, options);
  EXPECT_THAT(ReadIds(*reader), ElementsAre(0, 1, 2));
  EXPECT_EQ(reader->report().num_rows, 1u);
}

TEST(DecoderTest, ADecoderIsUsableAfterAnError) {
  Decoder decoder(IdPlan());
  const std::string good = Id(3), bad = "\x0a\x7f";
  const std::vector<std::string_view> first = {good, bad, good};
  EXPECT_THAT(decoder.Decode(first),
              IsError(ErrorCode::kMalformed, {.record = 1u}));
  const std::vector<std::string_view> second = {good, good};
  auto batch = OrThrow(decoder.Decode(second));
  EXPECT_EQ(batch.num_rows(), 2u);
  EXPECT_THAT(batch.columns()[0].int64s(), ElementsAre(3, 3));
}

}  // namespace
}  // namespace headrace::testing
