// What is done once per block of rows: ranges are judged and values mapped
// after many rows are committed. Batches have several blocks here, and bad rows
// in the midst of them.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "src/read/batch/batch_storage.h"
#include "tests/naive/naive_functions.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr size_t kBlockTestRows = 900;
constexpr uint64_t kBuckets = 1000;

std::string WordOf(size_t row) { return "word " + std::to_string(row % 97); }

// Row i has i % 4 ids, a word, and the number i.
std::string BlockRowOf(size_t i) {
  return ExampleBuilder()
      .Int64s("ids", std::vector<int64_t>(i % 4, static_cast<int64_t>(i)))
      .Bytes("word", {WordOf(i)})
      .Int64s("number", {static_cast<int64_t>(i)})
      .Build();
}

std::string WithIds(std::vector<int64_t> ids) {
  return ExampleBuilder()
      .Int64s("ids", std::move(ids))
      .Bytes("word", {"bad"})
      .Int64s("number", {0})
      .Build();
}

struct BlockRows {
  BlockRows() {
    for (size_t i = 0; i < kBlockTestRows; ++i)
      records.push_back(BlockRowOf(i));
    // Of two errors, that of the value is the lower one.
    Break(100, ExampleBuilder()
                   .Int64s("ids", {int64_t{1} << 40})
                   .Int64s("number", {1, 2})
                   .Build());
    Break(300, WithIds({1, int64_t{1} << 31}));
    Break(301, WithIds({-(int64_t{1} << 31) - 1}));
    Break(777, ExampleBuilder()
                   .Bytes("word", {"bad"})
                   .Int64s("number", {40000})
                   .Build());
    Break(255, ExampleBuilder().Bytes("ids", {"x"}).Build());
    Break(779, ExampleBuilder().Int64s("number", {1, 2}).Build());
  }
  void Break(size_t row, std::string record) {
    records[row] = std::move(record);
    bad.insert(row);
  }

  std::vector<std::string> records;
  std::set<size_t> bad;
};

const BlockRows& AllRows() {
  static const auto* const rows = new BlockRows();
  return *rows;
}

FeatureSpec BlockSpec() {
  FeatureConfig banded = VarLen(DType::kInt64).Map(Bucketize{{10, 500}});
  banded.column = "other";
  return FeatureSpec()
      .AddJagged("g", DType::kInt32,
                 {{"ids", Ragged(DType::kInt64)},
                  {"word", Ragged(DType::kBytes).Map(HashBucket{kBuckets})}})
      .AddMatrix("m", DType::kInt16, {{"number", FixedLen(DType::kInt64)}})
      .Add("banded", banded);
}

// The batch has the good rows of [begin, end).
void ExpectGoodRows(size_t begin, size_t end, const Batch& batch) {
  std::vector<int32_t> ids, words;
  std::vector<int16_t> numbers;
  for (size_t i = begin; i < end; ++i) {
    if (AllRows().bad.contains(i)) continue;
    ids.insert(ids.end(), i % 4, static_cast<int32_t>(i));
    words.push_back(
        static_cast<int32_t>(NaiveFingerprint64(WordOf(i)) % kBuckets));
    numbers.push_back(static_cast<int16_t>(i));
  }
  const size_t rows = words.size();
  ASSERT_EQ(batch.num_rows(), rows);
  const size_t num_ids = ids.size();
  ids.insert(ids.end(), words.begin(), words.end());
  const Tensor& group = batch.tensors()[0];
  EXPECT_THAT(group.As<int32_t>(), ElementsAreArray(ids));
  EXPECT_THAT(group.key_ends, ElementsAre(num_ids, ids.size()));
  EXPECT_EQ(group.key_offsets[rows], static_cast<int64_t>(num_ids));
  EXPECT_THAT(batch.tensors()[1].As<int16_t>(), ElementsAreArray(numbers));
}

TEST(Blocks, SkippedRowsAreTheBadOnes) {
  const Plan plan = OrThrow(Plan::Compile(BlockSpec()));
  const std::vector<std::string>& records = AllRows().records;
  const std::set<size_t>& bad = AllRows().bad;
  const std::vector<std::string_view> views(records.begin(), records.end());
  ForEachTarget([&] {
    Decoder decoder(plan, {.on_row_error = OnRowError::kSkip});
    const Batch batch = OrThrow(decoder.Decode(views));
    ExpectGoodRows(0, kBlockTestRows, batch);
    std::set<size_t> skipped;
    for (const Status& status : decoder.skipped()) {
      const size_t row = status.info()->record;
      skipped.insert(row);
      EXPECT_EQ(status.code(),
                row == 779 ? ErrorCode::kWrongCount : ErrorCode::kWrongKind)
          << status.ToString();
    }
    EXPECT_EQ(skipped, bad);
  });
}

