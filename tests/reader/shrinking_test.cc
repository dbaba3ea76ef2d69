// Files that are cut while they are read. Where a record ends, or a part of a
// compressed file, nothing but the size they had tells that there was more.

#include <unistd.h>

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using ::testing::AnyOf;

constexpr size_t kParts = 20;
constexpr size_t kPartRecords = 100;
constexpr size_t kRecords = kParts * kPartRecords;

// Records of a kilobyte that hardly compress, in parts that are stored one
// after another; zlib has only one.
struct Parts {
  std::string bytes;
  std::vector<size_t> ends;     // of each part, as it is stored
  std::vector<uint64_t> plain;  // of each record, and the end
};

Parts MakeParts(Compression compression) {
  std::mt19937 random(3);
  Parts parts;
  std::vector<std::string> records;
  for (size_t i = 0; i < kRecords; ++i) {
    std::string padding(1000, '\0');
    for (char& c : padding) c = static_cast<char>(random());
    records.push_back(ExampleBuilder()
                          .Bytes("padding", {padding})
                          .Int64s("id", {static_cast<int64_t>(i)})
                          .Build());
  }
  const DamagedFile whole(records);
  for (size_t i = 0; i <= kRecords; ++i) parts.plain.push_back(whole.offset(i));
  const size_t each =
      compression == Compression::kZlib ? kRecords : kPartRecords;
  for (size_t i = 0; i < kRecords; i += each) {
    const size_t begin = whole.offset(i);
    parts.bytes += CompressedBytes(
        whole.bytes().substr(begin, whole.offset(i + each) - begin),
        compression);
    parts.ends.push_back(parts.bytes.size());
  }
  return parts;
}

// Where a file of `parts` is cut: at some ends of parts, and beside one.
std::vector<size_t> Cuts(const Parts& parts) {
  std::vector<size_t> cuts = {0, parts.bytes.size() - 1};
  if (parts.ends.size() > 1) {
    const size_t middle = parts.ends[kParts / 2 - 1];
    cuts.insert(cuts.end(), {parts.ends[0], middle - 1, middle, middle + 1,
                             middle + 12, parts.ends[kParts - 2]});
  }
  return cuts;
}

Status ReadAround(Result<Reader> reader, const std::function<void()>& change,
                  size_t* rows) {
  EXPECT_THAT(reader, IsOk());
  bool is_changed = false;
  for (auto batch = reader->Next(); batch; batch = reader->Next()) {
    *rows += batch->num_rows();
    if (!std::exchange(is_changed, true)) change();
  }
  EXPECT_TRUE(is_changed);
  return reader->status();
}

auto ShrankTo(size_t cut, const std::string& file, const Parts& parts,
              size_t rows) {
  return IsError(ErrorCode::kIo,
                 {.file = file,
                  .record = rows,
                  .offset = parts.plain[rows],
                  .text = "expected " + std::to_string(parts.bytes.size()) +
                          " bytes, found " + std::to_string(cut)});
}

TEST(ShrinkingTest, EveryWayToReadAFile) {
  const Plan plan = IdPlan();
  for (const Compression compression : kCompressions) {
    const Parts parts = MakeParts(compression);
    for (const size_t cut : Cuts(parts)) {
      for (const bool mmap : {false, true}) {
        for (const size_t threads : {1u, 3u}) {
          for (const OnCorrupt policy :
               {OnCorrupt::kFail, OnCorrupt::kSkip, OnCorrupt::kRescan}) {
            // A window that is mapped must not go while it is looked at.
            const bool is_seen = threads > 1 || cut < 800'000;
            if (mmap && (compression != Compression::kNone || is_seen)) {
              continue;
            }
            SCOPED_TRACE(std::string(CompressionName(compression)) +
                         " cut to " + std::to_string(cut) +
                         (mmap ? ", mapped" : ""));
            const TemporaryFile file(parts.bytes);
            size_t rows = 0;
            const Status status = ReadAround(
                Reader::Open({file.path()}, plan,
                             {.batch_size = 50,
                              .on_corrupt = policy,
                              .mmap = mmap,
                              .threads = threads}),
                [&] {
                  ASSERT_EQ(
                      truncate(file.path().c_str(), static_cast<off_t>(cut)),
                      0);
                },
                &rows);
            // Of what is compressed the end may be but a checksum.
            EXPECT_LE(rows, kRecords);
            // Threads read what is compressed ahead, and may be done with it.
            if (threads > 1 && compression != Compression::kNone &&
                status.ok()) {
              EXPECT_EQ(rows, kRecords);
              continue;
            }
            EXPECT_THAT(status, ShrankTo(cut, file.path(), parts, rows));
            // One thread has read no further than a window or two.
            if (threads == 1 && parts.ends.size() > 1 &&
                cut == parts.ends[kParts / 2 - 1]) {
              EXPECT_EQ(rows, kRecords / 2);
            }
          }
        }
      }
    }
  }
}

