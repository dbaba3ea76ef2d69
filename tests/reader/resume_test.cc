// A reader that resumes after a row gives what the first one would have given
// after it, whatever is wrong with the files and however they are stored.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "tests/random/random_example.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

// True when this place comes after the row. Names are all different.
bool IsAfter(const std::vector<std::string>& names, const std::string& file,
             uint64_t offset, const RowOrigin& row) {
  const auto found = std::find(names.begin(), names.end(), file);
  const auto index = static_cast<uint32_t>(found - names.begin());
  return index > row.file || (index == row.file && offset > row.offset);
}

// What was left out after the row, as text.
std::string LeftOutAfter(const std::vector<std::string>& names,
                         const ReadReport& report, const RowOrigin& row) {
  std::string text;
  for (const auto& [file, region] : report.regions) {
    if (!IsAfter(names, file, region.begin, row)) continue;
    text += file + " " + std::to_string(region.begin) + "-" +
            std::to_string(region.end) + " " +
            std::string(NameOf(region.reason)) + "\n";
  }
  for (const Status& bad : report.rows) {
    const ErrorInfo& info = *bad.info();
    if (!IsAfter(names, info.file, info.offset, row)) continue;
    text += bad.ToString() + "\n";
  }
  return text;
}

void ExpectTail(const std::vector<std::string>& names, ReadOptions options,
                const Transcript& full, size_t row, const Plan* plan) {
  options.resume_after = full.origins[row];
  const Transcript resumed = ReadAll(names, options, plan);
  EXPECT_EQ(resumed.rows, full.Tail(row + 1)) << "after " << row;
  EXPECT_EQ(resumed.status.ToString(), full.status.ToString());
  EXPECT_EQ(LeftOutAfter(names, resumed.report, RowOrigin()),
            LeftOutAfter(names, full.report, full.origins[row]));
  EXPECT_EQ(resumed.report.num_regions + resumed.report.num_rows,
            resumed.report.regions.size() + resumed.report.rows.size());
}

// Returns how many rows there are.
size_t ExpectTails(const std::vector<std::string>& names,
                   const ReadOptions& options, const Plan* plan) {
  const Transcript full = ReadAll(names, options, plan);
  for (size_t row = 0; row < full.rows.size(); ++row) {
    ExpectTail(names, options, full, row, plan);
  }
  return full.rows.size();
}

std::string DamagedBytes(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<std::string> records =
      IdRecords(static_cast<int64_t>(1000 * seed),
                static_cast<int64_t>(1000 * seed + count));
  if (random.OneIn(2)) records[random.Below(count)] = "\x0a\x7f";
  DamagedFile file(records);
  for (size_t i = random.Below(5); i > 0; --i) {
    file.FlipBit(random.Below(file.size() * 8));
  }
  if (random.OneIn(3)) file.Delete(random.Below(file.size() - 9), 1);
  if (random.OneIn(3)) file.CutTo(file.size() - 1 - random.Below(40));
  return file.bytes();
}

class ResumeTest : public ::testing::TestWithParam<Compression> {};

TEST_P(ResumeTest, GivesTheTailOfDamagedFiles) {
  const Plan plan = IdPlan();
  const uint64_t seeds = kInstrumented ? 2 : 12;
  size_t rows = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    MemoryFiles files;
    std::vector<std::string> names;
    for (uint64_t i = 0; i < 3; ++i) {
      names.push_back("input " + std::to_string(i));
      files[names.back()] = {
          .bytes = CompressedBytes(DamagedBytes(3 * seed + i, 12), GetParam()),
          .can_seek = random.OneIn(2)};
    }
    for (const OnCorrupt on_corrupt :
         {OnCorrupt::kFail, OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      for (const size_t threads : {1u, 3u}) {
        SCOPED_TRACE(::testing::Message()
                     << "seed " << seed << ", " << static_cast<int>(on_corrupt)
                     << ", " << threads << " threads");
        ReadOptions options{.batch_size = 1 + random.Below(20),
                            .on_corrupt = on_corrupt,
                            .on_row_error = OnRowError::kSkip,
                            .sample = 1 + random.Below(40),
                            .threads = threads};
        options.open_input = files.opener();
        rows += ExpectTails(names, options, random.OneIn(2) ? &plan : nullptr);
      }
    }
  }
  EXPECT_GT(rows, 50 * seeds);
}

TEST_P(ResumeTest, GivesTheTailOfFilesOnDisk) {
  const TemporaryFile a(CompressedBytes(DamagedBytes(7, 30), GetParam()));
  const TemporaryFile b(CompressedBytes(DamagedBytes(8, 30), GetParam()));
  for (const bool mmap : {false, true}) {
    const size_t rows = ExpectTails({a.path(), b.path()},
                                    {.on_corrupt = OnCorrupt::kRescan,
                                     .on_row_error = OnRowError::kSkip,
                                     .mmap = mmap},
                                    nullptr);
    EXPECT_GT(rows, 30u);
  }
}

