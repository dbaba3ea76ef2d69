#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/reader.h"
#include "src/base/framing.h"
#include "src/read/files/paths.h"
#include "tests/compression/stored.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

// What is left out of a folder is named, with the reason.
class LeftOutTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Write("a.tfrecord", Record());
    Write("b.tfrecord", Record());
  }
  static std::string Record() {
    const auto header = RecordHeader(0);
    const auto footer = RecordFooter("");
    return std::string(header.begin(), header.end()) +
           std::string(footer.begin(), footer.end());
  }
  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + name, std::ios::binary) << bytes;
  }
  std::vector<LeftOutFile> Skipped() {
    auto found = LookForFiles({&folder_, 1});
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    if (!found.ok()) return {};
    EXPECT_EQ(found->files.size(), 2u);
    EXPECT_EQ(found->num_left_out, found->left_out.size());
    return found->left_out;
  }
  const TemporaryFolder temporary_;
  const std::string folder_ = temporary_.path() + "/";

  // The only one that is left out.
  LeftOutFile OneLeftOut() {
    const auto all = Skipped();
    EXPECT_EQ(all.size(), 1u);
    return all.size() == 1 ? all[0] : LeftOutFile();
  }
};

TEST_F(LeftOutTest, IsNothingInACleanFolder) {
  Write("a.tfrecord.hri", "HRI1");
  Write("b.tfrecord.idx", "0 16\n");
  Write(".hidden.tfrecord", Record());
  Write("_SUCCESS", "");
  EXPECT_TRUE(Skipped().empty());
}

TEST_F(LeftOutTest, IsTfrecordOfAnotherName) {
  Write("c.data", Record());
  const LeftOutFile left = OneLeftOut();
  EXPECT_EQ(left.path, folder_ + "c.data");
  EXPECT_EQ(left.reason, "TFRecord by the first bytes, but not by the name");
  EXPECT_TRUE(left.may_have_records);
}

TEST_F(LeftOutTest, IsCompressedTfrecordOfAnotherName) {
  for (const Compression form : {Compression::kGzip, Compression::kZlib,
                                 Compression::kZstd, Compression::kSnappy}) {
    Write("c.data", compression::Compress(form, Record()));
    EXPECT_EQ(OneLeftOut().reason,
              "TFRecord by the first bytes, but not by the name")
        << NameOf(form);
    Write("c.data",
          compression::Compress(form, "a text that is no record at all"));
    const LeftOutFile left = OneLeftOut();
    EXPECT_EQ(left.reason, "text") << NameOf(form);
    EXPECT_FALSE(left.may_have_records);
  }
}

TEST_F(LeftOutTest, IsWhatTheFirstBytesSay) {
  for (const auto& [bytes, reason, may_have] :
       {std::tuple("# how to use this data\n", "text", false),
        std::tuple("{\"rows\": 3}", "JSON", false),
        std::tuple("", "empty", false),
        std::tuple("PAR1....", "a Parquet file", false),
        std::tuple("version https://git-lfs.github.com/spec/v1\noid sha256:1",
                   "a Git LFS pointer: the file itself was not fetched", true),
        std::tuple("\x01\x80\xff\x05 something else",
                   "not TFRecord by the first bytes", true)}) {
    Write("c.data", bytes);
    const LeftOutFile left = OneLeftOut();
    EXPECT_EQ(left.reason, reason);
    EXPECT_EQ(left.may_have_records, may_have) << reason;
  }
}

TEST_F(LeftOutTest, IsAnEventFile) {
  Write("events.out.tfevents.1700000000.host", Record());
  EXPECT_EQ(OneLeftOut().reason, "an event file of TensorBoard");
}

TEST_F(LeftOutTest, IsAFolderALinkOrAPipe) {
  std::filesystem::create_directory(folder_ + "more.tfrecord");
  std::filesystem::create_symlink("away", folder_ + "link.data");
  ASSERT_EQ(mkfifo((folder_ + "pipe.data").c_str(), 0600), 0);
  const auto left = Skipped();
  ASSERT_EQ(left.size(), 3u);
  EXPECT_THAT(left[0].reason,
              ::testing::HasSubstr("the target of the link, away"));
  EXPECT_EQ(left[1].reason, "a folder; subfolders are not read");
  EXPECT_EQ(left[2].reason, "a pipe");
  for (const LeftOutFile& each : left) EXPECT_TRUE(each.may_have_records);
}

TEST_F(LeftOutTest, HasBounds) {
  for (int i = 0; i < 1100; ++i) Write("c" + std::to_string(i), "some text");
  const auto found = LookForFiles({&folder_, 1});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->num_left_out, 1100u);
  EXPECT_EQ(found->left_out.size(), 1000u);
  EXPECT_EQ(std::ranges::count(found->left_out, "text", &LeftOutFile::reason),
            100);
  EXPECT_EQ(DescribeLeftOut(found->left_out)[0],
            "left out of " + folder_ +
                ": c0, c1, c10, c100, c1000 and 95 more (text)");
}

TEST_F(LeftOutTest, IsInReportsAndErrors) {
  Write("c.data", Record());
  const std::vector<std::string> paths = {folder_};
  const auto reader = Reader::Open(paths);
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ(reader->report().left_out.size(), 1u);
  EXPECT_EQ(reader->report().num_left_out, 1u);
  EXPECT_EQ(reader->report().left_out[0].path, folder_ + "c.data");
  const auto dataset = Dataset::Open(paths);
  ASSERT_TRUE(dataset.ok());
  const ReadReport report = OrThrow(dataset->Report());
  ASSERT_EQ(report.left_out.size(), 1u);
  EXPECT_EQ(report.num_left_out, 1u);
  std::filesystem::remove(folder_ + "a.tfrecord");
  std::filesystem::remove(folder_ + "b.tfrecord");
  EXPECT_THAT(Reader::Open(paths).status().ToString(),
              ::testing::HasSubstr("c.data (TFRecord by the first bytes"));
}

}  // namespace
}  // namespace headrace::testing
