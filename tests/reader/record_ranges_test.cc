// A reader of ranges of records gives what is left of a reader of whole files
// when all other rows are dropped.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/reader.h"
#include "tests/random/random_example.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/compressions.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kNoEnd = ~uint64_t{0};

// Of one row: the text behind the file's number and the record's.
std::string TextOf(const std::string& row) { return row.substr(row.find('@')); }

struct NamedFile {
  std::string name;
  uint64_t num_records = 0;
  // The rows that a reader of the whole file gives, by the numbers that the
  // records have if nothing is damaged.
  std::map<uint64_t, std::string> rows = {};
};

// What is asked of some files, and the rows that it should give.
struct Asked {
  std::vector<std::string> paths;
  std::vector<RecordRange> ranges;
  std::vector<std::string> rows;

  void Add(const NamedFile& file, const RecordRange& range) {
    const auto entry = std::to_string(paths.size());
    paths.push_back(file.name);
    ranges.push_back(range);
    for (const auto& [number, text] : file.rows) {
      if (number < range.begin || number >= range.end) continue;
      rows.push_back(entry + ":" + std::to_string(number) + text);
    }
  }
};

RecordRange RandomRange(Random* random, uint64_t num_records) {
  RecordRange range{.begin =
                        random->Below(static_cast<size_t>(num_records) + 1)};
  if (random->OneIn(2)) range.file_records = num_records;
  if (random->OneIn(4)) return range;
  range.end = range.begin +
              random->Below(static_cast<size_t>(num_records - range.begin) + 1);
  return range;
}

Asked RandomAsked(Random* random, const std::vector<NamedFile>& files) {
  Asked asked;
  for (size_t count = 1 + random->Below(6); count > 0; --count) {
    const NamedFile& file = files[random->Below(files.size())];
    asked.Add(file, RandomRange(random, file.num_records));
  }
  return asked;
}

// Files of "id", some on disk and some in memory.
class RecordRangesTest : public ::testing::TestWithParam<Compression> {
 protected:
  // The bytes are those of `clean` after damage that leaves offsets alone.
  NamedFile AddBytes(const std::string& bytes,
                     const std::vector<std::string>& clean,
                     const ReadOptions& options) {
    NamedFile file{.name = "input " + std::to_string(++num_files_),
                   .num_records = clean.size()};
    files_[file.name] = {.bytes = CompressedBytes(bytes, GetParam())};
    ReadOptions whole = options;
    whole.open_input = files_.opener();
    whole.on_corrupt = OnCorrupt::kSkip;
    const Plan plan = IdPlan();
    const Transcript read = ReadAll({file.name}, whole, &plan);
    const DamagedFile framed(clean);
    for (size_t i = 0; i < read.rows.size(); ++i) {
      uint64_t number = 0;
      while (framed.offset(static_cast<size_t>(number)) <
             read.origins[i].offset) {
        ++number;
      }
      file.rows[number] = TextOf(read.rows[i]);
    }
    return file;
  }

  std::vector<NamedFile> AddRandom(Random* random, size_t count) {
    std::vector<NamedFile> files;
    for (size_t i = 0; i < count; ++i) {
      const auto records =
          IdRecords(static_cast<int64_t>(1000 * i),
                    static_cast<int64_t>(1000 * i + random->Below(200)));
      files.push_back(AddBytes(RecordFile(records), records, {}));
      files_[files.back().name].can_seek = random->OneIn(2);
    }
    return files;
  }

  Transcript Read(const Asked& asked, ReadOptions options, const Plan* plan) {
    options.record_ranges = asked.ranges;
    options.open_input = files_.opener();
    return ReadAll(asked.paths, options, plan);
  }

  MemoryFiles files_;

 private:
  int num_files_ = 0;
};

TEST_P(RecordRangesTest, AreSlicesOfTheRows) {
  const Plan plan = IdPlan();
  for (uint64_t seed = 0; seed < (kInstrumented ? 5u : 60u); ++seed) {
    Random random(seed);
    const std::vector<NamedFile> files = AddRandom(&random, 1 + seed % 4);
    for (int round = 0; round < 6; ++round) {
      const Asked asked = RandomAsked(&random, files);
      const bool can_find = std::ranges::all_of(
          asked.paths, [&](const auto& name) { return files_[name].can_seek; });
      const Plan* const of = can_find && random.OneIn(2) ? nullptr : &plan;
      const Transcript read = Read(asked,
                                   {.batch_size = 1 + random.Below(70),
                                    .sample = random.Below(300),
                                    .threads = 1 + random.Below(3)},
                                   of);
      if (of == nullptr && asked.rows.empty()) continue;
      EXPECT_THAT(read.status, IsOk());
      EXPECT_EQ(read.rows, asked.rows) << seed;
    }
  }
}

