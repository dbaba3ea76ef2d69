// Readers of parts of a file.

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "tests/random/random_example.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

// The values of the rows, without where they came from.
std::vector<std::string> Values(const std::vector<std::string>& rows) {
  std::vector<std::string> values;
  for (const std::string& row : rows) {
    values.push_back(row.substr(row.find('@')));
  }
  return values;
}

TEST(RangeTest, PartsAreTheWhole) {
  const Plan plan = IdPlan();
  const std::string bytes = RecordFile(IdRecords(0, 3000));
  const TemporaryFile file(bytes);
  for (const Plan* const of : {&plan, static_cast<const Plan*>(nullptr)}) {
    for (const size_t threads : {1u, 3u}) {
      for (const bool mmap : {false, true}) {
        ReadOptions options{.mmap = mmap, .sample = 100, .threads = threads};
        const Transcript whole = ReadAll({file.path()}, options, of);
        std::vector<std::string> rows;
        for (uint64_t i = 0; i < 5; ++i) {
          options.range = PartOf(bytes.size(), i, 5);
          const Transcript part = ReadAll({file.path()}, options, of);
          EXPECT_THAT(part.status, IsOk());
          EXPECT_GT(part.rows.size(), 500u);
          rows.insert(rows.end(), part.rows.begin(), part.rows.end());
        }
        EXPECT_EQ(Values(rows), Values(whole.rows));
      }
    }
  }
}

TEST(RangeTest, PartsResume) {
  const Plan plan = IdPlan();
  const TemporaryFile file(RecordFile(IdRecords(0, 200)));
  ReadOptions options{.range = {.begin = 2000, .end = 4000}};
  const Transcript full = ReadAll({file.path()}, options, &plan);
  ASSERT_GT(full.rows.size(), 50u);
  for (size_t row = 0; row < full.rows.size(); ++row) {
    options.resume_after = full.origins[row];
    EXPECT_EQ(ReadAll({file.path()}, options, &plan).rows, full.Tail(row + 1));
  }
  // Origins of other parts.
  for (const uint64_t offset : {uint64_t{0}, uint64_t{4500}}) {
    options.resume_after = RowOrigin{.offset = offset};
    EXPECT_THAT(ReadAll({file.path()}, options, &plan).status,
                HasCode(ErrorCode::kInvalidArgument));
  }
}

// Nobody reads what is not theirs.
TEST(RangeTest, SixtyFourPartsReadTheFileOnce) {
  const Plan plan = IdPlan();
  Random random(1);
  std::vector<std::string> records;
  for (size_t i = 0; i < 60000; ++i) {
    records.push_back(random.Bytes(1000 + random.Below(400)));
  }
  MemoryFiles files;
  MemoryFile& file = files["a"];
  file.bytes = RecordFile(records);
  size_t rows = 0;
  for (uint32_t i = 0; i < 64; ++i) {
    const Transcript part = ReadAll(
        {"a"},
        Through(&files, {.message = MessageType::kRaw, .shard = {i, 64}}));
    EXPECT_THAT(part.status, IsOk());
    rows += part.rows.size();
  }
  EXPECT_EQ(rows, records.size());
  // The seams are a share of this small file: 64 KiB and a few pieces each.
  constexpr uint64_t kSeams = 64 * 2 * (uint64_t{160} << 10);
  EXPECT_LE(file.bytes_read, file.bytes.size() + kSeams);
}

// Wherever the input fails, the parts together give what came before, and the
// failure.
TEST(RangeTest, InputsThatFail) {
  const Plan plan = IdPlan();
  MemoryFiles files;
  MemoryFile& file = files["a"];
  file.bytes = RecordFile(IdRecords(0, 5000));
  const uint64_t size = file.bytes.size();
  for (const uint64_t at :
       {uint64_t{5}, size / 4, size / 2 + 10, size / 2 + 70000, size - 1}) {
    file.fail_at = at;
    size_t rows = 0;
    bool failed = false;
    for (uint32_t i = 0; i < 2; ++i) {
      const Transcript part =
          ReadAll({"a"}, Through(&files, {.shard = {i, 2}}), &plan);
      rows += part.rows.size();
      failed = failed || part.status.code() == ErrorCode::kIo;
    }
    EXPECT_TRUE(failed) << at;
    EXPECT_LT(rows, 5000u) << at;
  }
  // It has fewer bytes than it said.
  file.fail_at = ~uint64_t{0};
  file.claimed_size = size + 100;
  for (const ByteRange range : {ByteRange{.begin = size - 50, .end = size},
                                ByteRange{.begin = 0, .end = size - 50}}) {
    EXPECT_THAT(ReadAll({"a"}, Through(&files, {.range = range}), &plan).status,
                HasCode(ErrorCode::kIo));
  }
}

TEST(RangeTest, WhatHasNoParts) {
  const Plan plan = IdPlan();
  const TemporaryFile file(RecordFile(IdRecords(0, 3)));
  const ByteRange range = {.begin = 0, .end = 10};
  EXPECT_THAT(Reader::Open({file.path(), file.path()}, {.range = range}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Reader::Open({file.path()},
                           {.shard = {.index = 0, .count = 2}, .range = range}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Reader::Open({file.path()}, {.range = {.begin = 2, .end = 1}}),
              HasCode(ErrorCode::kInvalidArgument));
  // An input that is read only once has parts, but its sample is read again.
  MemoryFiles files;
  files["a"] = {.bytes = RecordFile(IdRecords(0, 3)), .can_seek = false};
  EXPECT_THAT(Reader::Open({"a"}, Through(&files, {.range = range})),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(
      ReadAll({"a"}, Through(&files, {.range = range}), &plan).rows.size(), 1u);
}

}  // namespace
}  // namespace headrace::testing
