// Rows that are skipped: what the report says of them, and what they cost.
// tests/reader/bad_rows_test.cc has what becomes of the other rows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/reader.h"
#include "tests/process/allocation_counter.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

// So many scalars are mostly decoded together.
constexpr size_t kScalars = 12;

std::string ScalarName(size_t i) { return "s" + std::to_string(10 + i); }

Plan RowPlan() {
  FeatureSpec spec;
  spec.Add("f", FixedLen(DType::kFloat, {2}));
  spec.Add("id", FixedLen(DType::kInt64));
  for (size_t i = 0; i < kScalars; ++i) {
    spec.Add(ScalarName(i), FixedLen(i % 2 ? DType::kInt64 : DType::kFloat));
  }
  spec.Add("tag", FixedLen(DType::kBytes).Default("-"));
  return *Plan::Compile(spec);
}

// All scalars except one.
void AddScalars(size_t value, size_t except, ExampleBuilder* builder) {
  for (size_t i = 0; i < kScalars; ++i) {
    if (i == except) continue;
    if (i % 2 == 0) builder->Floats(ScalarName(i), {static_cast<float>(value)});
    if (i % 2 == 1) builder->Int64s(ScalarName(i), {static_cast<int>(value)});
  }
}

std::string GoodRow(size_t i) {
  ExampleBuilder builder;
  builder.Floats("f", {1, 2}).Int64s("id", {static_cast<int64_t>(i)});
  AddScalars(i, kScalars, &builder);
  if (i % 3 == 0) builder.Bytes("tag", {std::string(i % 40, 'x')});
  return builder.Build();
}

// Every kind of fault takes its turn.
std::string BadRow(size_t i) {
  ExampleBuilder builder;
  if (i % 6 == 5) {
    builder.Floats("f", {1, 2}).Int64s("id", {1});
    AddScalars(i, i / 6 % kScalars, &builder);
    return builder.Build();
  }
  if (i % 2 == 0) AddScalars(i, kScalars, &builder);
  switch (i % 6) {
    case 0:
      return builder.Int64s("id", {1}).Bytes("near_f", {"x"}).Build();
    case 1:
      return builder.Floats("f", {1, 2, 3}).Int64s("id", {1}).Build();
    case 2:
      return builder.Floats("f", {1, 2}).Floats("id", {1}).Build();
    case 3:
      return GoodRow(i) + "\x0a";
    default:
      return builder.Unset("f").Int64s("id", {1}).Build();
  }
}

// A quarter of the rows are bad, some of them side by side.
bool IsBad(size_t i) { return (i * 2654435761u >> 7) % 4 == 0; }

std::vector<std::string> Records(size_t count) {
  std::vector<std::string> records;
  for (size_t i = 0; i < count; ++i) {
    records.push_back(IsBad(i) ? BadRow(i) : GoodRow(i));
  }
  return records;
}

// What each record gives alone, to a decoder that skips nothing.
std::vector<std::string> ErrorsAlone(const std::vector<std::string>& records) {
  std::vector<std::string> errors;
  Decoder decoder(RowPlan());
  for (size_t i = 0; i < records.size(); ++i) {
    const std::string_view record = records[i];
    const Result<Batch> batch = decoder.Decode({&record, 1});
    if (batch.ok()) continue;
    ErrorInfo info = *batch.status().info();
    info.record = i;
    errors.push_back(Status(std::move(info)).ToString());
  }
  return errors;
}

std::vector<std::string> Texts(const std::vector<Status>& errors,
                               bool has_place) {
  std::vector<std::string> texts;
  for (const Status& error : errors) {
    ErrorInfo info = *error.info();
    if (has_place) {
      EXPECT_NE(info.file, "");
      EXPECT_NE(info.offset, kUnknown);
    }
    info.file = "";
    info.offset = kUnknown;
    texts.push_back(Status(std::move(info)).ToString());
  }
  return texts;
}

std::vector<std::string> First(std::vector<std::string> texts, size_t count) {
  texts.resize(std::min(texts.size(), count));
  return texts;
}

TEST(SkippedRows, AreReportedAsTheyAreAlone) {
  const std::vector<std::string> records = Records(3000);
  const std::vector<std::string> expected = ErrorsAlone(records);
  ASSERT_GT(expected.size(), 500u);
  const TemporaryFile file(RecordFile(records));
  const Plan plan = RowPlan();
  std::vector<std::string> rows;
  for (const size_t most : {size_t{0}, size_t{1}, size_t{70}, ~size_t{0}}) {
    for (const size_t threads : {1u, 2u, 4u}) {
      ReadOptions options{.on_row_error = OnRowError::kSkip,
                          .threads = threads};
      options.limits.max_reported = most;
      const Transcript read = ReadAll({file.path()}, options, &plan);
      EXPECT_THAT(read.status, IsOk());
      EXPECT_EQ(read.report.num_rows, expected.size());
      EXPECT_EQ(Texts(read.report.rows, true), First(expected, most));
      if (rows.empty()) rows = read.tensors;
      EXPECT_EQ(read.tensors, rows);
    }
    const std::vector<std::string_view> views(records.begin(), records.end());
    Decoder decoder(plan, {.on_row_error = OnRowError::kSkip,
                           .limits = {.max_reported = most}});
    EXPECT_THAT(decoder.Decode(views), IsOk());
    EXPECT_EQ(decoder.num_skipped(), expected.size());
    EXPECT_EQ(Texts(decoder.skipped(), false), First(expected, most));
  }
}