// All shards together give the rows, each once, and none has more than one row
// more than any other.
TEST_P(RecordRangesTest, ShardsDivideTheRowsEvenly) {
  const Plan plan = IdPlan();
  for (uint64_t seed = 0; seed < (kInstrumented ? 3u : 20u); ++seed) {
    Random random(seed);
    const std::vector<NamedFile> files = AddRandom(&random, 1 + seed % 4);
    Asked asked = RandomAsked(&random, files);
    const bool have_ends =
        std::ranges::none_of(asked.ranges, [](const auto& r) {
          return r.end == kNoEnd && r.file_records == kNoEnd;
        });
    for (const uint32_t count : {1u, 2u, 3u, 7u, 50u}) {
      std::vector<std::string> rows;
      size_t least = ~size_t{0};
      size_t most = 0;
      for (uint32_t index = 0; index < count; ++index) {
        const Transcript read = Read(
            asked, {.threads = 1 + random.Below(2), .shard = {index, count}},
            &plan);
        EXPECT_THAT(read.status, IsOk());
        rows.insert(rows.end(), read.rows.begin(), read.rows.end());
        least = std::min(least, read.rows.size());
        most = std::max(most, read.rows.size());
      }
      if (have_ends) {
        EXPECT_LE(most - least, 1u);
        EXPECT_EQ(rows, asked.rows);
      }
      std::ranges::sort(rows);
      std::vector<std::string> expected = asked.rows;
      std::ranges::sort(expected);
      EXPECT_EQ(rows, expected);
    }
  }
}

TEST_P(RecordRangesTest, PartsOfAShardAreTheShard) {
  const Plan plan = IdPlan();
  Random random(3);
  const std::vector<NamedFile> files = AddRandom(&random, 3);
  for (int round = 0; round < 10; ++round) {
    const Asked asked = RandomAsked(&random, files);
    for (uint32_t index = 0; index < 3; ++index) {
      ReadOptions options{.shard = {index, 3}};
      std::vector<std::string> shard = Read(asked, options, &plan).rows;
      std::vector<std::string> parts;
      for (uint32_t worker = 0; worker < 4; ++worker) {
        options.subshards = {{worker % 2, 2}, {worker / 2, 2}};
        const Transcript part = Read(asked, options, &plan);
        EXPECT_THAT(part.status, IsOk());
        parts.insert(parts.end(), part.rows.begin(), part.rows.end());
      }
      std::ranges::sort(parts);
      std::ranges::sort(shard);
      EXPECT_EQ(parts, shard);
    }
  }
}

TEST_P(RecordRangesTest, ResumeBehindEachRow) {
  const Plan plan = IdPlan();
  for (uint64_t seed = 0; seed < (kInstrumented ? 2u : 8u); ++seed) {
    Random random(seed);
    std::vector<NamedFile> files = AddRandom(&random, 2);
    const Asked asked = RandomAsked(&random, files);
    ReadOptions options{.batch_size = 1 + random.Below(20),
                        .sample = 1 + random.Below(40),
                        .threads = 1 + random.Below(2)};
    if (random.OneIn(2)) options.shard = {1, 2};
    const Transcript full = Read(asked, options, &plan);
    for (size_t row = 0; row < full.rows.size(); row += 1 + random.Below(4)) {
      options.resume_after = full.origins[row];
      const Transcript rest = Read(asked, options, &plan);
      EXPECT_THAT(rest.status, IsOk());
      EXPECT_EQ(rest.rows, full.Tail(row + 1)) << seed << ": " << row;
    }
  }
}

// Bad payloads are skipped and keep their numbers, in whichever range they are.
TEST_P(RecordRangesTest, BadPayloadsHaveNumbers) {
  const Plan plan = IdPlan();
  for (uint64_t seed = 0; seed < (kInstrumented ? 3u : 20u); ++seed) {
    Random random(seed);
    std::vector<NamedFile> files;
    for (int64_t i = 0; i < 2; ++i) {
      const auto records = IdRecords(1000 * i, 1000 * i + 40);
      DamagedFile damaged(records);
      for (int bad = 0; bad < 8; ++bad) {
        const size_t record = random.Below(records.size());
        damaged.FlipByte(static_cast<size_t>(damaged.offset(record)) + 12);
      }
      files.push_back(AddBytes(damaged.bytes(), records, {}));
    }
    const Asked asked = RandomAsked(&random, files);
    for (const OnCorrupt policy : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      for (const Plan* const of : {&plan, static_cast<const Plan*>(nullptr)}) {
        if (of == nullptr && asked.rows.empty()) continue;
        ReadOptions options{.batch_size = 1 + random.Below(20),
                            .on_corrupt = policy,
                            .sample = 1 + random.Below(40),
                            .threads = 1 + random.Below(3)};
        const Transcript read = Read(asked, options, of);
        EXPECT_THAT(read.status, IsOk());
        EXPECT_EQ(read.rows, asked.rows) << seed;
        std::vector<std::string> rows;
        for (uint32_t index = 0; index < 3; ++index) {
          options.shard = {index, 3};
          const Transcript shard = Read(asked, options, of);
          rows.insert(rows.end(), shard.rows.begin(), shard.rows.end());
        }
        std::ranges::sort(rows);
        std::vector<std::string> expected = asked.rows;
        std::ranges::sort(expected);
        EXPECT_EQ(rows, expected) << seed;
      }
    }
  }
}

