#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/read/files/paths.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

// ** is any number of folders.
class DeepGlobTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ + "d/e/f");
    std::filesystem::create_directories(folder_ + "d/.g");
    for (const char* name : {"a.tfr", "d/b.tfr", "d/e/f/c.tfr", "d/.g/h.tfr",
                             "d/e/f/c.tfr.hri", "d/e/i.txt"}) {
      std::ofstream(folder_ + name) << "";
    }
  }
  Result<std::vector<std::string>> Expand(const std::string& pattern) {
    const std::string path = folder_ + pattern;
    return ExpandPaths({&path, 1});
  }
  // Without the folder.
  std::vector<std::string> Found(const std::string& pattern) {
    const auto found = Expand(pattern);
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    std::vector<std::string> names;
    if (!found.ok()) return names;
    for (const std::string& path : *found) {
      names.push_back(path.substr(folder_.size()));
      EXPECT_TRUE(*MatchesGlob(folder_ + pattern, path)) << path;
    }
    return names;
  }

  const TemporaryFolder temporary_;
  const std::string folder_ = temporary_.path() + "/";
};

TEST_F(DeepGlobTest, FindsFilesAtAnyDepth) {
  const std::vector<std::string> tfr = {"a.tfr", "d/b.tfr", "d/e/f/c.tfr"};
  EXPECT_EQ(Found("**/*.tfr"), tfr);
  EXPECT_EQ(Found("**/**/*.tfr"), tfr);
  EXPECT_EQ(Found("**"), (std::vector<std::string>{
                             "a.tfr", "d/b.tfr", "d/e/f/c.tfr", "d/e/i.txt"}));
  EXPECT_EQ(Found("**/*"), Found("**"));
  EXPECT_EQ(Found("d/**/c*"), std::vector<std::string>{"d/e/f/c.tfr"});
  EXPECT_EQ(Found("**/f/*"), std::vector<std::string>{"d/e/f/c.tfr"});
  EXPECT_EQ(Found("d/**/b.tfr"), std::vector<std::string>{"d/b.tfr"});
  EXPECT_EQ(Found("**/*.hri"), std::vector<std::string>{"d/e/f/c.tfr.hri"});
  EXPECT_EQ(Found("d/.g/**"), std::vector<std::string>{"d/.g/h.tfr"});
}

TEST_F(DeepGlobTest, FollowsLinksButNotInRings) {
  std::filesystem::create_directory_symlink("../d", folder_ + "d/ring");
  std::filesystem::create_directory_symlink("d/e/f", folder_ + "linked");
  EXPECT_EQ(Found("**/*.tfr"),
            (std::vector<std::string>{"a.tfr", "d/b.tfr", "d/e/f/c.tfr",
                                      "linked/c.tfr"}));
}

TEST_F(DeepGlobTest, IsAWholePart) {
  for (const char* pattern : {"a**", "**.tfr", "d/x**/b.tfr"}) {
    EXPECT_THAT(Expand(pattern), HasCode(ErrorCode::kInvalidArgument));
    EXPECT_THAT(MatchesGlob(pattern, "a"),
                HasCode(ErrorCode::kInvalidArgument));
  }
}

TEST_F(DeepGlobTest, MatchesPathsByTheSameRules) {
  for (const char* path : {"d/.g/h.tfr", ".h.tfr", "d/e/f/c.tfr.hri", "d"}) {
    EXPECT_FALSE(*MatchesGlob("**/*.tfr*", path)) << path;
  }
  EXPECT_TRUE(*MatchesGlob("**", "d/e/f"));
  EXPECT_TRUE(*MatchesGlob("d/*", "d/b.tfr"));
  EXPECT_FALSE(*MatchesGlob("d/*", "d/e/b.tfr"));
  EXPECT_FALSE(*MatchesGlob("d/**/b", "d"));
}

}  // namespace
}  // namespace headrace::testing
