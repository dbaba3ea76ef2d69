// Shards are disjoint and together everything, by rules that need nothing but
// the files.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
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

struct Inputs {
  MemoryFiles files;
  std::vector<std::string> names;

  // The rules of docs/formats/tfrecord.md in their own words, for a row of a
  // reader of everything and whole files.
  uint32_t ShardOf(const RowOrigin& row, uint32_t count) {
    if (names.size() >= count) return row.file % count;
    const MemoryFile& file = files[names[row.file]];
    if (!file.can_seek) {
      return static_cast<uint32_t>((row.record / 16 + row.file) % count);
    }
    uint32_t shard = 0;
    while (PartOf(file.bytes.size(), shard, count).end <= row.offset) ++shard;
    return shard;
  }

  bool all_alike() {
    return std::all_of(names.begin(), names.end(), [&](const auto& name) {
      return files[name].can_seek == files[names[0]].can_seek;
    });
  }

  void Add(const std::string& bytes, bool can_seek) {
    names.push_back("input " + std::to_string(names.size()));
    files[names.back()] = {.bytes = bytes, .can_seek = can_seek};
  }
  // Some of them can be read at any place.
  void AddRandom(Random* random, size_t count, size_t most_records) {
    for (size_t i = 0; i < count; ++i) {
      Add(RecordFile(IdRecords(
              0, static_cast<int64_t>(random->Below(most_records) + 1))),
          random->OneIn(2));
    }
  }
  Transcript Read(ReadOptions options, const Plan* plan) {
    options.open_input = files.opener();
    return ReadAll(names, options, plan);
  }
};

// Parts of a file number their records from 0.
std::string Unnumbered(const std::string& row) {
  const size_t colon = row.find(':');
  return row.substr(0, colon) + row.substr(row.find('@'));
}

TEST(ShardTest, EveryRowIsOfTheShardThatTheRuleNames) {
  const Plan plan = IdPlan();
  for (uint64_t seed = 0; seed < (kInstrumented ? 4u : 24u); ++seed) {
    Random random(seed);
    Inputs inputs;
    inputs.AddRandom(&random, 1 + seed % 5, /*most_records=*/400);
    // Inputs that are read again and others that cannot need a plan.
    const Plan* const of =
        random.OneIn(2) || !inputs.all_alike() ? &plan : nullptr;
    const ReadOptions options{.batch_size = 1 + random.Below(70),
                              .sample = 1 + random.Below(500)};
    const Transcript whole = inputs.Read(options, of);
    for (const uint32_t count : {1u, 2u, 3u, 5u, 40u}) {
      for (uint32_t index = 0; index < count; ++index) {
        std::vector<std::string> expected;
        for (size_t i = 0; i < whole.rows.size(); ++i) {
          if (inputs.ShardOf(whole.origins[i], count) == index) {
            expected.push_back(Unnumbered(whole.rows[i]));
          }
        }
        ReadOptions shard = options;
        shard.shard = {.index = index, .count = count};
        shard.threads = 1 + random.Below(3);
        Transcript read = inputs.Read(shard, of);
        EXPECT_THAT(read.status, IsOk());
        for (std::string& row : read.rows) row = Unnumbered(row);
        EXPECT_EQ(read.rows, expected) << index << " of " << count;
      }
    }
  }
}

using Place = std::pair<uint32_t, uint64_t>;  // file and offset

std::vector<Place> Places(const Transcript& read) {
  std::vector<Place> places;
  for (const RowOrigin& origin : read.origins) {
    places.emplace_back(origin.file, origin.offset);
  }
  return places;
}

// Few or many files, which can be read at any place or not: a rank that divides
// its shard among workers, and a worker among threads, loses no row of it and
// reads none of another.
TEST(ShardTest, PartsOfAShardAreTheShard) {
  const Plan plan = IdPlan();
  for (uint64_t seed = 0; seed < (kInstrumented ? 3u : 30u); ++seed) {
    Random random(seed);
    Inputs inputs;
    inputs.AddRandom(&random, 1 + seed % 7, /*most_records=*/300);
    for (const uint32_t count : {1u, 2u, 3u}) {
      for (uint32_t index = 0; index < count; ++index) {
        ReadOptions options{.shard = {.index = index, .count = count}};
        const std::vector<Place> shard = Places(inputs.Read(options, &plan));
        std::vector<Place> parts;
        for (uint32_t worker = 0; worker < 3; ++worker) {
          for (uint32_t thread = 0; thread < 2; ++thread) {
            options.subshards = {{worker, 3}, {thread, 2}};
            const Transcript part = inputs.Read(options, &plan);
            EXPECT_THAT(part.status, IsOk());
            const std::vector<Place> places = Places(part);
            parts.insert(parts.end(), places.begin(), places.end());
          }
        }
        std::sort(parts.begin(), parts.end());
        EXPECT_EQ(parts, shard) << seed << ": " << index << " of " << count;
      }
    }
  }
}

