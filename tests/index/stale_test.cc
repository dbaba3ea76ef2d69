// An index is only of the file that it was made of, as it was then.

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/index.h"
#include "headrace/reader.h"
#include "headrace/record_writer.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

const std::vector<std::string> kMany(20'000, "some bytes");

// The file keeps its time of change.
void Rewrite(const std::string& path, const std::string& bytes) {
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  std::ofstream(path, std::ios::binary) << bytes;
  const timespec times[2] = {info.st_atim, info.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

class IndexStale : public ::testing::Test {
 protected:
  const DamagedFile intact_{kMany};
  const TemporaryFile file_{intact_.bytes()};
  const Index index_ = OrThrow(Index::Build(file_.path()));
};

TEST_F(IndexStale, IsRemovedByWhoReplacesTheFile) {
  const std::string& path = file_.path();
  const std::string index = path + ".hri";
  ASSERT_TRUE(index_.Save(index).ok());
  std::ofstream(path + ".idx") << "0 26\n";
  const auto write = [&] {
    RecordWriter writer = OrThrow(RecordWriter::Open(path));
    ASSERT_THAT(writer.Write("x"), IsOk());
    // Until the file has its name the old one is as it was.
    EXPECT_TRUE(std::filesystem::exists(index));
    ASSERT_THAT(writer.Close(), IsOk());
  };
  write();
  EXPECT_FALSE(std::filesystem::exists(index));
  EXPECT_THAT(RemoveStaleIndexes(path), ElementsAre(path + ".idx"));
  // What headrace did not write, and what others may use, stays.
  std::filesystem::remove(path + ".idx");
  std::ofstream(index) << "HRI";
  write();
  EXPECT_THAT(RemoveStaleIndexes(path), ElementsAre(index));
  std::filesystem::remove(index);
  ASSERT_TRUE(index_.Save(path + ".kept").ok());
  std::filesystem::create_symlink(path + ".kept", index);
  write();
  EXPECT_THAT(RemoveStaleIndexes(path), ElementsAre(index));
  EXPECT_TRUE(std::filesystem::exists(path + ".kept"));
  std::filesystem::remove(index);
  std::filesystem::remove(path + ".kept");
}

TEST_F(IndexStale, OfALinkAndOfItsTarget) {
  const std::string& path = file_.path();
  const std::string link = path + ".link";
  std::filesystem::create_symlink(path, link);
  ASSERT_TRUE(index_.Save(path + ".hri").ok());
  ASSERT_TRUE(index_.Save(link + ".hri").ok());
  RecordWriter writer = OrThrow(RecordWriter::Open(link));
  ASSERT_THAT(writer.Close(), IsOk());
  EXPECT_FALSE(std::filesystem::exists(path + ".hri"));
  EXPECT_FALSE(std::filesystem::exists(link + ".hri"));
  std::filesystem::remove(link);
}

TEST_F(IndexStale, PipesAreNoIndexes) {
  const std::string pipe = file_.path() + ".hri";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(Index::Open(pipe), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Dataset::Open({file_.path()}),
              HasCode(ErrorCode::kInvalidArgument));
  // A reader in order needs none.
  EXPECT_THAT(Reader::Open({file_.path()}), IsOk());
  EXPECT_THAT(
      Reader::Open({file_.path()}, ReadOptions{.index = IndexUse::kRequired}),
      HasCode(ErrorCode::kInvalidArgument));
  std::filesystem::remove(pipe);
}

TEST_F(IndexStale, UnchangedIsRight) {
  EXPECT_THAT(index_.CheckIsOf(file_.path()), IsOk());
  Rewrite(file_.path(), intact_.bytes());
  EXPECT_THAT(index_.CheckIsOf(file_.path()), IsOk());
}

TEST_F(IndexStale, Size) {
  for (const std::string& bytes :
       {std::string(), intact_.bytes() + "x",
        intact_.bytes().substr(0, intact_.size() - 26)}) {
    Rewrite(file_.path(), bytes);
    EXPECT_THAT(
        index_.CheckIsOf(file_.path()),
        IsError(ErrorCode::kBadIndex,
                {.file = file_.path(),
                 .text = "this file has " + std::to_string(bytes.size())}));
  }
}

TEST_F(IndexStale, ContentAtItsEnds) {
  for (const size_t at :
       {size_t{12}, (size_t{64} << 10) - 1, intact_.size() - (size_t{64} << 10),
        intact_.size() - 1}) {
    DamagedFile changed = intact_;
    Rewrite(file_.path(), changed.FlipByte(at).bytes());
    EXPECT_THAT(index_.CheckIsOf(file_.path()),
                IsError(ErrorCode::kBadIndex, {.text = "64 KiB differ"}));
  }
}

TEST_F(IndexStale, TimeOfChange) {
  const timespec times[2] = {{1, 5}, {1, 5}};
  ASSERT_EQ(utimensat(AT_FDCWD, file_.path().c_str(), times, 0), 0);
  EXPECT_THAT(
      index_.CheckIsOf(file_.path()),
      IsError(ErrorCode::kBadIndex, {.text = "time of change differs"}));
  // A nanosecond is a difference, too.
  const Index index = OrThrow(Index::Build(file_.path()));
  const timespec later[2] = {{1, 6}, {1, 6}};
  ASSERT_EQ(utimensat(AT_FDCWD, file_.path().c_str(), later, 0), 0);
  EXPECT_THAT(index.CheckIsOf(file_.path()), HasCode(ErrorCode::kBadIndex));
}

// Times before 1970 and those that no number of nanoseconds holds.
TEST_F(IndexStale, OddTimes) {
  constexpr time_t kLate = time_t{1} << (sizeof(time_t) == 8 ? 33 : 30);
  for (const time_t seconds : {time_t{-1'000'000}, kLate}) {
    const timespec times[2] = {{seconds, 5}, {seconds, 5}};
    ASSERT_EQ(utimensat(AT_FDCWD, file_.path().c_str(), times, 0), 0);
    const Index index = OrThrow(Index::Build(file_.path()));
    EXPECT_THAT(index.CheckIsOf(file_.path()), IsOk());
    EXPECT_THAT(index_.CheckIsOf(file_.path()), HasCode(ErrorCode::kBadIndex));
  }
}

TEST_F(IndexStale, AnotherFileOfThatSize) {
  std::vector<std::string> others = kMany;
  others[0] = "other data";
  const TemporaryFile other(RecordFile(others));
  EXPECT_THAT(index_.CheckIsOf(other.path()), HasCode(ErrorCode::kBadIndex));
  EXPECT_THAT(index_.CheckIsOf(other.path() + "x"),
              HasCode(ErrorCode::kNotFound));
}

class FileInput : public InputFile {
 public:
  explicit FileInput(const std::string& bytes) : bytes_(bytes) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    return bytes_.copy(reinterpret_cast<char*>(out.data()), out.size(),
                       Advance(out.size()));
  }
  bool can_seek() const override { return true; }
  Status Seek(uint64_t position) override {
    at_ = static_cast<size_t>(position);
    return Status();
  }
  uint64_t size() const override { return bytes_.size(); }

 private:
  size_t Advance(size_t most) {
    const size_t at = std::min(at_, bytes_.size());
    at_ = at + std::min(most, bytes_.size() - at);
    return at;
  }

  const std::string bytes_;
  size_t at_ = 0;
};

// An input of the caller's has no time of change, but size and content.
TEST_F(IndexStale, InputsOfTheCaller) {
  DamagedFile changed = intact_;
  changed.FlipByte(20);
  std::string now = intact_.bytes();
  const IndexOptions options{
      .open_input =
          [&now](const std::string&) -> Result<std::unique_ptr<InputFile>> {
        return std::unique_ptr<InputFile>(std::make_unique<FileInput>(now));
      }};
  const Index index = OrThrow(Index::Build("s3://x", options));
  EXPECT_THAT(index.CheckIsOf("s3://x", options), IsOk());
  EXPECT_THAT(index_.CheckIsOf("s3://x", options), IsOk());
  EXPECT_THAT(index.CheckIsOf(file_.path()), IsOk());
  now = changed.bytes();
  EXPECT_THAT(index.CheckIsOf("s3://x", options),
              IsError(ErrorCode::kBadIndex,
                      {.file = "s3://x", .text = "64 KiB differ"}));
}

TEST_F(IndexStale, TextKnowsTheSize) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/x.idx";
  ASSERT_THAT(index_.SaveText(path), IsOk());
  const Index text = OrThrow(Index::Open(path));
  EXPECT_THAT(text.CheckIsOf(file_.path()), IsOk());
  Rewrite(file_.path(), intact_.bytes() + RecordFile({""}));
  EXPECT_THAT(text.CheckIsOf(file_.path()), HasCode(ErrorCode::kBadIndex));
}

}  // namespace
}  // namespace headrace::testing
