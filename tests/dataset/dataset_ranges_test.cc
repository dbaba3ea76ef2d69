// A dataset of ranges of records has the rows that a reader of them gives, and
// opens files only when a row of them is asked for.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/index.h"
#include "tests/random/random_example.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kNoEnd = ~uint64_t{0};

std::vector<std::string> TakenRows(Dataset* dataset,
                                   const std::vector<uint64_t>& rows,
                                   const TakeOptions& options = {}) {
  Transcript transcript;
  AddRows(OrThrow(dataset->Take(rows, options)), &transcript);
  return transcript.rows;
}

void Write(const std::string& path, int64_t begin, int64_t end,
           Compression compression = Compression::kNone) {
  std::ofstream(path, std::ios::binary)
      << CompressedFile(IdRecords(begin, end), compression);
}

class DatasetRangesTest : public ::testing::Test {
 protected:
  // File f has 10 f records.
  explicit DatasetRangesTest(Compression compression = Compression::kNone) {
    for (int64_t f = 0; f < 6; ++f) {
      paths_.push_back(folder_.path() + "/" + std::to_string(f));
      Write(paths_.back(), 100 * f, 100 * f + 10 * f, compression);
    }
  }

  // Some ranges of the files; if `counted`, each says how many records its file
  // has.
  DatasetOptions RandomRanges(Random* random, bool counted) {
    DatasetOptions options;
    asked_.clear();
    for (size_t count = 1 + random->Below(6); count > 0; --count) {
      const size_t file = random->Below(paths_.size());
      const uint64_t records = 10 * file;
      RecordRange range{.begin = random->Below(10 * file + 1)};
      range.end = range.begin +
                  random->Below(static_cast<size_t>(records - range.begin) + 1);
      if (random->OneIn(3)) range.end = kNoEnd;
      if (counted) range.file_records = records;
      asked_.push_back(paths_[file]);
      options.record_ranges.push_back(range);
    }
    return options;
  }

  Dataset Open(const std::vector<RecordRange>& ranges) const {
    return OrThrow(Dataset::Open(paths_, IdPlan(), {.record_ranges = ranges}));
  }
  std::vector<RecordRange> WholeFiles() const {
    std::vector<RecordRange> ranges;
    for (uint64_t f = 0; f < paths_.size(); ++f) {
      ranges.push_back({.file_records = 10 * f});
    }
    return ranges;
  }

  const TemporaryFolder folder_;
  std::vector<std::string> paths_;
  std::vector<std::string> asked_;
};

TEST_F(DatasetRangesTest, HasTheRowsOfAReader) {
  const Plan plan = IdPlan();
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    DatasetOptions options = RandomRanges(&random, seed % 2 == 0);
    options.threads = 1 + random.Below(3);
    options.mmap = random.OneIn(2);
    const Transcript read =
        ReadAll(asked_, {.record_ranges = options.record_ranges}, &plan);
    ASSERT_THAT(read.status, IsOk());
    Dataset dataset = OrThrow(Dataset::Open(asked_, plan, options));
    ASSERT_EQ(dataset.size(), read.rows.size());
    for (int round = 0; round < 20 && dataset.size() > 0; ++round) {
      std::vector<uint64_t> rows;
      std::vector<std::string> expected;
      for (size_t i = random.Below(30); i > 0; --i) {
        rows.push_back(random.Below(read.rows.size()));
        expected.push_back(read.rows[static_cast<size_t>(rows.back())]);
      }
      TakeOptions take;
      if (random.OneIn(2)) take = {.block = 1 + random.Below(40), .kept = 2};
      EXPECT_EQ(TakenRows(&dataset, rows, take), expected) << seed;
    }
    for (uint64_t row = 0; row < dataset.size(); ++row) {
      EXPECT_EQ(ToText(OrThrow(dataset.Origin(row))),
                ToText(read.origins[static_cast<size_t>(row)]));
    }
  }
}

class CompressedRangesTest : public DatasetRangesTest {
 protected:
  CompressedRangesTest() : DatasetRangesTest(Compression::kGzip) {}
};

TEST_F(CompressedRangesTest, AreReadToo) {
  const std::vector<RecordRange> ranges = WholeFiles();
  const Plan plan = IdPlan();
  const Transcript read = ReadAll(paths_, {}, &plan);
  Dataset dataset = Open(ranges);
  EXPECT_EQ(TakenRows(&dataset, {149, 0, 75, 75}),
            (std::vector<std::string>{read.rows[149], read.rows[0],
                                      read.rows[75], read.rows[75]}));
  EXPECT_THAT(Dataset::Open(paths_, plan,
                            {.plain_only = true, .record_ranges = ranges}),
              IsError(ErrorCode::kInvalidArgument, {.text = "is compressed"}));
}

TEST_F(DatasetRangesTest, FilesAreOpenedWhenARowIsAskedFor) {
  MemoryFiles files;
  for (const std::string& path : paths_) files[path] = {ContentOf(path)};
  const Plan plan = IdPlan();
  Dataset dataset = OrThrow(Dataset::Open(
      paths_, plan,
      {.open_input = files.opener(), .record_ranges = WholeFiles()}));
  EXPECT_EQ(dataset.size(), 150u);
  EXPECT_THAT(dataset.first_rows(), ElementsAre(0, 0, 10, 30, 60, 100, 150));
  for (const std::string& path : paths_) EXPECT_EQ(files[path].opens, 0u);
  EXPECT_EQ(TakenRows(&dataset, {35, 31}).size(), 2u);
  EXPECT_EQ(OrThrow(dataset.Origin(30)).file, 3u);
  Dataset copy = dataset;
  EXPECT_EQ(TakenRows(&copy, {35, 31}), TakenRows(&dataset, {35, 31}));
  for (size_t f = 0; f < paths_.size(); ++f) {
    EXPECT_EQ(files[paths_[f]].opens > 0, f == 3) << f;
  }
}

