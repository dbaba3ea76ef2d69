// A record of a part of a file has its true number, or none.

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

// Every tenth record has an id of the wrong kind.
std::vector<std::string> Records() {
  std::vector<std::string> records = IdRecords(0, 100);
  for (size_t i = 5; i < records.size(); i += 10) {
    records[i] = IdRecords(7, 8)[0] + "\xff";
  }
  return records;
}

// The numbers of all records, by their offsets.
std::map<uint64_t, uint64_t> Numbers(const std::vector<std::string>& records) {
  std::map<uint64_t, uint64_t> numbers;
  uint64_t offset = 0;
  for (const std::string& record : records) {
    numbers.emplace(offset, numbers.size());
    offset += kRecordOverhead + record.size();
  }
  return numbers;
}

class PartNumbersTest : public ::testing::TestWithParam<Compression> {
 protected:
  PartNumbersTest() { Write(CompressedFile(records_, GetParam())); }

  void Write(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  void SaveIndex() const {
    const Index index = OrThrow(Index::Build(path_));
    ASSERT_THAT(index.Save(path_ + ".hri"), IsOk());
  }
  // How many of the rows, and of the rows that were skipped, have a number.
  void Count(const Transcript& part) {
    for (const RowOrigin& origin : part.origins) {
      Count(origin.record, origin.offset);
    }
    for (const Status& row : part.report.rows) {
      Count(row.info()->record, row.info()->offset);
    }
  }
  void Count(uint64_t record, uint64_t offset) {
    ++num_rows_;
    if (record == kUnknown) return;
    ++num_known_;
    EXPECT_EQ(record, numbers_.at(offset));
  }

  const std::vector<std::string> records_ = Records();
  const std::map<uint64_t, uint64_t> numbers_ = Numbers(records_);
  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/a";
  const Plan plan_ = IdPlan();
  size_t num_rows_ = 0;
  size_t num_known_ = 0;
};

TEST_P(PartNumbersTest, AreTrueOrUnknown) {
  // A gzip file is read at any place only by its index, and else counted.
  const bool is_plain = GetParam() == Compression::kNone;
  for (const bool has_index : {false, true}) {
    if (has_index) SaveIndex();
    for (const size_t threads : {1u, 3u}) {
      ReadOptions options{.on_row_error = OnRowError::kSkip,
                          .threads = threads};
      num_rows_ = num_known_ = 0;
      for (uint32_t i = 0; i < 4; ++i) {
        options.shard = {i, 4};
        Count(ReadAll({path_}, options, &plan_));
      }
      EXPECT_EQ(num_rows_, 100u);
      if (is_plain && !has_index) {
        EXPECT_GT(num_known_, 20u);
        EXPECT_LT(num_known_, 30u);
      } else {
        EXPECT_EQ(num_known_, 100u);
      }
      num_rows_ = num_known_ = 0;
      options.shard = {};
      const uint64_t size = numbers_.rbegin()->first + 1;
      for (uint64_t i = 0; i < 4; ++i) {
        options.range = PartOf(size, i, 4);
        Count(ReadAll({path_}, options, &plan_));
      }
      EXPECT_EQ(num_rows_, 100u);
      EXPECT_EQ(num_known_ == 100u, !is_plain || has_index);
    }
  }
}

TEST_P(PartNumbersTest, OfErrors) {
  const bool is_plain = GetParam() == Compression::kNone;
  for (const bool has_index : {false, true}) {
    if (has_index) SaveIndex();
    const uint64_t begin = std::next(numbers_.begin(), 50)->first;
    const Transcript part =
        ReadAll({path_}, {.range = {begin, ~uint64_t{0}}}, &plan_);
    ASSERT_EQ(part.status.code(), ErrorCode::kMalformed);
    const bool is_known = !is_plain || has_index;
    EXPECT_EQ(part.status.info()->record, is_known ? 55 : kUnknown);
    EXPECT_EQ(numbers_.at(part.status.info()->offset), 55u);
  }
}

// States of earlier versions have the number within the part.
TEST_P(PartNumbersTest, StatesHaveAnyNumber) {
  for (const bool has_index : {false, true}) {
    if (has_index) SaveIndex();
    ReadOptions options{.on_row_error = OnRowError::kSkip,
                        .range = {numbers_.rbegin()->first / 2, ~uint64_t{0}}};
    const Transcript full = ReadAll({path_}, options, &plan_);
    ASSERT_GT(full.rows.size(), 30u);
    for (size_t row = 0; row < full.rows.size(); ++row) {
      options.resume_after = full.origins[row];
      EXPECT_EQ(ReadAll({path_}, options, &plan_).rows, full.Tail(row + 1));
      if (GetParam() != Compression::kNone) continue;
      for (const uint64_t number : {uint64_t{row}, kUnknown}) {
        options.resume_after->record = number;
        EXPECT_EQ(ReadAll({path_}, options, &plan_).rows, full.Tail(row + 1));
      }
    }
  }
}

// An index that was made of the file as it was says nothing.
TEST_P(PartNumbersTest, StaleIndex) {
  if (GetParam() != Compression::kNone) return;
  SaveIndex();
  std::vector<std::string> more = records_;
  more.insert(more.begin(), IdRecords(200, 203)[1]);
  Write(RecordFile(more));
  const uint64_t begin = numbers_.rbegin()->first / 2;
  const Transcript part = ReadAll(
      {path_},
      {.on_row_error = OnRowError::kSkip, .range = {begin, ~uint64_t{0}}},
      &plan_);
  ASSERT_FALSE(part.origins.empty());
  EXPECT_EQ(part.origins[0].record, kUnknown);
}

INSTANTIATE_TEST_SUITE_P(Compressions, PartNumbersTest,
                         ::testing::Values(Compression::kNone,
                                           Compression::kGzip));

TEST(PartNumbers, OfSingleRecords) {
  const std::string bytes = RecordFile(IdRecords(0, 100));
  const uint64_t size = bytes.size() / 100;
  for (const uint64_t begin : {uint64_t{0}, uint64_t{40}}) {
    const ByteRange range = {begin * size, 60 * size};
    RecordReader reader =
        OrThrow(RecordReader::FromMemory(bytes, {.range = range}));
    for (uint64_t i = begin; i < 60; ++i) {
      const auto record = OrThrow(reader.Next());
      EXPECT_EQ(record->offset, i * size);
      EXPECT_EQ(record->number, begin == 0 ? i : kUnknown);
    }
  }
}

TEST(PartNumbers, OfDamage) {
  std::string bytes = RecordFile(IdRecords(0, 100));
  const uint64_t size = bytes.size() / 100;
  bytes[60 * size + 20] ^= 1;  // a payload
  for (const OnCorrupt on_corrupt : {OnCorrupt::kFail, OnCorrupt::kSkip}) {
    RecordReader reader = OrThrow(RecordReader::FromMemory(
        bytes, {.on_corrupt = on_corrupt, .range = {40 * size, 70 * size}}));
    auto record = reader.Next();
    while (record) record = reader.Next();
    if (on_corrupt == OnCorrupt::kSkip) {
      EXPECT_THAT(record.status(), IsOk());
      EXPECT_EQ(reader.num_skipped(), 1u);
    } else {
      EXPECT_EQ(record.status().code(), ErrorCode::kPayloadCrc);
      EXPECT_EQ(record.status().info()->record, kUnknown);
      EXPECT_EQ(record.status().info()->offset, 60 * size);
    }
  }
}

// A bad payload ahead does not give the others numbers that nobody knows.
TEST(PartNumbers, OfRowsAfterABadPayload) {
  std::vector<std::string> records = IdRecords(0, 100);
  const uint64_t size = RecordFile(records).size() / 100;
  records[65] = std::string(records[65].size(), '\xff');
  std::string bytes = RecordFile(records);
  bytes[60 * size + 20] ^= 1;  // a payload
  const TemporaryFile file(bytes);
  const Plan plan = IdPlan();
  const auto read = [&](OnCorrupt on_corrupt, OnRowError on_row_error) {
    return ReadAll({file.path()},
                   {.on_corrupt = on_corrupt,
                    .on_row_error = on_row_error,
                    .range = {40 * size, 70 * size}},
                   &plan);
  };
  const Transcript failed = read(OnCorrupt::kFail, OnRowError::kFail);
  EXPECT_THAT(failed.status,
              IsError(ErrorCode::kPayloadCrc,
                      {.record = kUnknown, .offset = 60 * size}));
  EXPECT_EQ(failed.status.ToString().find("record 6"), std::string::npos);
  for (const OnCorrupt skip : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
    const Transcript skipped = read(skip, OnRowError::kSkip);
    ASSERT_THAT(skipped.report.rows, SizeIs(1));
    EXPECT_THAT(skipped.report.rows[0],
                IsError(ErrorCode::kMalformed,
                        {.record = kUnknown, .offset = 65 * size}));
    ASSERT_EQ(skipped.origins.size(), 28u);
    for (const RowOrigin& origin : skipped.origins) {
      EXPECT_EQ(origin.record, kUnknown);
    }
    EXPECT_THAT(read(skip, OnRowError::kFail).status,
                IsError(ErrorCode::kMalformed,
                        {.record = kUnknown, .offset = 65 * size}));
  }
}

}  // namespace
}  // namespace headrace::testing
