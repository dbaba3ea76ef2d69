#include "src/read/files/paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/reader.h"
#include "src/read/reader/parts.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

class PathsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "headrace_paths_test/";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    for (const char* name : {"b.tfrecord", "a.tfrecord", "x@3", "[odd].gz"}) {
      std::ofstream(folder_ + name) << "";
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<std::vector<std::string>> Expand(std::vector<std::string> patterns) {
    return ExpandPaths(patterns);
  }
  std::string folder_;
};

TEST_F(PathsTest, GlobsAreSorted) {
  EXPECT_THAT(*Expand({folder_ + "*.tfrecord"}),
              ElementsAre(folder_ + "a.tfrecord", folder_ + "b.tfrecord"));
  EXPECT_THAT(*Expand({folder_ + "[b]*", folder_ + "a.tfrecord"}),
              ElementsAre(folder_ + "b.tfrecord", folder_ + "a.tfrecord"));
  EXPECT_THAT(Expand({folder_ + "*.none"}), HasCode(ErrorCode::kNotFound));
}

TEST_F(PathsTest, ShardSets) {
  EXPECT_THAT(*Expand({"n@2"}),
              ElementsAre("n-00000-of-00002", "n-00001-of-00002"));
  EXPECT_THAT(*Expand({"n@1.tfrecord.gz"}),
              ElementsAre("n-00000-of-00001.tfrecord.gz"));
  EXPECT_THAT(*Expand({"n@0"}), ElementsAre("n@0"));
  EXPECT_THAT(*Expand({"n@2x"}), ElementsAre("n@2x"));
  EXPECT_THAT(*Expand({"n@99999999999"}), ElementsAre("n@99999999999"));
}

TEST_F(PathsTest, NamesOfShards) {
  EXPECT_EQ(ShardName("n", 2, 4), "n-00002-of-00004");
  EXPECT_EQ(ShardName("d/n.x", 123456, 234567), "d/n.x-123456-of-234567");
}

TEST_F(PathsTest, FoundFilesExist) {
  const auto find = [this](const std::string& name) {
    const std::vector<std::string> patterns = {folder_ + "a*", "-",
                                               folder_ + name};
    return FindFiles(patterns);
  };
  EXPECT_THAT(*find("x@3"),
              ElementsAre(folder_ + "a.tfrecord", "-", folder_ + "x@3"));
  for (const char* missing : {"none", "a.tfrecord/none", "none@2", "none*"}) {
    EXPECT_THAT(find(missing), HasCode(ErrorCode::kNotFound)) << missing;
  }
  EXPECT_THAT(
      find("none@2"),
      IsError(ErrorCode::kNotFound, {.file = folder_ + "none-00000-of-00002"}));
  const std::string endless(5000, 'x');
  EXPECT_THAT(find(endless), HasCode(ErrorCode::kIo));
}

TEST_F(PathsTest, WhatExistsIsTakenAsItIs) {
  EXPECT_THAT(*Expand({folder_ + "x@3", folder_ + "[odd].gz"}),
              ElementsAre(folder_ + "x@3", folder_ + "[odd].gz"));
}

