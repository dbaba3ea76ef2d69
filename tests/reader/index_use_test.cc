// Which index of a compressed file parts and readers use.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "src/read/reader/parts.h"
#include "tests/compression/stored.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

class IndexUseTest : public ::testing::Test {
 protected:
  IndexUseTest() { std::ofstream(path_, std::ios::binary) << stored_; }

  void SaveIndex(const std::string& index_path) const {
    const Index index = OrThrow(Index::Build(path_));
    ASSERT_THAT(index.Save(index_path), IsOk());
  }
  size_t CountParts(const CutOptions& options) const {
    return OrThrow(CutFiles({path_}, 4, options)).size();
  }

  const std::string stored_ = compression::Gzip(RecordFile(IdRecords(0, 100)));
  const TemporaryFolder folder_;
  const TemporaryFolder indexes_;
  const std::string path_ = folder_.path() + "/a.gz";
  const std::string beside_ = path_ + ".hri";
};

TEST_F(IndexUseTest, PartsNeedOneThatMayBeUsed) {
  EXPECT_EQ(CountParts({}), 1u);
  EXPECT_EQ(
      CutFiles({path_}, 4, {.index = IndexUse::kRequired}).status().code(),
      ErrorCode::kNotFound);
  SaveIndex(beside_);
  EXPECT_EQ(CountParts({}), 4u);
  EXPECT_EQ(CountParts({.index = IndexUse::kRequired}), 4u);
  EXPECT_EQ(CountParts({.index = IndexUse::kNone}), 1u);
  EXPECT_EQ(CountParts({.index_directory = indexes_.path()}), 1u);
  SaveIndex(indexes_.path() + "/a.gz.hri");
  std::filesystem::remove(beside_);
  EXPECT_EQ(CountParts({}), 1u);
  EXPECT_EQ(CountParts({.index_directory = indexes_.path()}), 4u);
}

TEST_F(IndexUseTest, PartsOfInputsAreFoundByTheIndexInAFolder) {
  MemoryFiles files;
  files[path_].bytes = stored_;
  const CutOptions options{.index_directory = indexes_.path(),
                           .open_input = files.opener()};
  EXPECT_EQ(CountParts(options), 1u);
  SaveIndex(indexes_.path() + "/a.gz.hri");
  EXPECT_EQ(CountParts(options), 4u);
}

// Also by readers that could do without it.
TEST_F(IndexUseTest, OneThatIsRequiredIsLookedFor) {
  const Plan plan = IdPlan();
  const auto read = [&](size_t threads) {
    return ReadAll({path_}, {.threads = threads, .index = IndexUse::kRequired},
                   &plan);
  };
  for (const size_t threads : {1u, 3u}) {
    EXPECT_EQ(read(threads).status.code(), ErrorCode::kNotFound);
  }
  SaveIndex(beside_);
  for (const size_t threads : {1u, 3u}) {
    const Transcript found = read(threads);
    EXPECT_THAT(found.status, IsOk());
    EXPECT_EQ(found.rows.size(), 100u);
  }
  std::ofstream(path_, std::ios::binary)
      << compression::Gzip(RecordFile(IdRecords(1, 100)));
  for (const size_t threads : {1u, 3u}) {
    EXPECT_EQ(read(threads).status.code(), ErrorCode::kBadIndex);
  }
}

// The damage behind the part is not met.
TEST_F(IndexUseTest, ARecordReaderHopsToItsPart) {
  const std::string plain = RecordFile(IdRecords(0, 20'000));
  std::string stored =
      compression::BlockedGzip(compression::Split(plain, 10'000));
  stored[stored.size() - 20] ^= 1;
  const TemporaryFile blocked(stored);
  const TemporaryFile same(plain);
  const auto read = [](const TemporaryFile& file, const ByteRange& range) {
    std::vector<uint64_t> offsets;
    RecordReader reader =
        OrThrow(RecordReader::Open(file.path(), {.range = range}));
    auto record = reader.Next();
    for (; record; record = reader.Next()) offsets.push_back(record->offset);
    EXPECT_EQ(record.ok(), range != ByteRange()) << record.status().ToString();
    return offsets;
  };
  const ByteRange part{.begin = 100'000, .end = 200'000};
  const std::vector<uint64_t> offsets = read(blocked, part);
  EXPECT_GT(offsets.size(), 1000u);
  EXPECT_EQ(offsets, read(same, part));
  read(blocked, {});
}

}  // namespace
}  // namespace headrace::testing
