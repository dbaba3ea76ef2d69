// Compressed files that can be inflated from several places: parts, shards and
// resumed readers give the rows of the whole, and readers write indexes.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/index.h"
#include "headrace/reader.h"
#include "src/read/reader/parts.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/resident.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

using compression::FewSeekFiles;
using compression::SeekFile;

// Examples whose bytes hardly compress, so deflate has several blocks.
std::vector<std::string> LargeIdRecords(int64_t count) {
  std::vector<std::string> records = IdRecords(0, count);
  std::mt19937 random(3);
  for (std::string& record : records) {
    // An unknown field of the Example, which readers skip.
    std::string bytes = compression::SomeBytes(100, &random);
    record += std::string("\x7a\x64", 2) + bytes;
  }
  return records;
}

// Records of about 2 MB.
std::vector<SeekFile> RecordFiles() {
  return FewSeekFiles(RecordFile(LargeIdRecords(15'000)));
}

bool HopsItself(const SeekFile& file) {
  return file.name == "blocked" || file.name == "bgzf" || file.name == "zstd";
}

// A file in a folder of its own, with an index beside it on demand.
class Beside {
 public:
  explicit Beside(const std::string& stored, bool has_index = false) {
    std::ofstream(path(), std::ios::binary) << stored;
    if (!has_index) return;
    const Index index =
        OrThrow(Index::Build(path(), {.checkpoint_bytes = uint64_t{64} << 10}));
    EXPECT_THAT(index.Save(index_path()), IsOk());
  }
  std::string path() const { return folder_.path() + "/a.tfrecord.z"; }
  std::string index_path() const { return path() + ".hri"; }
  std::string index_bytes() const { return ContentOf(index_path()); }
  bool has_index() const { return std::filesystem::exists(index_path()); }

 private:
  TemporaryFolder folder_;
};

std::vector<std::string> ValuesIn(const std::vector<std::string>& rows) {
  std::vector<std::string> values;
  for (const std::string& row : rows) {
    values.push_back(row.substr(row.find(' ', row.find('@'))));
  }
  return values;
}

TEST(CompressedIndex, RowsAreTheSame) {
  const Plan plan = IdPlan();
  for (const SeekFile& file : RecordFiles()) {
    const Beside data(file.stored);
    const Beside indexed(file.stored, true);
    const Transcript truth = ReadAll({data.path()}, {}, &plan);
    ASSERT_EQ(truth.rows.size(), 15'000u);
    for (const size_t threads : {1u, 3u}) {
      for (const Beside* const of : {&data, &indexed}) {
        for (const Plan* const with :
             {&plan, static_cast<const Plan*>(nullptr)}) {
          const Transcript read =
              ReadAll({of->path()}, {.threads = threads}, with);
          EXPECT_TRUE(read.rows == truth.rows) << file;
          EXPECT_EQ(read.end, truth.end);
        }
      }
    }
  }
}

TEST(CompressedIndex, IsRequired) {
  const Plan plan = IdPlan();
  for (const SeekFile& file : RecordFiles()) {
    const Beside data(file.stored);
    EXPECT_THAT(ReadAll({data.path()},
                        {.threads = 3, .index = IndexUse::kRequired}, &plan)
                    .status,
                IsError(ErrorCode::kNotFound, {.file = data.path()}));
    const Beside indexed(file.stored, true);
    const ReadOptions required{.threads = 3, .index = IndexUse::kRequired};
    EXPECT_THAT(ReadAll({indexed.path()}, required, &plan).status, IsOk());
    const Beside other(compression::Gzip(RecordFile(IdRecords(0, 9))), true);
    std::ofstream(indexed.index_path(), std::ios::binary)
        << other.index_bytes();
    EXPECT_THAT(ReadAll({indexed.path()}, required, &plan).status,
                HasCode(ErrorCode::kBadIndex));
    const Transcript without = ReadAll({indexed.path()}, {.threads = 3}, &plan);
    EXPECT_THAT(without.status, IsOk());
    EXPECT_EQ(without.rows.size(), 15'000u);
  }
}

// A shard of gzip reads its part alone if an index has the members where the
// file says they are; otherwise what lies before it tells whether they are.
TEST(CompressedIndex, ProvesWhatTheFileSays) {
  const Plan plan = IdPlan();
  for (const SeekFile& file : RecordFiles()) {
    if (file.name != "blocked") continue;
    const Beside indexed(file.stored, true);
    const auto time = std::filesystem::last_write_time(indexed.path());
    std::string damaged = file.stored;
    char& byte = damaged[damaged.size() * 2 / 5];
    byte = static_cast<char>(byte ^ 0x10);
    std::ofstream(indexed.path(), std::ios::binary) << damaged;
    std::filesystem::last_write_time(indexed.path(), time);
    for (const size_t threads : {1u, 3u}) {
      ReadOptions options{.threads = threads, .shard = {2, 3}};
      const Transcript proved = ReadAll({indexed.path()}, options, &plan);
      EXPECT_THAT(proved.status, IsOk());
      options.index = IndexUse::kNone;
      EXPECT_THAT(ReadAll({indexed.path()}, options, &plan).status,
                  HasCode(ErrorCode::kDecompress));
    }
  }
}

// Two GiB that nobody wrote follow the windows.
TEST(CompressedIndex, SparseTailIsNotRead) {
  if (sizeof(void*) < 8) GTEST_SKIP() << "it cannot be mapped";
  const Plan plan = IdPlan();
  const Beside indexed(compression::Gzip(RecordFile(LargeIdRecords(15'000))),
                       true);
  std::filesystem::resize_file(indexed.index_path(), uint64_t{2} << 30);
  const uint64_t before = ResidentBytes();
  const Transcript read = ReadAll(
      {indexed.path()}, {.threads = 3, .index = IndexUse::kRequired}, &plan);
  EXPECT_THAT(read.status, IsOk());
  EXPECT_EQ(read.rows.size(), 15'000u);
  EXPECT_LT(ResidentGrowth(before), uint64_t{256} << 20);
}

TEST(CompressedIndex, ResumesAnywhere) {
  const Plan plan = IdPlan();
  for (const SeekFile& file : RecordFiles()) {
    const Beside data(file.stored);
    const Beside indexed(file.stored, true);
    const Transcript whole = ReadAll({data.path()}, {}, &plan);
    for (size_t row = 0; row < whole.rows.size();
         row += row < 3 ? 1 : 2 * whole.rows.size() / 7) {
      for (const size_t threads : {1u, 3u}) {
        for (const Beside* const of : {&data, &indexed}) {
          const Transcript rest = ReadAll(
              {of->path()},
              {.threads = threads, .resume_after = whole.origins[row]}, &plan);
          ASSERT_THAT(rest.status, IsOk());
          ASSERT_TRUE(rest.rows == whole.Tail(row + 1)) << file << " " << row;
        }
      }
    }
    RowOrigin wrong = whole.origins[5000];
    wrong.offset += 1;
    for (const Beside* const of : {&data, &indexed}) {
      EXPECT_THAT(ReadAll({of->path()}, {.resume_after = wrong}, &plan).status,
                  HasCode(ErrorCode::kInvalidArgument));
    }
  }
}

// All parts together have each record once.
TEST(CompressedIndex, PartsAreTheWhole) {
  const Plan plan = IdPlan();
  for (const SeekFile& file : RecordFiles()) {
    for (const bool has_index : {false, true}) {
      const Beside data(file.stored, has_index);
      const Transcript whole = ReadAll({data.path()}, {}, &plan);
      for (const size_t threads : {1u, 3u}) {
        for (const uint64_t count : {2u, 7u}) {
          std::vector<std::string> rows;
          for (uint64_t i = 0; i < count; ++i) {
            const Transcript part =
                ReadAll({data.path()},
                        {.threads = threads,
                         .range = PartOf(file.plain.size(), i, count)},
                        &plan);
            ASSERT_THAT(part.status, IsOk());
            EXPECT_GT(part.rows.size(), whole.rows.size() / (2 * count));
            rows.insert(rows.end(), part.rows.begin(), part.rows.end());
          }
          EXPECT_TRUE(ValuesIn(rows) == ValuesIn(whole.rows)) << file;
        }
      }
      std::vector<std::string> rows;
      for (const FilePart& part : OrThrow(CutFiles({data.path()}, 5))) {
        const Transcript read =
            ReadAll({part.file}, {.range = part.range}, &plan);
        ASSERT_THAT(read.status, IsOk());
        rows.insert(rows.end(), read.rows.begin(), read.rows.end());
      }
      EXPECT_TRUE(ValuesIn(rows) == ValuesIn(whole.rows)) << file;
    }
  }
}

// Shards of a file that says itself where it can be inflated from take ranges,
// as those of a plain file; so do those of an index that all require. An index
// that happens to be there changes nothing.
TEST(CompressedIndex, Shards) {
  const Plan plan = IdPlan();
  for (const SeekFile& file : RecordFiles()) {
    const Beside data(file.stored);
    const Beside indexed(file.stored, true);
    const Beside plain(file.plain);
    const Transcript whole = ReadAll({data.path()}, {}, &plan);
    const auto read = [&](const Beside& of, uint32_t i, IndexUse use,
                          size_t threads) {
      const Transcript part =
          ReadAll({of.path()},
                  {.threads = threads, .shard = {i, 3}, .index = use}, &plan);
      EXPECT_THAT(part.status, IsOk());
      return ValuesIn(part.rows);
    };
    std::vector<std::string> all;
    for (uint32_t i = 0; i < 3; ++i) {
      const auto part = read(data, i, IndexUse::kAuto, 1);
      all.insert(all.end(), part.begin(), part.end());
      for (const size_t threads : {1u, 3u}) {
        EXPECT_TRUE(read(indexed, i, IndexUse::kAuto, threads) == part) << file;
        EXPECT_TRUE(read(data, i, IndexUse::kNone, threads) == part) << file;
        const auto range = read(plain, i, IndexUse::kAuto, 1);
        EXPECT_EQ(range == part, HopsItself(file)) << file;
        EXPECT_TRUE(read(indexed, i, IndexUse::kRequired, threads) == range)
            << file;
      }
    }
    std::vector<std::string> expected = ValuesIn(whole.rows);
    std::sort(all.begin(), all.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(all == expected) << file;
  }
}

TEST(CompressedIndex, TakesTheRowsOfAReader) {
  const Plan plan = IdPlan();
  std::mt19937 random(1);
  for (const SeekFile& file : RecordFiles()) {
    for (const bool has_index : {false, true}) {
      const Beside data(file.stored, has_index);
      const Transcript whole = ReadAll({data.path()}, {}, &plan);
      for (const size_t threads : {1u, 3u}) {
        Dataset dataset =
            OrThrow(Dataset::Open({data.path()}, plan, {.threads = threads}));
        ASSERT_EQ(dataset.size(), whole.rows.size());
        for (int i = 0; i < 6; ++i) {
          std::vector<uint64_t> rows(1 + random() % 30);
          for (uint64_t& row : rows) row = random() % whole.rows.size();
          if (i == 0) rows.assign(1, whole.rows.size() - 1);
          TakeOptions options;
          if (i % 2 == 1) options = {.block = 100, .kept = 3};
          Transcript taken;
          AddRows(OrThrow(dataset.Take(rows, options)), &taken);
          std::vector<std::string> expected;
          for (const uint64_t row : rows) {
            expected.push_back(whole.rows[static_cast<size_t>(row)]);
          }
          EXPECT_EQ(taken.rows, expected) << file;
        }
      }
    }
    const Beside data(file.stored);
    EXPECT_THAT(Dataset::Open({data.path()}, plan, {.plain_only = true}),
                HasCode(ErrorCode::kInvalidArgument));
  }
}

// Who has read all of a file writes its index.
TEST(WriteIndex, OfWholeFiles) {
  const Plan plan = IdPlan();
  std::vector<SeekFile> files = RecordFiles();
  files.push_back(
      {"plain", Compression::kNone, files[0].plain, files[0].plain});
  for (const SeekFile& file : files) {
    for (const size_t threads : {1u, 3u}) {
      for (const uint64_t sample :
           {uint64_t{100}, uint64_t{100'000}, uint64_t{0}}) {
        for (const Plan* const with :
             {&plan, static_cast<const Plan*>(nullptr)}) {
          const Beside data(file.stored);
          const Transcript read = ReadAll(
              {data.path()},
              {.sample = sample, .threads = threads, .write_index = true},
              with);
          ASSERT_THAT(read.status, IsOk());
          EXPECT_EQ(read.rows.size(), 15'000u);
          ASSERT_TRUE(data.has_index()) << file;
          const Index index = OrThrow(Index::Open(data.index_path()));
          EXPECT_THAT(index.CheckIsOf(data.path()), IsOk());
          const Index built = OrThrow(Index::Build(data.path()));
          EXPECT_EQ(index.size(), built.size());
          EXPECT_EQ(index.stream_bytes(), built.stream_bytes());
          EXPECT_EQ(index.compression(), built.compression());
          if (file.compression == Compression::kNone || HopsItself(file)) {
            continue;
          }
          Dataset dataset = OrThrow(Dataset::Open(
              {data.path()}, plan, {.index = IndexUse::kRequired}));
          for (const uint64_t row :
               {uint64_t{0}, uint64_t{9'000}, uint64_t{14'999}}) {
            Transcript taken;
            AddRows(OrThrow(dataset.Take(std::vector<uint64_t>{row})), &taken);
            EXPECT_EQ(taken.rows[0], read.rows[static_cast<size_t>(row)]);
          }
        }
      }
    }
  }
}

// It is, byte for byte, what Index::Build gives, where points do not depend on
// how the bytes arrive.
TEST(WriteIndex, IsThatOfBuild) {
  const Plan plan = IdPlan();
  std::vector<SeekFile> files = RecordFiles();
  files.push_back(
      {"plain", Compression::kNone, files[0].plain, files[0].plain});
  for (const SeekFile& file : files) {
    const bool is_fixed =
        HopsItself(file) || file.compression == Compression::kNone;
    if (!is_fixed) continue;
    for (const size_t threads : {1u, 3u}) {
      const Beside data(file.stored);
      ReadAll({data.path()}, {.threads = threads, .write_index = true}, &plan);
      const std::string written = data.index_bytes();
      const Index built = OrThrow(Index::Build(data.path()));
      ASSERT_THAT(built.Save(data.index_path()), IsOk());
      EXPECT_TRUE(data.index_bytes() == written) << file << " " << threads;
    }
  }
}

TEST(WriteIndex, OnlyOfWholeFiles) {
  const Plan plan = IdPlan();
  for (const SeekFile& file : RecordFiles()) {
    const auto expect_none = [&](ReadOptions options, const char* what) {
      options.write_index = true;
      for (const size_t threads : {1u, 3u}) {
        for (const Plan* const with :
             {&plan, static_cast<const Plan*>(nullptr)}) {
          options.threads = threads;
          const Beside data(file.stored);
          EXPECT_THAT(ReadAll({data.path()}, options, with).status, IsOk())
              << what;
          EXPECT_FALSE(data.has_index()) << file << ": " << what;
        }
      }
    };
    expect_none({.sample = 100, .shard = {0, 2}}, "a shard");
    expect_none({.sample = 100, .range = {.begin = 0, .end = 100'000}},
                "a range");
    expect_none({.sample = 100, .range = {.begin = 100'000}}, "a range");
    const Beside whole(file.stored);
    const RowOrigin last = ReadAll({whole.path()}, {}, &plan).origins[3000];
    expect_none({.sample = 100, .resume_after = last}, "resumed");
    // The row is among those that are looked at first.
    expect_none({.sample = 10'000, .resume_after = last}, "resumed");
    expect_none({.sample = 2'990, .resume_after = last}, "resumed");
    // An early end.
    const Beside data(file.stored);
    {
      Reader reader =
          OrThrow(Reader::Open({data.path()}, plan, {.write_index = true}));
      EXPECT_THAT(reader.Next(), IsOk());
    }
    EXPECT_FALSE(data.has_index());
  }
}

TEST(WriteIndex, OfPlainFilesThatAreResumed) {
  const Plan plan = IdPlan();
  const std::string bytes = RecordFile(IdRecords(0, 30'000));
  for (const uint64_t sample : {100u, 10'000u, 100'000u}) {
    const Beside data(bytes);
    const Transcript whole = ReadAll({data.path()}, {}, &plan);
    for (const size_t row : {50u, 5'000u, 25'000u}) {
      const Transcript rest =
          ReadAll({data.path()}, {.sample = sample,
                                  .resume_after = whole.origins[row],
                                  .write_index = true});
      EXPECT_THAT(rest.status, IsOk());
      EXPECT_TRUE(rest.rows == whole.Tail(row + 1));
      EXPECT_FALSE(data.has_index()) << sample << " " << row;
    }
  }
}

// Of a damaged file there is none, whatever becomes of the damage.
TEST(WriteIndex, NotOfDamage) {
  const Plan plan = IdPlan();
  const std::vector<std::string> records = LargeIdRecords(15'000);
  DamagedFile damaged(records);
  damaged.FlipByte(damaged.offset(7000) + 3);
  for (const SeekFile& file : FewSeekFiles(damaged.bytes())) {
    for (const OnCorrupt policy :
         {OnCorrupt::kFail, OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      for (const size_t threads : {1u, 3u}) {
        const Beside data(file.stored);
        ReadAll({data.path()},
                {.on_corrupt = policy, .threads = threads, .write_index = true},
                &plan);
        EXPECT_FALSE(data.has_index()) << file;
      }
    }
  }
  for (const SeekFile& file : RecordFiles()) {
    const Beside data(file.stored.substr(0, file.stored.size() - 1));
    EXPECT_THAT(ReadAll({data.path()}, {.write_index = true}, &plan).status,
                HasCode(ErrorCode::kDecompress));
    EXPECT_FALSE(data.has_index());
  }
}

TEST(WriteIndex, ValidOnesStayAndStaleOnesAreReplaced) {
  const Plan plan = IdPlan();
  for (const SeekFile& file : RecordFiles()) {
    const Beside data(file.stored, true);
    const std::string before = data.index_bytes();
    ReadAll({data.path()}, {.write_index = true}, &plan);
    EXPECT_TRUE(data.index_bytes() == before) << file;
    const Beside other(RecordFile(IdRecords(0, 10)), true);
    std::ofstream(data.index_path(), std::ios::binary) << other.index_bytes();
    ReadAll({data.path()}, {.threads = 3, .write_index = true}, &plan);
    EXPECT_THAT(OrThrow(Index::Open(data.index_path())).CheckIsOf(data.path()),
                IsOk())
        << file;
  }
}

TEST(WriteIndex, InAFolder) {
  const Plan plan = IdPlan();
  for (const SeekFile& file : RecordFiles()) {
    const TemporaryFolder folder;
    const Beside data(file.stored);
    const ReadOptions options{.index_directory = folder.path(),
                              .write_index = true};
    EXPECT_THAT(ReadAll({data.path()}, options, &plan).status, IsOk());
    EXPECT_FALSE(data.has_index());
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/a.tfrecord.z.hri"));
    EXPECT_THAT(ReadAll({data.path()},
                        {.threads = 3,
                         .index = IndexUse::kRequired,
                         .index_directory = folder.path()},
                        &plan)
                    .status,
                IsOk());
    EXPECT_FALSE(
        ReadAll({data.path()},
                {.index_directory = "/no/such/folder", .write_index = true},
                &plan)
            .status.ok());
  }
}

}  // namespace
}  // namespace headrace::testing
