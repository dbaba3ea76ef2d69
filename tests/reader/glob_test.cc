// Glob against the C library's, over every pattern of a few pieces.

#include "src/read/files/glob.h"

#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/temporary_file.h"

namespace headrace::reader {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Expected(const std::string& pattern) {
  glob_t matches{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    paths.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  }
  globfree(&matches);
  std::sort(paths.begin(), paths.end());
  return paths;
}

class GlobTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "ab", "b", ".a", "a*", "a\\", "ü", "[a]"}) {
      std::ofstream(folder_ + "/" + name).put('x');
      fs::create_directories(folder_ + "/" + name + ".d/a");
    }
    fs::create_symlink("nowhere", folder_ + "/dangling");
  }

  void Compare(const std::string& pattern) const {
    // The C library gives one slash at the end, however many are asked for.
    if (!IsGlob(pattern) || pattern.ends_with("//")) return;
    // Here ** stands for folders.
    if (pattern.find("**") != std::string::npos) return;
    const auto found = Glob(pattern);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(*found, Expected(pattern)) << pattern;
  }

  const testing::TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

TEST_F(GlobTest, AgreesWithTheCLibrary) {
  const std::vector<std::string> pieces = {
      "*", "?", "a", "b", ".", "/", "\\*", "[ab]", "[!a]", ".d", "["};
  for (const std::string& first : pieces) {
    for (const std::string& second : pieces) {
      for (const std::string& third : pieces) {
        Compare(folder_ + "/" + first + second + third);
      }
    }
  }
  Compare(folder_ + "/*.d/*");
  Compare(folder_ + "/*.d/");
  Compare(folder_ + "/*/");
  Compare(folder_ + "//*");
  Compare(folder_ + "/dang*");
  Compare(folder_.substr(0, 5) + "*" + folder_.substr(6) + "/a*");
}

TEST_F(GlobTest, RelativePatterns) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  for (const char* pattern : {"*", "a*", ".*", "*.d/*", "./a?", "../*/a"}) {
    Compare(pattern);
  }
  fs::current_path(before);
}

}  // namespace
}  // namespace headrace::reader