// Ranges that meet have all records that a rescan of the whole file finds.
TEST_P(RecordRangesTest, RangesThatMeetGiveWhatARescanFinds) {
  const Plan plan = IdPlan();
  for (uint64_t seed = 0; seed < (kInstrumented ? 4u : 30u); ++seed) {
    Random random(seed);
    DamagedFile damaged(IdRecords(0, 60));
    for (int i = 0; i < 4; ++i) {
      damaged.FlipBit(random.Below(damaged.size() * 8));
    }
    damaged.Delete(random.Below(damaged.size() - 9), 1);
    files_["a"] = {.bytes = CompressedBytes(damaged.bytes(), GetParam())};
    ReadOptions options{.on_corrupt = OnCorrupt::kRescan,
                        .on_row_error = OnRowError::kSkip,
                        .open_input = files_.opener()};
    std::vector<std::string> expected;
    for (const std::string& row : ReadAll({"a"}, options, &plan).rows) {
      expected.push_back(TextOf(row));
    }
    std::vector<std::string> rows;
    for (uint64_t begin = 0; begin < 60; begin += 15) {
      options.record_ranges = {{begin, begin + 15, 60}};
      const Transcript read = ReadAll({"a"}, options, &plan);
      EXPECT_THAT(read.status, IsOk());
      for (const std::string& row : read.rows) rows.push_back(TextOf(row));
    }
    EXPECT_EQ(rows, expected) << seed;
  }
}

TEST_P(RecordRangesTest, OtherNumbersOfRecordsAreErrors) {
  const Plan plan = IdPlan();
  const auto records = IdRecords(0, 20);
  const NamedFile file = AddBytes(RecordFile(records), records, {});
  const auto read = [&](const RecordRange& range, const Plan* of = nullptr) {
    Asked asked;
    asked.Add(file, range);
    return Read(asked, {.batch_size = 6, .sample = 7}, of);
  };
  for (const Plan* const of : {&plan, static_cast<const Plan*>(nullptr)}) {
    // The file is longer, and all that was asked for is given first.
    const Transcript longer = read({.file_records = 15}, of);
    EXPECT_THAT(longer.status, IsError(ErrorCode::kWrongRecordCount,
                                       {.file = file.name,
                                        .expected = "15",
                                        .found = "more than 15"}));
    EXPECT_EQ(longer.rows.size(), 15u);
    // It is not looked at where the range ends before.
    EXPECT_THAT(read({.end = 14, .file_records = 15}, of).status, IsOk());
    // The file is shorter.
    const Transcript shorter = read({.begin = 3, .file_records = 21}, of);
    EXPECT_THAT(shorter.status,
                IsError(ErrorCode::kWrongRecordCount,
                        {.file = file.name, .expected = "21", .found = "20"}));
    EXPECT_EQ(shorter.rows.size(), 17u);
    EXPECT_THAT(read({.begin = 3, .end = 21}, of).status,
                IsError(ErrorCode::kWrongRecordCount,
                        {.expected = "at least 21", .found = "20"}));
    for (const uint64_t begin : {uint64_t{21}, uint64_t{1} << 63}) {
      EXPECT_THAT(read({.begin = begin}, of).status,
                  HasCode(ErrorCode::kWrongRecordCount));
      EXPECT_THAT(read({begin, begin + 5, begin + 9}, of).status,
                  HasCode(ErrorCode::kWrongRecordCount));
    }
    EXPECT_THAT(read({.begin = 20}, &plan).status, IsOk());
  }
}

// The same of files that are mapped or read, walked or found by an index.
TEST_P(RecordRangesTest, OfFilesOnDisk) {
  const Plan plan = IdPlan();
  const TemporaryFolder folder;
  const auto records = IdRecords(0, 30000);
  NamedFile file = AddBytes(RecordFile(records), records, {});
  file.name = folder.path() + "/a";
  std::ofstream(file.name, std::ios::binary)
      << CompressedBytes(RecordFile(records), GetParam());
  Random random(5);
  for (int round = 0; round < (kInstrumented ? 4 : 20); ++round) {
    if (round == 10 && GetParam() != Compression::kSnappy) {
      ASSERT_THAT(OrThrow(Index::Build(file.name)).Save(file.name + ".hri"),
                  IsOk());
    }
    Asked asked;
    for (int i = 0; i < 2; ++i) {
      asked.Add(file, RandomRange(&random, file.num_records));
    }
    const Transcript read = ReadAll(asked.paths,
                                    {.batch_size = 1000,
                                     .mmap = random.OneIn(2),
                                     .threads = 1 + random.Below(3),
                                     .record_ranges = asked.ranges},
                                    &plan);
    EXPECT_THAT(read.status, IsOk());
    EXPECT_EQ(read.rows, asked.rows) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Compressions, RecordRangesTest,
                         ::testing::ValuesIn(kCompressions),
                         [](const auto& tested) {
                           return std::string(CompressionName(tested.param));
                         });

}  // namespace
}  // namespace headrace::testing