TEST_F(PathsTest, AFolderIsItsTfrecordFiles) {
  const std::string folder = folder_ + "[d]";
  std::filesystem::create_directories(folder + "/sub.tfrecord");
  const std::vector<std::string> taken = {
      "B.tfrecord",
      "a-00000-of-00002",
      "a-00001-of-00002.gz",
      "a.tfrecord-00000-of-00010",
      "b-00000-of-00001.tfrecord.zst",
      "c.tfr",
      "d.tfrecords.snappy",
      "d2.tfr.gzip",
      "imagenet-v1.2-train-00000-of-01024",
      "e.record-00000-of-00001",
      "f.TFRecord",
      "g.tfrec",
      "h.record",
      "i.tfrecord.gz-00000-of-00004",
      "j.tf_record",
      "k.tfrecord-00000",
      "part-r-00000",
      "part-00001.gz",
      "z.tfrecord",
  };
  const std::vector<std::string> left = {
      ".a.tfrecord.0123456789abcdef.tmp",
      ".h.tfrecord",
      "_SUCCESS",
      "_t.tfrecord",
      "a.tfrecord.idx",
      "dataset_info.json",
      "m.data-00000-of-00001",
      "x-00000-of-",
      "x-of-00001",
      "x.array_record-00000-of-00001",
      "x.json-00000-of-00001.gz",
      "tfrecord",
      ".tfrecord",
      "part-x-00000",
      "train_00000",
      "a.tfrecord.1",
      "a.tfrecord.bak",
  };
  for (const auto& names : {left, taken}) {
    for (const std::string& name : names) {
      std::ofstream(folder + "/" + name) << "";
    }
  }
  std::filesystem::create_symlink("z.tfrecord", folder + "/link.tfrecord");
  std::vector<std::string> paths = {"-"};
  for (const std::string& name : taken) paths.push_back(folder + "/" + name);
  paths.push_back(folder + "/link.tfrecord");
  std::ranges::sort(paths);
  EXPECT_EQ(*Expand({"-", folder}), paths);
  paths[0] = folder_ + "a.tfrecord";
  EXPECT_EQ(*Expand({paths[0], folder + "/"}), paths);
}

TEST_F(PathsTest, AFolderHasNoLinksToNothing) {
  std::filesystem::create_symlink("away", folder_ + "c.tfrecord");
  const auto find = [](const std::string& pattern) {
    return FindFiles({&pattern, 1});
  };
  for (const std::string& pattern :
       {folder_, folder_ + "*.tfrecord", folder_ + "**"}) {
    EXPECT_THAT(find(pattern),
                IsError(ErrorCode::kNotFound, {.file = folder_ + "c.tfrecord"}))
        << pattern;
  }
  EXPECT_THAT(find(folder_).status().ToString(),
              ::testing::HasSubstr("the target of the link, away"));
  const std::vector<std::string> paths = {folder_};
  EXPECT_THAT(Reader::Open(paths), HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(Dataset::Open(paths), HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(CutFiles(paths, 2), HasCode(ErrorCode::kNotFound));
}

TEST_F(PathsTest, AFolderHasNoPipes) {
  ASSERT_EQ(mkfifo((folder_ + "c.tfrecord").c_str(), 0600), 0);
  for (const std::string& pattern :
       {folder_, folder_ + "*.tfrecord", folder_ + "**"}) {
    EXPECT_THAT(FindFiles({&pattern, 1}),
                IsError(ErrorCode::kIo, {.file = folder_ + "c.tfrecord"}))
        << pattern;
  }
}

TEST_F(PathsTest, UnreadableFilesAreFoundFirst) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read all";
  std::filesystem::permissions(folder_ + "b.tfrecord",
                               std::filesystem::perms::none);
  EXPECT_THAT(FindFiles({&folder_, 1}),
              IsError(ErrorCode::kIo, {.file = folder_ + "b.tfrecord"}));
}

TEST_F(PathsTest, GlobsLeaveIndexesOut) {
  for (const char* name : {"a.tfrecord.hri", "b.tfrecord.idx", "c.idx"}) {
    std::ofstream(folder_ + name) << "";
  }
  EXPECT_THAT(*Expand({folder_ + "[abc]*"}),
              ElementsAre(folder_ + "a.tfrecord", folder_ + "b.tfrecord",
                          folder_ + "c.idx"));
  EXPECT_THAT(*Expand({folder_ + "*.hri"}),
              ElementsAre(folder_ + "a.tfrecord.hri"));
}

TEST_F(PathsTest, AFolderWithoutTfrecordFiles) {
  std::filesystem::create_directory(folder_ + "empty");
  EXPECT_THAT(Expand({folder_ + "empty"}), HasCode(ErrorCode::kNotFound));
}

TEST_F(PathsTest, StandardInputOnce) {
  EXPECT_THAT(*Expand({"-", "a"}), ElementsAre("-", "a"));
  EXPECT_THAT(Expand({"-", "-"}), HasCode(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace headrace::testing