// Batches are cut anew around the rows that threads found bad; they are those
// of one thread, wherever the bad rows lie.
TEST(SkippedRows, AreTheSameForAnyNumberOfThreads) {
  const Plan plan = RowPlan();
  std::vector<std::vector<std::string>> files(5);
  for (size_t i = 0; i < 1500; ++i) {
    files[0].push_back(i % 100 == 99 ? BadRow(i) : GoodRow(i));
    files[1].push_back(i < 700 ? BadRow(i) : GoodRow(i));
    files[2].push_back(i < 700 ? GoodRow(i) : BadRow(i));
    files[3].push_back(BadRow(i));
    files[4].push_back(i % 2 == 0 ? BadRow(i) : GoodRow(i));
  }
  DamagedFile damaged(Records(1500));
  for (size_t i = 10; i < 1500; i += 97) {
    damaged.FlipByte(damaged.offset(i) + 14);
  }
  std::vector<std::string> contents = {damaged.bytes()};
  for (const auto& records : files) contents.push_back(RecordFile(records));
  for (const std::string& content : contents) {
    const TemporaryFile first(content), second(contents[1]);
    for (const size_t batch_size : {size_t{7}, size_t{64}, kAutoBatchSize}) {
      ReadOptions options{.batch_size = batch_size,
                          .on_corrupt = OnCorrupt::kSkip,
                          .on_row_error = OnRowError::kSkip};
      const std::vector<std::string> paths = {first.path(), second.path()};
      const Transcript expected = ReadAll(paths, options, &plan);
      for (const size_t threads : {2u, 3u, 8u}) {
        options.threads = threads;
        const Transcript read = ReadAll(paths, options, &plan);
        EXPECT_EQ(read.end, expected.end);
        EXPECT_EQ(read.tensors, expected.tensors);
        EXPECT_EQ(read.rows, expected.rows);
        EXPECT_EQ(read.report.num_rows, expected.report.num_rows);
        EXPECT_EQ(read.report.num_regions, expected.report.num_regions);
        EXPECT_EQ(read.report.rows, expected.report.rows);
      }
    }
  }
}

TEST(SkippedRows, OneTooManyEndsTheReadingThere) {
  const std::vector<std::string> records = Records(200);
  const std::vector<std::string> expected = ErrorsAlone(records);
  const TemporaryFile file(RecordFile(records));
  const Plan plan = RowPlan();
  for (uint64_t most = 0; most <= expected.size(); ++most) {
    for (const size_t threads : {1u, 4u}) {
      const Transcript read = ReadAll({file.path()},
                                      {.batch_size = 16,
                                       .on_row_error = OnRowError::kSkip,
                                       .max_bad = most,
                                       .threads = threads},
                                      &plan);
      if (most == expected.size()) {
        EXPECT_THAT(read.status, IsOk());
        continue;
      }
      EXPECT_THAT(read.status,
                  IsError(ErrorCode::kTooManyBad,
                          {.text = "first bad row: " +
                                   read.report.rows[0].ToString()}));
      EXPECT_EQ(Texts(read.report.rows, true), First(expected, most + 1));
      // All good rows before the last bad one were delivered.
      const uint64_t last = read.report.rows.back().info()->record;
      EXPECT_EQ(read.origins.size(), last - most);
    }
  }
}

// The report may be looked at after each batch, and as often as one likes.
TEST(SkippedRows, AreReportedAtAnyTime) {
  const std::vector<std::string> records = Records(1000);
  const std::vector<std::string> expected = ErrorsAlone(records);
  const TemporaryFile file(RecordFile(records));
  auto reader =
      Reader::Open({file.path()}, RowPlan(),
                   {.batch_size = 50, .on_row_error = OnRowError::kSkip});
  ASSERT_THAT(reader, IsOk());
  while (reader->Next()) {
    const ReadReport& report = reader->report();
    EXPECT_EQ(report.rows.size(), report.num_rows);
    EXPECT_EQ(Texts(reader->report().rows, true),
              First(expected, report.num_rows));
  }
  EXPECT_THAT(reader->status(), IsOk());
  EXPECT_EQ(Texts(reader->report().rows, true), expected);
}