// The first shard has the first and the third file: its parts get one each, and
// the parts of the second shard share its file.
TEST(ShardTest, FilesGoRoundAsLongAsEachPartGetsOne) {
  const Plan plan = IdPlan();
  Inputs inputs;
  for (size_t i = 0; i < 3; ++i)
    inputs.Add(RecordFile(IdRecords(0, 64)), false);
  const auto rows_of = [&](uint32_t index, uint32_t part) {
    ReadOptions options{.shard = {index, 2}};
    options.subshards = {{part, 2}};
    std::map<uint32_t, size_t> rows;
    for (const auto& [file, offset] : Places(inputs.Read(options, &plan))) {
      ++rows[file];
    }
    return rows;
  };
  using Rows = std::map<uint32_t, size_t>;
  EXPECT_EQ(rows_of(0, 0), (Rows{{0, 64}}));
  EXPECT_EQ(rows_of(0, 1), (Rows{{2, 64}}));
  EXPECT_EQ(rows_of(1, 0), (Rows{{1, 32}}));
  EXPECT_EQ(rows_of(1, 1), (Rows{{1, 32}}));
}

std::string DamagedBytes(Random* random) {
  const size_t count = 100 + random->Below(100);
  std::vector<std::string> records = IdRecords(0, static_cast<int64_t>(count));
  if (random->OneIn(2)) records[random->Below(count)] = "\x0a\x7f";
  DamagedFile file(records);
  for (size_t i = random->Below(6); i > 0; --i) {
    file.FlipByte(file.offset(random->Below(count)) + 12 + random->Below(4));
  }
  if (random->OneIn(3)) file.FlipByte(random->Below(file.size()));
  if (random->OneIn(3)) file.CutTo(file.size() - 1 - random->Below(40));
  return file.bytes();
}

// Damage moves no row from one shard to another.
TEST(ShardTest, DamagedFilesAreSharedOutWhole) {
  const Plan plan = IdPlan();
  for (uint64_t seed = 0; seed < (kInstrumented ? 4u : 30u); ++seed) {
    Random random(seed);
    Inputs inputs;
    for (size_t i = 0; i < 3; ++i) {
      inputs.Add(DamagedBytes(&random), false);
    }
    for (const OnCorrupt on_corrupt : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      ReadOptions options{.on_corrupt = on_corrupt,
                          .on_row_error = OnRowError::kSkip,
                          .sample = 100};
      const Transcript whole = inputs.Read(options, &plan);
      std::map<Place, std::string> expected;
      for (size_t i = 0; i < whole.rows.size(); ++i) {
        const RowOrigin& origin = whole.origins[i];
        expected[{origin.file, origin.offset}] = whole.rows[i];
      }
      std::set<Place> read;
      std::set<Place> numbers;
      constexpr uint32_t kCount = 5;
      for (uint32_t index = 0; index < kCount; ++index) {
        options.shard = {.index = index, .count = kCount};
        options.threads = 1 + random.Below(3);
        const Transcript part =
            inputs.Read(options, random.OneIn(2) ? &plan : nullptr);
        // Damaged framing is met by all.
        EXPECT_EQ(part.status.code(), whole.status.code());
        for (size_t i = 0; i < part.rows.size(); ++i) {
          const RowOrigin& origin = part.origins[i];
          const Place place = {origin.file, origin.offset};
          EXPECT_EQ(inputs.ShardOf(origin, kCount), index);
          EXPECT_TRUE(read.insert(place).second);
          EXPECT_TRUE(numbers.insert({origin.file, origin.record}).second);
          EXPECT_EQ(part.rows[i], expected[place]);
        }
      }
      if (whole.status.ok()) {
        EXPECT_EQ(read.size(), expected.size()) << seed;
      }
      for (const Place& place : read) {
        EXPECT_TRUE(expected.contains(place)) << place.second;
      }
    }
  }
}