TEST(ShrinkingTest, ShardsAndWhatIsResumed) {
  const Plan plan = IdPlan();
  const Parts parts = MakeParts(Compression::kNone);
  const size_t cut = parts.ends[kParts / 2 - 1];
  ReadOptions resumed{.batch_size = 50};
  resumed.resume_after = RowOrigin{.record = 300, .offset = parts.plain[300]};
  ReadOptions shard{.batch_size = 50};
  shard.shard = {.index = 1, .count = 2};
  for (const ReadOptions& options : {resumed, shard}) {
    const TemporaryFile file(parts.bytes);
    size_t rows = 0;
    const Status status = ReadAround(
        Reader::Open({file.path()}, plan, options),
        [&] {
          ASSERT_EQ(truncate(file.path().c_str(), static_cast<off_t>(cut)), 0);
        },
        &rows);
    if (options.resume_after) {
      EXPECT_THAT(status, ShrankTo(cut, file.path(), parts, kRecords / 2));
    } else {
      // This is the second half, in which nothing is left.
      EXPECT_THAT(status, IsError(ErrorCode::kIo,
                                  {.file = file.path(),
                                   .text = "found " + std::to_string(cut)}));
    }
    EXPECT_GT(rows, 100u);
  }
}

// Only what it says of its size tells.
TEST(ShrinkingTest, InputsOfTheCaller) {
  const Plan plan = IdPlan();
  for (const Compression compression : kCompressions) {
    const Parts parts = MakeParts(compression);
    for (const bool can_seek : {true, false}) {
      for (const bool knows_size : {true, false}) {
        const size_t cut = parts.ends[(parts.ends.size() - 1) / 2] -
                           (parts.ends.size() == 1 ? 1 : 0);
        MemoryFiles files;
        files["a"] = {.bytes = parts.bytes,
                      .can_seek = can_seek,
                      .knows_size = knows_size};
        ReadOptions options{.batch_size = 50};
        options.open_input = files.opener();
        size_t rows = 0;
        const Status status = ReadAround(
            Reader::Open({"a"}, plan, options),
            [&] { files["a"].bytes.resize(cut); }, &rows);
        EXPECT_LE(rows, kRecords);
        if (knows_size) {
          EXPECT_THAT(status, ShrankTo(cut, "a", parts, rows));
        } else {
          EXPECT_THAT(status.code(),
                      AnyOf(ErrorCode::kOk, ErrorCode::kDecompress));
        }
      }
    }
  }
}

TEST(ShrinkingTest, RecordReaderBetweenTwoRecords) {
  const Parts parts = MakeParts(Compression::kNone);
  const size_t cut = parts.ends[kParts / 2 - 1];
  for (const bool mmap : {false, true}) {
    const TemporaryFile file(parts.bytes);
    auto reader = OrThrow(RecordReader::Open(file.path(), {.mmap = mmap}));
    ASSERT_TRUE(reader.Next().ok());
    ASSERT_EQ(truncate(file.path().c_str(), static_cast<off_t>(cut)), 0);
    size_t count = 1;
    auto record = reader.Next();
    for (; record; record = reader.Next()) ++count;
    EXPECT_EQ(count, kRecords / 2);
    EXPECT_THAT(record, ShrankTo(cut, file.path(), parts, count));
    EXPECT_EQ(reader.Next().status().ToString(), record.status().ToString());
  }
}

// A file that was written anew for a moment is as long as before.
TEST(ShrinkingTest, ShorterForAMoment) {
  const Parts parts = MakeParts(Compression::kNone);
  const TemporaryFile file(parts.bytes);
  auto reader = OrThrow(RecordReader::Open(file.path()));
  ASSERT_TRUE(reader.Next().ok());
  const auto size = static_cast<off_t>(parts.bytes.size());
  ASSERT_EQ(truncate(file.path().c_str(), size / 2), 0);
  ASSERT_EQ(truncate(file.path().c_str(), size), 0);
  auto record = reader.Next();
  while (record) record = reader.Next();
  EXPECT_FALSE(record.status().ok());
}

}  // namespace
}  // namespace headrace::testing