TEST(Blocks, TheFirstBadRowIsTheError) {
  const Plan plan = OrThrow(Plan::Compile(BlockSpec()));
  const std::vector<std::string>& records = AllRows().records;
  const std::set<size_t>& bad = AllRows().bad;
  const std::vector<std::string_view> views(records.begin(), records.end());
  size_t begin = 0;
  for (const size_t row : bad) {
    Decoder decoder(plan);
    EXPECT_THAT(
        decoder.Decode(std::span(views).subspan(begin)),
        HasCode(row == 779 ? ErrorCode::kWrongCount : ErrorCode::kWrongKind));
    EXPECT_THAT(decoder.Decode(std::span(views).subspan(begin, row - begin)),
                IsOk());
    begin = row + 1;
  }
}

TEST(Blocks, BatchesOfAnySize) {
  const Plan plan = OrThrow(Plan::Compile(BlockSpec()));
  const std::vector<std::string>& records = AllRows().records;
  const std::set<size_t>& bad = AllRows().bad;
  const TemporaryFile file(RecordFile(records));
  for (const size_t threads : {1u, 3u}) {
    for (const size_t batch_size : {100u, 256u, 257u, 900u}) {
      ReadOptions options = {.batch_size = batch_size,
                             .on_row_error = OnRowError::kSkip,
                             .threads = threads};
      Reader reader = OrThrow(Reader::Open({file.path()}, plan, options));
      size_t begin = 0;
      while (true) {
        const auto batch = reader.Next();
        ASSERT_THAT(batch, IsOk());
        if (!batch) break;
        size_t end = begin;
        for (size_t good = 0; good < batch->num_rows(); ++end) {
          good += !bad.contains(end);
        }
        ExpectGoodRows(begin, end, *batch);
        begin = end;
      }
      EXPECT_EQ(begin, kBlockTestRows);
      EXPECT_EQ(reader.report().num_rows, bad.size());
    }
  }
}

// A feature that only rows have that are taken back is absent.
TEST(Blocks, WhatOnlyBadRowsHaveIsAbsent) {
  std::vector<std::string> records(300, ExampleBuilder().Build());
  records.resize(400, ExampleBuilder().Int64s("x", {70000}).Build());
  const TemporaryFile file(RecordFile(records));
  const Plan plan = OrThrow(Plan::Compile(
      FeatureSpec().AddMatrix("m", DType::kInt16,
                              {{"x", FixedLen(DType::kInt64).Default(1)},
                               {"y", FixedLen(DType::kInt64).Default(2)}})));
  ReadOptions options = {.batch_size = 400, .on_row_error = OnRowError::kSkip};
  Reader reader = OrThrow(Reader::Open({file.path()}, plan, options));
  while (reader.Next()) {
  }
  EXPECT_EQ(reader.report().num_rows, 100u);
  EXPECT_EQ(reader.report().absent.size(), 2u);
}

// Only views of the records need them.
TEST(Blocks, WhatIsMappedPinsNoInput) {
  const std::vector<std::string> records = {BlockRowOf(1), BlockRowOf(2)};
  const TemporaryFile file(RecordFile(records));
  const auto pins = [&](const FeatureSpec& spec) {
    const Plan plan = OrThrow(Plan::Compile(spec));
    Reader reader = OrThrow(Reader::Open({file.path()}, plan, {}));
    const Batch batch = *OrThrow(reader.Next());
    return !reader::BatchStorage::Of(batch)->pinned().empty();
  };
  EXPECT_FALSE(pins(BlockSpec()));
  FeatureConfig plain = VarLen(DType::kBytes);
  plain.column = "word";
  EXPECT_TRUE(pins(BlockSpec().Add("plain", plain)));
  EXPECT_FALSE(pins(
      FeatureSpec().Add("word", FixedLen(DType::kBytes).Map(HashBucket{9}))));
  EXPECT_TRUE(pins(FeatureSpec().Add("word", FixedLen(DType::kBytes))));
}

}  // namespace
}  // namespace headrace::testing
