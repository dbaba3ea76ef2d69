// The text form of DALI and of vahidk's tfrecord.

#include <limits>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "tests/index/naive_index.h"
#include "tests/random/random_example.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

Result<Index> OpenText(const std::string& text) {
  const TemporaryFile file(text);
  return Index::Open(file.path());
}

TEST(IndexText, IsAsTheToolsWriteIt) {
  const TemporaryFile file(RecordFile({"one", "", "three"}));
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/x.idx";
  ASSERT_THAT(OrThrow(Index::Build(file.path())).SaveText(path), IsOk());
  EXPECT_EQ(ContentOf(path), "0 19\n19 16\n35 21\n");
}

TEST(IndexText, RoundTrip) {
  Random random(/*seed=*/1);
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/x";
  for (const size_t count : {0u, 1u, 64u, 65u, 1023u, 1024u, 1025u, 20'000u}) {
    std::string text;
    NaiveIndex expected;
    uint64_t at = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t length = random.Bits() >> (18 + random.Below(46));
      expected.push_back(RecordPlace{.offset = at, .length = length});
      text += std::to_string(at) + " " + std::to_string(length + 16) + "\n";
      at += length + 16;
    }
    const Index index = OrThrow(OpenText(text));
    EXPECT_EQ(PlacesOf(index), expected);
    EXPECT_EQ(index.stream_bytes(), at);
    ASSERT_THAT(index.SaveText(path), IsOk());
    EXPECT_EQ(ContentOf(path), text);
    // In the form of headrace it says as much.
    ASSERT_THAT(index.Save(path), IsOk());
    EXPECT_EQ(PlacesOf(OrThrow(Index::Open(path))), expected);
  }
}

TEST(IndexText, TakesOtherBlanks) {
  for (const std::string text :
       {"0 19\n19 16\n", "0 19\n19 16", "0 19\r\n19 16\r\n", "0\t19\n19   16\n",
        " 0 19 \n19 16 ", "00 019\n19 16\n"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(PlacesOf(OrThrow(OpenText(text))),
              (NaiveIndex{RecordPlace{.offset = 0, .length = 3},
                          RecordPlace{.offset = 19, .length = 0}}));
  }
}

TEST(IndexText, RefusesWhatIsNoIndex) {
  const std::string most = std::to_string(std::numeric_limits<uint64_t>::max());
  const struct {
    std::string text, error;
  } cases[] = {
      {"x", "line 1: expected the offset and the length"},
      {"\n", "line 1"},
      {"0", "line 1"},
      {"0 19 5\n", "line 1"},
      {"0 19\n\n19 16\n", "line 2: expected"},
      {"-0 19\n", "line 1"},
      {"+0 19\n", "line 1"},
      {"0 -19\n", "line 1"},
      {"0,19\n", "line 1"},
      {"0 19x\n", "line 1"},
      {"0 1e3\n", "line 1"},
      {"0 0x20\n", "line 1"},
      {"0 99999999999999999999\n", "line 1: expected"},
      {"0 " + most + "\n", "no file has this many bytes"},
      {"0 19\n19 " + most + "\n", "line 2: no file has this many bytes"},
      {"0 15\n", "at least 16 bytes, this one 15"},
      {"1 19\n", "begins at 1, the one before ends at 0"},
      {"0 19\n20 16\n", "line 2: the record begins at 20"},
      {"0 19\n0 19\n", "line 2: the record begins at 0"},
      {std::string("0 19\n19 16\0\n", 12), "line 2"},
      {std::string(500, ' ') + "0 19\n", "line 1"},
      {"0 19\n" + std::string(100'000, '1'), "line 2"},
      {"HRI", "a headrace index begins with HRI1"},
      {"HRI2" + std::string(100, '\0'), "line 1"},
      {std::string(1000, '\xff'), "line 1"},
  };
  for (const auto& [text, error] : cases) {
    SCOPED_TRACE(text.substr(0, 100));
    const TemporaryFile file(text);
    EXPECT_THAT(
        Index::Open(file.path()),
        IsError(ErrorCode::kBadIndex, {.file = file.path(), .text = error}));
  }
}

// Lines longer than a read, and reads that end anywhere in a line.
TEST(IndexText, LinesStraddleReads) {
  std::string text;
  uint64_t at = 0;
  for (size_t i = 0; i < 30'000; ++i) {
    text += std::to_string(at) + " 1016\n";
    at += 1016;
  }
  EXPECT_EQ(OrThrow(OpenText(text)).size(), 30'000u);
  text += "oops\n";
  EXPECT_THAT(OpenText(text),
              IsError(ErrorCode::kBadIndex, {.text = "line 30001: expected"}));
}

TEST(IndexText, DamagedIndexesAreNotWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/x";
  const TemporaryFile file(
      RecordFile(std::vector<std::string>(2000, "some bytes")));
  ASSERT_THAT(OrThrow(Index::Build(file.path())).Save(path), IsOk());
  std::string bytes = ContentOf(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  const TemporaryFile damaged(bytes);
  const std::string text = folder.path() + "/x.idx";
  EXPECT_THAT(OrThrow(Index::Open(damaged.path())).SaveText(text),
              HasCode(ErrorCode::kBadIndex));
  EXPECT_EQ(ContentOf(text), "");
}

}  // namespace
}  // namespace headrace::testing
