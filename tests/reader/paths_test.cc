#include "headrace/paths.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using ::testing::ElementsAre;

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

TEST_F(PathsTest, WhatExistsIsTakenAsItIs) {
  EXPECT_THAT(*Expand({folder_ + "x@3", folder_ + "[odd].gz"}),
              ElementsAre(folder_ + "x@3", folder_ + "[odd].gz"));
}

TEST_F(PathsTest, StandardInputOnce) {
  EXPECT_THAT(*Expand({"-", "a"}), ElementsAre("-", "a"));
  EXPECT_THAT(Expand({"-", "-"}), HasCode(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace headrace::testing