TEST(SkippedRows, OfADecoderAreThoseOfItsLastBatch) {
  const std::string bad = BadRow(0), other = BadRow(1), good = GoodRow(1);
  Decoder decoder(RowPlan(), {.on_row_error = OnRowError::kSkip});
  EXPECT_THAT(decoder.skipped(), IsEmpty());
  EXPECT_EQ(decoder.num_skipped(), 0u);
  EXPECT_THAT(decoder.Decode(std::vector<std::string_view>{good, bad}), IsOk());
  {
    // The caller's record need not live until the error is looked at.
    const std::string gone = other;
    const std::vector<std::string_view> views = {gone, good, gone};
    EXPECT_THAT(decoder.Decode(views), IsOk());
  }
  EXPECT_THAT(decoder.skipped(),
              ElementsAre(IsError(ErrorCode::kWrongCount, {.record = 0u}),
                          IsError(ErrorCode::kWrongCount, {.record = 2u})));
  Decoder moved = std::move(decoder);
  EXPECT_THAT(moved.skipped(), SizeIs(2));
  EXPECT_THAT(moved.Decode(std::vector<std::string_view>{good}), IsOk());
  EXPECT_THAT(moved.skipped(), IsEmpty());
  EXPECT_EQ(moved.num_skipped(), 0u);
}

// Copies of records do not pile up.
TEST(SkippedRows, MayBeLarge) {
  std::vector<std::string> records;
  for (size_t i = 0; i < 12; ++i) {
    records.push_back(ExampleBuilder()
                          .Floats("f", {1, 2, 3})
                          .Bytes("x", {std::string(i * 300'000, 'x')})
                          .Build());
    records.push_back(GoodRow(i));
  }
  const TemporaryFile file(RecordFile(records));
  const Plan plan = RowPlan();
  const Transcript read =
      ReadAll({file.path()}, {.on_row_error = OnRowError::kSkip}, &plan);
  EXPECT_THAT(read.status, IsOk());
  EXPECT_EQ(Texts(read.report.rows, true), ErrorsAlone(records));
  EXPECT_EQ(read.report.rows.size(), 12u);
}

// Once as many are listed as may be, a bad row takes no memory; before that it
// takes a little now and then.
TEST(SkippedRows, TakeNoMemory) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers count nothing";
  const TemporaryFile file(RecordFile(Records(20'000)));
  for (const size_t most : {size_t{0}, size_t{10}}) {
    ReadOptions options{.on_row_error = OnRowError::kSkip};
    options.limits.max_reported = most;
    auto reader = Reader::Open({file.path()}, RowPlan(), options);
    ASSERT_THAT(reader, IsOk());
    const auto read = [&] {
      uint64_t rows = 0;
      for (int i = 0; i < 20; ++i) rows += (*reader->Next()).num_rows();
      return rows;
    };
    EXPECT_EQ(read(), 20 * 256u);
    const uint64_t skipped = reader->report().num_rows;
    const size_t before = AllocationCount();
    const uint64_t rows = read();
    const size_t taken = AllocationCount() - before;
    EXPECT_EQ(taken, 0u);
    EXPECT_EQ(rows, 20 * 256u);
    EXPECT_GT(reader->report().num_rows, skipped + 1000);
  }
}

// What no one looks at is not made.
TEST(SkippedRows, AreExplainedWhenTheyAreLookedAt) {
  if (kInstrumented) GTEST_SKIP() << "sanitizers count nothing";
  const std::vector<std::string> records = Records(256);
  const std::vector<std::string_view> views(records.begin(), records.end());
  Decoder decoder(RowPlan(), {.on_row_error = OnRowError::kSkip});
  for (int i = 0; i < 3; ++i) ASSERT_THAT(decoder.Decode(views), IsOk());
  const size_t before = AllocationCount();
  const bool is_decoded = decoder.Decode(views).ok();
  const size_t decoding = AllocationCount() - before;
  EXPECT_TRUE(is_decoded);
  EXPECT_EQ(decoding, 0u);
  EXPECT_GT(decoder.skipped().size(), 50u);
  EXPECT_GT(AllocationCount() - before, decoding + 50);
}

// It is the batch that is too large, not the record at which that shows.
TEST(SkippedRows, ABatchThatDoesNotFitIsNoBadRow) {
  const std::vector<std::string> records(1000, GoodRow(1));
  std::vector<std::string_view> views(records.begin(), records.end());
  for (const OnRowError policy : {OnRowError::kFail, OnRowError::kSkip}) {
    DecodeOptions options{.on_row_error = policy};
    options.limits.max_batch_bytes = 65'536;
    Decoder decoder(RowPlan(), options);
    const Result<Batch> batch = decoder.Decode(views);
    EXPECT_THAT(batch, IsError(ErrorCode::kLimit,
                               {.text = "the batch does not fit its memory"}));
    EXPECT_THAT(batch,
                IsError(ErrorCode::kLimit, {.text = "of 1,000 records"}));
    EXPECT_THAT(decoder.Decode(std::span(views).first(10)), IsOk());

    const std::string large = ExampleBuilder()
                                  .Floats("f", std::vector<float>(20'000, 1))
                                  .Int64s("id", {1})
                                  .Build();
    const Plan columns = *Plan::ForColumns({{"f", Kind::kFloat}});
    Decoder of_lists(columns, options);
    const std::vector<std::string_view> mixed = {views[0], large};
    EXPECT_THAT(of_lists.Decode(mixed),
                IsError(ErrorCode::kLimit,
                        {.record = 1u, .text = "the row does not fit"}));
  }
}

}  // namespace
}  // namespace headrace::testing
