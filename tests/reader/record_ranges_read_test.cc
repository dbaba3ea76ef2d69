// Ranges of records that cannot be are refused, and nothing is read that no
// range asks for.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/reader.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kNoNumber = ~uint64_t{0};

TEST(RecordRangesOptionsTest, AreCheckedBeforeAnythingIsRead) {
  const TemporaryFile file(RecordFile(IdRecords(0, 4)));
  const auto open = [&](const std::vector<std::string>& paths,
                        const std::vector<RecordRange>& ranges,
                        ReadOptions options = {}) {
    options.record_ranges = ranges;
    return Reader::Open(paths, IdPlan(), options).status();
  };
  const std::string path = file.path();
  EXPECT_THAT(open({path}, {{0, 4}, {0, 4}}),
              IsError(ErrorCode::kInvalidArgument, {.text = "2 and 1"}));
  EXPECT_THAT(open({path}, {{3, 2}}),
              IsError(ErrorCode::kInvalidArgument,
                      {.file = path, .text = "ends before it begins: 3 to 2"}));
  EXPECT_THAT(open({path}, {{0, 5, 4}}),
              IsError(ErrorCode::kInvalidArgument,
                      {.text = "record 5 of a file that is said to have 4"}));
  EXPECT_THAT(open({path}, {{5, kNoNumber, 4}}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(open({path}, {{kNoNumber, kNoNumber}}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(open({path, path}, {{0, kNoNumber >> 1}, {0, 1}}),
              IsError(ErrorCode::kInvalidArgument, {.text = "2^63"}));
  EXPECT_THAT(open({"-"}, {{0, 4}}),
              IsError(ErrorCode::kInvalidArgument, {.text = "standard input"}));
  EXPECT_THAT(open({path}, {{0, 4}}, {.range = {.begin = 1}}),
              IsError(ErrorCode::kInvalidArgument, {.text = "not both"}));
  // Names are no globs, and are looked for where they have records.
  EXPECT_THAT(open({path.substr(0, path.size() - 1) + "?"}, {{0, 4}}),
              HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(open({"/no/such/file"}, {{2, 2}}), IsOk());
}

// A state of other ranges is of a record that is not there.
TEST(RecordRangesOptionsTest, ResumeInTheRange) {
  const TemporaryFile file(RecordFile(IdRecords(0, 9)));
  const Plan plan = IdPlan();
  const std::vector<RowOrigin> origins =
      ReadAll({file.path()}, {}, &plan).origins;
  for (const Plan* const of : {&plan, static_cast<const Plan*>(nullptr)}) {
    for (size_t row = 0; row < origins.size(); ++row) {
      const Transcript rest = ReadAll(
          {file.path()},
          {.record_ranges = {{3, 6}}, .resume_after = origins[row]}, of);
      if (row < 3 || row >= 6) {
        EXPECT_THAT(rest.status, IsError(ErrorCode::kInvalidArgument,
                                         {.file = file.path(), .record = row}));
      } else {
        EXPECT_THAT(rest.status, IsOk());
        EXPECT_EQ(rest.rows.size(), 5 - row);
      }
    }
  }
}

// What is before a range is not read, and what is behind it neither.
class RecordRangesReadTest : public ::testing::Test {
 protected:
  static constexpr size_t kSize = size_t{1} << 20;

  RecordRangesReadTest() {
    const std::vector<std::string> records(40, std::string(kSize, 'x'));
    std::ofstream(path_, std::ios::binary) << RecordFile(records);
  }

  // Reads the range raw, and gives how many records there were.
  Result<uint64_t> Count(const RecordRange& range, IndexUse index,
                         bool mmap = false) const {
    auto reader = Reader::Open({path_}, {.message = MessageType::kRaw,
                                         .mmap = mmap,
                                         .record_ranges = {range},
                                         .index = index});
    if (!reader.ok()) return reader.status();
    uint64_t rows = 0;
    while (auto batch = reader->Next()) {
      EXPECT_EQ(batch->origins().front().offset,
                batch->origins().front().record * (kSize + 16));
      rows += batch->num_rows();
    }
    if (!reader->status().ok()) return reader->status();
    return rows;
  }

  // Bytes of the file that the system no longer has.
  void Overwrite(uint64_t offset, const std::string& bytes) const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file << bytes;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/a.tfrecord";
};

TEST_F(RecordRangesReadTest, PayloadsBeforeItAreNotLookedAt) {
  Overwrite(100, std::string(1000, 'y'));
  for (const bool mmap : {false, true}) {
    for (const IndexUse use : {IndexUse::kAuto, IndexUse::kNone}) {
      EXPECT_EQ(OrThrow(Count({20, 30, 40}, use, mmap)), 10u);
      EXPECT_EQ(OrThrow(Count({1, kNoNumber, 40}, use, mmap)), 39u);
      EXPECT_THAT(Count({0, 1, 40}, use, mmap).status(),
                  HasCode(ErrorCode::kPayloadCrc));
    }
  }
  EXPECT_EQ(Count({20, 30}, IndexUse::kRequired).status().code(),
            ErrorCode::kNotFound);
}

TEST_F(RecordRangesReadTest, AnIndexTellsWhereItBeginsAndHowManyThereAre) {
  ASSERT_THAT(OrThrow(Index::Build(path_)).Save(path_ + ".hri"), IsOk());
  EXPECT_EQ(OrThrow(Count({40, kNoNumber, 40}, IndexUse::kAuto)), 0u);
  EXPECT_EQ(OrThrow(Count({39, kNoNumber}, IndexUse::kRequired)), 1u);
  for (const IndexUse use : {IndexUse::kAuto, IndexUse::kRequired}) {
    EXPECT_THAT(Count({20, 30, 41}, use).status(),
                IsError(ErrorCode::kWrongRecordCount,
                        {.file = path_, .expected = "41", .found = "40"}));
  }
  // Without it nobody knows.
  EXPECT_EQ(OrThrow(Count({20, 30, 41}, IndexUse::kNone)), 10u);
  // One of another file is left aside, unless it is required.
  Overwrite(5 * (kSize + 16), "damaged");
  EXPECT_THAT(Count({20, 30}, IndexUse::kAuto).status(),
              HasCode(ErrorCode::kHeaderCrc));
  EXPECT_THAT(Count({20, 30}, IndexUse::kRequired).status(),
              HasCode(ErrorCode::kBadIndex));
}

// With an index that is taken for one of this file, nothing before is read.
TEST_F(RecordRangesReadTest, WithAnIndexNothingBeforeItIsRead) {
  const auto time = std::filesystem::last_write_time(path_);
  ASSERT_THAT(OrThrow(Index::Build(path_)).Save(path_ + ".hri"), IsOk());
  Overwrite(5 * (kSize + 16), "damaged");
  std::filesystem::last_write_time(path_, time);
  for (const bool mmap : {false, true}) {
    EXPECT_EQ(OrThrow(Count({20, 30}, IndexUse::kAuto, mmap)), 10u);
  }
  // Where no header is, reading from the beginning finds it out.
  EXPECT_THAT(Count({5, 30}, IndexUse::kAuto).status(),
              HasCode(ErrorCode::kHeaderCrc));
}

}  // namespace
}  // namespace headrace::testing