// What lies far behind is passed over window by window.
TEST_P(ResumeTest, GoesFarIntoLargeFiles) {
  std::vector<std::string> records = IdRecords(0, 40000);
  const std::string bytes = CompressedFile(records, GetParam());
  const Plan plan = IdPlan();
  for (const bool can_seek : {true, false}) {
    MemoryFiles files;
    files["a"] = {.bytes = bytes, .can_seek = can_seek};
    ReadOptions options{.batch_size = 1000};
    options.open_input = files.opener();
    const Transcript full = ReadAll({"a"}, options, &plan);
    ASSERT_THAT(full.rows, SizeIs(40000));
    constexpr uint64_t kDetected = 12;
    for (const size_t row : {0u, 20000u, 39998u, 39999u}) {
      files["a"].bytes_read = 0;
      ExpectTail({"a"}, options, full, row, &plan);
      if (can_seek && GetParam() == Compression::kNone) {
        // The file's beginning tells the compression.
        EXPECT_LE(files["a"].bytes_read,
                  bytes.size() - full.origins[row].offset + kDetected);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compressions, ResumeTest,
                         ::testing::ValuesIn(kCompressions),
                         [](const auto& tested) {
                           return std::string(CompressionName(tested.param));
                         });

// The columns do not depend on where reading goes on.
TEST(ResumingTest, ColumnsAreThoseOfTheBeginning) {
  std::vector<std::string> records = IdRecords(0, 10);
  for (int i = 0; i < 10; ++i) records.push_back("");
  const TemporaryFile file(RecordFile(records));
  auto first = Reader::Open({file.path()}, {.batch_size = 15, .sample = 5});
  const Batch batch = *first->Next();
  auto resumed = OrThrow(Reader::Open(
      {file.path()}, {.sample = 5, .resume_after = batch.origins().back()}));
  EXPECT_EQ(resumed.columns(), first->columns());
  EXPECT_EQ(resumed.Next()->num_rows(), 5u);
  EXPECT_EQ(resumed.stored_position(), resumed.stored_size());
}

TEST(ResumingTest, ProgressCountsWhatWasReadBefore) {
  const TemporaryFile file(RecordFile(IdRecords(0, 100)));
  auto reader =
      OrThrow(Reader::Open({file.path(), file.path(), file.path()}, IdPlan(),
                           {.resume_after = RowOrigin{.file = 2}}));
  EXPECT_EQ(reader.Next()->num_rows(), 99u);
  EXPECT_EQ(reader.num_records(), 99u);
  EXPECT_EQ(reader.stored_position(),
            3 * std::filesystem::file_size(file.path()));
}

// Every other place is refused, whether the file was kept, is inflated or is
// positioned.
TEST(ResumingTest, PlacesWhereNoRecordBegins) {
  const std::string bytes = RecordFile(IdRecords(0, 4));
  const uint64_t size = bytes.size() / 4;
  const Plan plan = IdPlan();
  for (const Compression compression : kCompressions) {
    for (const bool can_seek : {true, false}) {
      for (const Plan* const of : {&plan, static_cast<const Plan*>(nullptr)}) {
        MemoryFiles files;
        files["a"] = {.bytes = CompressedBytes(bytes, compression),
                      .can_seek = can_seek};
        const auto read = [&](uint64_t record, uint64_t offset) {
          ReadOptions options{
              .resume_after = RowOrigin{.record = record, .offset = offset}};
          options.open_input = files.opener();
          return ReadAll({"a"}, options, of);
        };
        EXPECT_THAT(read(3, 3 * size).status, IsOk());
        for (const uint64_t offset :
             {size - 1, size + 1, 4 * size - 5, 4 * size, 4 * size + 1,
              uint64_t{1} << 40, ~uint64_t{0} >> 1, ~uint64_t{0}}) {
          const Transcript refused = read(1, offset);
          EXPECT_THAT(refused.status,
                      IsError(ErrorCode::kInvalidArgument,
                              {.file = "a",
                               .offset = offset,
                               .text = "changed since it was read"}));
          EXPECT_THAT(refused.rows, IsEmpty());
        }
        // There cannot be so many records before it.
        EXPECT_THAT(read(~uint64_t{0}, size).status,
                    HasCode(ErrorCode::kInvalidArgument));
      }
    }
  }
}

TEST(ResumingTest, FilesOnDiskThatChanged) {
  const TemporaryFile file(RecordFile(IdRecords(0, 4)));
  for (const bool mmap : {false, true}) {
    for (const uint64_t offset :
         {uint64_t{1}, uint64_t{1} << 30, ~uint64_t{0} >> 1, ~uint64_t{0}}) {
      const Plan plan = IdPlan();
      const Transcript refused = ReadAll(
          {file.path()},
          {.mmap = mmap, .resume_after = RowOrigin{.offset = offset}}, &plan);
      EXPECT_THAT(refused.status, HasCode(ErrorCode::kInvalidArgument));
    }
  }
}

TEST(ResumingTest, ARecordThatIsNoLongerWhole) {
  const std::string bytes = RecordFile(IdRecords(0, 4));
  const TemporaryFile file(bytes.substr(0, bytes.size() - 1));
  const Plan plan = IdPlan();
  const RowOrigin last{.record = 3, .offset = bytes.size() / 4 * 3};
  EXPECT_THAT(
      ReadAll({file.path()},
              {.on_corrupt = OnCorrupt::kSkip, .resume_after = last}, &plan)
          .status,
      HasCode(ErrorCode::kInvalidArgument));
}

TEST(ResumingTest, FilesThatAreNotThere) {
  const TemporaryFile file(RecordFile(IdRecords(0, 4)));
  EXPECT_THAT(
      Reader::Open({file.path()}, {.resume_after = RowOrigin{.file = 1}}),
      HasCode(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace headrace::testing