TEST_F(DatasetRangesTest, OtherNumbersOfRecordsAreFoundThen) {
  std::vector<RecordRange> ranges = WholeFiles();
  ranges[3].file_records = 31;
  ranges[4] = {.begin = 2, .end = 7, .file_records = 39};
  Dataset dataset = Open(ranges);
  EXPECT_EQ(dataset.size(), 0u + 10 + 20 + 31 + 5 + 50);
  EXPECT_EQ(TakenRows(&dataset, {0, 29, 66}).size(), 3u);
  EXPECT_THAT(dataset.Take(std::vector<uint64_t>{0, 30}),
              IsError(ErrorCode::kWrongRecordCount,
                      {.file = paths_[3], .expected = "31", .found = "30"}));
  EXPECT_THAT(dataset.Origin(61),
              IsError(ErrorCode::kWrongRecordCount,
                      {.file = paths_[4], .expected = "39", .found = "40"}));
  // It can be used as before, and files may come right.
  EXPECT_EQ(TakenRows(&dataset, {0, 29, 66}).size(), 3u);
  Write(paths_[3], 300, 331);
  EXPECT_EQ(TakenRows(&dataset, {60, 30}).size(), 2u);
  // A range beyond the end is found at once where files are read.
  EXPECT_THAT(
      Dataset::Open({paths_[1]}, IdPlan(), {.record_ranges = {{0, 11}}}),
      IsError(ErrorCode::kWrongRecordCount,
              {.expected = "at least 11", .found = "10"}));
}

TEST_F(DatasetRangesTest, FilesThatAreReplaced) {
  Dataset dataset = Open(WholeFiles());
  EXPECT_EQ(TakenRows(&dataset, {30}).size(), 1u);
  // It stays open, as it was.
  std::filesystem::remove(paths_[3]);
  EXPECT_EQ(TakenRows(&dataset, {31}).size(), 1u);
  std::filesystem::remove(paths_[4]);
  EXPECT_THAT(dataset.Take(std::vector<uint64_t>{60}),
              HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(Dataset::Open(paths_, IdPlan(), {.record_ranges = WholeFiles()}),
              HasCode(ErrorCode::kNotFound));
}

TEST_F(DatasetRangesTest, AFingerprintTellsDatasetsApart) {
  std::vector<RecordRange> ranges = WholeFiles();
  const uint64_t whole = Open(ranges).fingerprint();
  EXPECT_EQ(Open(ranges).fingerprint(), whole);
  ranges[5].begin = 1;
  const uint64_t later = Open(ranges).fingerprint();
  EXPECT_NE(later, whole);
  ranges[5].begin = 0;
  ranges[5].file_records = 49;
  EXPECT_NE(Open(ranges).fingerprint(), whole);
  ranges[5].file_records = 50;
  Write(paths_[5], 500, 551);
  EXPECT_NE(Open(ranges).fingerprint(), whole);
  // Folders do not matter.
  Write(paths_[5], 500, 550);
  const TemporaryFolder other;
  std::filesystem::copy(folder_.path(), other.path());
  for (std::string& path : paths_) {
    path = other.path() + path.substr(path.rfind('/'));
  }
  EXPECT_EQ(Open(ranges).fingerprint(), whole);
  // Ranges of files that are read count, too.
  EXPECT_NE(Open({{}, {}, {}, {}, {}, {}}).fingerprint(),
            Open({{}, {}, {}, {}, {}, {1}}).fingerprint());
}

TEST_F(DatasetRangesTest, ThreadsOpenTheSameFiles) {
  const Plan plan = IdPlan();
  const Transcript read = ReadAll(paths_, {}, &plan);
  for (int round = 0; round < 20; ++round) {
    const Dataset dataset = Open(WholeFiles());
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        Dataset copy = dataset;
        right += TakenRows(&copy, {100, 30, 10}) ==
                 std::vector<std::string>{read.rows[100], read.rows[30],
                                          read.rows[10]};
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 4);
  }
}

TEST(DatasetRangesOptionsTest, HugeNumbersAndWrongRanges) {
  const TemporaryFile file(RecordFile(IdRecords(0, 4)));
  const auto open = [&](const RecordRange& range) {
    return Dataset::Open({file.path()}, IdPlan(), {.record_ranges = {range}});
  };
  constexpr uint64_t kHuge = ~uint64_t{0} >> 1;
  Dataset dataset = OrThrow(open({.file_records = kHuge}));
  EXPECT_EQ(dataset.size(), kHuge);
  EXPECT_THAT(dataset.Take(std::vector<uint64_t>{kHuge - 1}),
              HasCode(ErrorCode::kWrongRecordCount));
  EXPECT_THAT(dataset.Take(std::vector<uint64_t>{kHuge}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(open({kHuge, kHuge - 1}), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(open({.file_records = kHuge + 1}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(open({0, 5, 4}), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(open({kHuge}), HasCode(ErrorCode::kWrongRecordCount));
}

}  // namespace
}  // namespace headrace::testing