TEST(ShardTest, PayloadsOfOthersAreNotLookedAt) {
  DamagedFile file(IdRecords(0, 48));
  file.FlipByte(file.offset(20) + 14);
  const TemporaryFile damaged(file.bytes());
  const Plan plan = IdPlan();
  for (const size_t threads : {1u, 2u}) {
    for (uint32_t index = 0; index < 3; ++index) {
      ReadOptions options{.shard = {.index = index, .count = 3}};
      options.threads = threads;
      const Transcript read = ReadAll({damaged.path()}, options, &plan);
      EXPECT_EQ(read.status.code(),
                index == 1 ? ErrorCode::kPayloadCrc : ErrorCode::kOk);
      EXPECT_THAT(read.rows, SizeIs(index == 1 ? 4 : 16));
      options.on_corrupt = OnCorrupt::kSkip;
      const Transcript skipped = ReadAll({damaged.path()}, options, &plan);
      EXPECT_EQ(skipped.report.num_regions, index == 1 ? 1u : 0u);
      // What is left out keeps its number, where numbers are known.
      EXPECT_EQ(skipped.origins.back().record, index == 0 ? 15 : kUnknown);
    }
  }
}

TEST(ShardTest, CountsOnlyItsOwn) {
  const TemporaryFile file(RecordFile(IdRecords(0, 100)));
  auto shared =
      OrThrow(Reader::Open({file.path()}, {.shard = {.index = 1, .count = 2}}));
  while (shared.Next()) continue;
  EXPECT_EQ(shared.num_records(), 50u);
  auto whole = OrThrow(Reader::Open({file.path(), file.path(), file.path()},
                                    {.shard = {.index = 1, .count = 2}}));
  while (whole.Next()) continue;
  EXPECT_EQ(whole.num_records(), 100u);
  EXPECT_EQ(whole.stored_position(), whole.stored_size());
  EXPECT_THAT(whole.files(), SizeIs(3));
}

// A shard need not hold any row that shows a column.
TEST(ShardTest, ColumnsAreFoundFromAllFiles) {
  const TemporaryFile ids(RecordFile(IdRecords(0, 3)));
  const TemporaryFile none(RecordFile({"", ""}));
  for (uint32_t index = 0; index < 2; ++index) {
    auto reader = OrThrow(Reader::Open(
        {ids.path(), none.path()}, {.shard = {.index = index, .count = 2}}));
    EXPECT_THAT(reader.columns(), SizeIs(1));
  }
}

TEST(ShardTest, ShardsResume) {
  const Plan plan = IdPlan();
  for (const size_t num_files : {1u, 2u, 3u, 4u}) {
    for (const bool can_seek : {true, false}) {
      Random random(num_files);
      Inputs inputs;
      for (size_t i = 0; i < num_files; ++i) {
        inputs.Add(DamagedBytes(&random), can_seek);
      }
      for (const Plan* const of : {&plan, static_cast<const Plan*>(nullptr)}) {
        ReadOptions options{.on_corrupt = OnCorrupt::kSkip,
                            .on_row_error = OnRowError::kSkip,
                            .sample = 130,
                            .shard = {.index = 1, .count = 3}};
        if (num_files == 3) options.subshards = {{0, 2}};
        const Transcript full = inputs.Read(options, of);
        EXPECT_GT(full.rows.size(), 20u);
        for (size_t row = 0; row < full.rows.size(); ++row) {
          options.threads = 1 + row % 2;
          options.resume_after = full.origins[row];
          const Transcript resumed = inputs.Read(options, of);
          ASSERT_EQ(resumed.rows, full.Tail(row + 1));
          EXPECT_EQ(resumed.status.ToString(), full.status.ToString());
        }
      }
    }
  }
}

TEST(ShardTest, ShardsThatThereAreNot) {
  const TemporaryFile file(RecordFile(IdRecords(0, 3)));
  for (const Shard& shard : {Shard{0, 0}, Shard{1, 1}, Shard{7, 3}}) {
    EXPECT_THAT(Reader::Open({file.path()}, {.shard = shard}),
                HasCode(ErrorCode::kInvalidArgument));
    EXPECT_THAT(Reader::Open({file.path()}, IdPlan(), {.shard = shard}),
                HasCode(ErrorCode::kInvalidArgument));
    EXPECT_THAT(Reader::Open({file.path()}, {.subshards = {{0, 2}, shard}}),
                HasCode(ErrorCode::kInvalidArgument));
  }
  const Shard many{0, 1u << 16};
  EXPECT_THAT(Reader::Open({file.path()}, {.subshards = {many, many}}),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Reader::Open({file.path()}, {.subshards = {many, {0, 65535}}}),
              IsOk());
  const Plan plan = IdPlan();
  EXPECT_THAT(
      ReadAll({file.path()}, {.shard = {~uint32_t{0} - 1, ~uint32_t{0}}}, &plan)
          .rows,
      IsEmpty());
}

}  // namespace
}  // namespace headrace::testing
