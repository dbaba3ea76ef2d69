// What is read to find the columns: no more than the sample, and none of it
// twice.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "tests/process/faulty_calls.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kDefault = uint64_t{16} << 20;
// Beyond the sample: the rest of the window that it ends in, and what that
// window took over from the one before it.
constexpr uint64_t kWindowBytes = uint64_t{512} << 10;

// Records of 100 KB.
std::vector<std::string> Images(int64_t count) {
  std::vector<std::string> records;
  for (int64_t i = 0; i < count; ++i) {
    records.push_back(ExampleBuilder()
                          .Bytes("image", {std::string(100'000, 'p')})
                          .Int64s("id", {i})
                          .Build());
  }
  return records;
}

// Bytes that this process asks its files for while it lives.
class CountedReads {
 public:
  uint64_t bytes() const { return bytes_; }

 private:
  std::atomic<uint64_t> bytes_ = 0;
  FaultyCalls calls_{[this](size_t, size_t* size) {
    bytes_ += *size;
    return 0;
  }};
};

TEST(SampleTest, OpenAsksAnInputForTheSampleAlone) {
  const std::string bytes = RecordFile(Images(400));
  for (const bool can_seek : {true, false}) {
    for (const size_t threads : {1u, 3u}) {
      for (const std::vector<std::string>& features :
           {std::vector<std::string>(), {"id"}}) {
        MemoryFiles files;
        files["a"] = {.bytes = bytes, .can_seek = can_seek};
        auto reader = OrThrow(Reader::Open(
            {"a"},
            Through(&files, {.threads = threads, .features = features})));
        EXPECT_GE(files["a"].bytes_read, kDefault);
        EXPECT_LE(files["a"].bytes_read, kDefault + kWindowBytes);
        uint64_t rows = 0;
        while (auto batch = reader.Next()) rows += batch->num_rows();
        EXPECT_THAT(reader.status(), IsOk());
        EXPECT_EQ(rows, 400u);
        EXPECT_EQ(files["a"].bytes_read, bytes.size());
        EXPECT_EQ(files["a"].opens, 1u);
      }
    }
  }
}

TEST(SampleTest, NoByteOfAnInputIsReadTwice) {
  for (const Compression compression : kCompressions) {
    const std::string bytes = CompressedFile(IdRecords(0, 3000), compression);
    for (const Compression asked : {Compression::kAuto, compression}) {
      MemoryFiles files;
      for (const std::string name : {"a", "b", "c"}) files[name].bytes = bytes;
      const Transcript read =
          ReadAll({"a", "b", "c"},
                  Through(&files, {.compression = asked, .sample = 4000}));
      EXPECT_THAT(read.status, IsOk());
      EXPECT_THAT(read.rows, SizeIs(9000));
      for (const std::string name : {"a", "b", "c"}) {
        EXPECT_EQ(files[name].opens, 1u);
        EXPECT_EQ(files[name].bytes_read, bytes.size());
      }
    }
  }
}

TEST(SampleTest, OpenAsksAFileForTheSampleAlone) {
  const TemporaryFile file(RecordFile(Images(400)));
  const CountedReads reads;
  auto reader = OrThrow(Reader::Open({file.path()}));
  EXPECT_GE(reads.bytes(), kDefault);
  EXPECT_LE(reads.bytes(), kDefault + kWindowBytes);
  uint64_t rows = 0;
  while (auto batch = reader.Next()) rows += batch->num_rows();
  EXPECT_EQ(rows, 400u);
  // Two large windows may be asked for behind the end.
  EXPECT_LE(reads.bytes(), 400 * 100'100 + (uint64_t{4} << 20));
}

// Ids, of which record `late` has one feature more.
std::vector<std::string> IdsAndOneMore(int64_t count, int64_t late) {
  std::vector<std::string> records = IdRecords(1000, 1000 + count);
  records[static_cast<size_t>(late)] =
      ExampleBuilder().Int64s("id", {1000 + late}).Int64s("late", {1}).Build();
  return records;
}

size_t NumColumns(const std::vector<std::string>& paths,
                  const ReadOptions& options) {
  auto reader = Reader::Open(paths, options);
  EXPECT_THAT(reader, IsOk());
  const size_t columns = reader->columns().size();
  while (reader->Next()) continue;
  EXPECT_THAT(reader->status(), IsOk());
  EXPECT_EQ(reader->report().num_late, 2 - columns);
  return columns;
}

TEST(SampleTest, RecordsThatBeginWithinTheBytesAreLookedAt) {
  const std::vector<std::string> records = IdsAndOneMore(600, 500);
  const uint64_t before =
      RecordFile({records.begin(), records.begin() + 500}).size();
  for (const size_t threads : {1u, 2u}) {
    MemoryFiles files;
    files["a"] = {.bytes = RecordFile(records), .piece = 700};
    const auto columns = [&](uint64_t sample_bytes) {
      return NumColumns({"a"}, Through(&files, {.sample_bytes = sample_bytes,
                                                .threads = threads}));
    };
    EXPECT_EQ(columns(before), 1u);
    EXPECT_EQ(columns(before + 1), 2u);
    EXPECT_EQ(columns(0), 2u);
    EXPECT_EQ(columns(~uint64_t{0}), 2u);
  }
}

TEST(SampleTest, WhicheverBoundComesFirst) {
  const TemporaryFile file(RecordFile(IdsAndOneMore(600, 500)));
  EXPECT_EQ(NumColumns({file.path()}, {.sample = 500}), 1u);
  EXPECT_EQ(NumColumns({file.path()}, {.sample = 501}), 2u);
  EXPECT_EQ(NumColumns({file.path()}, {.sample = 501, .sample_bytes = 9}), 1u);
}

TEST(SampleTest, BytesCountOverAllFiles) {
  const std::string first = RecordFile(IdRecords(0, 100));
  const TemporaryFile a(first), empty(""), b(RecordFile(IdsAndOneMore(2, 0)));
  const std::vector<std::string> paths = {a.path(), empty.path(), b.path()};
  EXPECT_EQ(NumColumns(paths, {.sample_bytes = first.size()}), 1u);
  EXPECT_EQ(NumColumns(paths, {.sample_bytes = first.size() + 1}), 2u);
}

TEST(SampleTest, AtLeastOneRecordIsLookedAt) {
  const TemporaryFile file(RecordFile(IdsAndOneMore(3, 0)));
  EXPECT_EQ(NumColumns({file.path()}, {.sample_bytes = 1}), 2u);
  // Also behind bytes that are none.
  DamagedFile damaged(IdsAndOneMore(3, 1));
  damaged.FlipByte(3);
  const TemporaryFile behind(damaged.bytes());
  EXPECT_EQ(NumColumns({behind.path()},
                       {.on_corrupt = OnCorrupt::kRescan, .sample_bytes = 1}),
            2u);
}

// A window is kept for a record that is the only good one in it.
TEST(SampleTest, DamageBetweenRecordsCounts) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    bytes += RecordFile(IdRecords(i, i + 1)) + std::string(400'000, 'x');
  }
  MemoryFiles files;
  files["a"].bytes = bytes;
  auto reader = OrThrow(
      Reader::Open({"a"}, Through(&files, {.on_corrupt = OnCorrupt::kRescan})));
  EXPECT_LE(files["a"].bytes_read, kDefault + 3 * kWindowBytes);
  uint64_t rows = 0;
  while (auto batch = reader.Next()) rows += batch->num_rows();
  EXPECT_EQ(rows, 100u);
  EXPECT_EQ(reader.report().num_regions, 100u);
  EXPECT_EQ(files["a"].bytes_read, bytes.size());
}

TEST(SampleTest, ASampleOfAllHasNoBoundInBytes) {
  MemoryFiles files;
  files["a"].bytes = RecordFile(IdsAndOneMore(600, 500));
  EXPECT_EQ(
      NumColumns({"a"}, Through(&files, {.sample = 0, .sample_bytes = 9})), 2u);
  EXPECT_EQ(files["a"].opens, 2u);
  EXPECT_GE(files["a"].bytes_read, 2 * files["a"].bytes.size());
}

// Columns are found from the beginning of the first file, whatever is read.
// Ten records, of which the last alone has the feature that is asked for.
std::vector<std::string> LateRecords() {
  std::vector<std::string> records(9,
                                   ExampleBuilder().Int64s("a", {1}).Build());
  records.push_back(ExampleBuilder().Int64s("late", {1}).Build());
  return records;
}

Status ReadLate(const std::string& bytes, OnCorrupt on_corrupt) {
  MemoryFiles files;
  files["f"] = {.bytes = bytes};
  return Reader::Open({"f"}, Through(&files, {.on_corrupt = on_corrupt,
                                              .features = {"late"}}))
      .status();
}

TEST(SampleTest, AColumnThatDamageHidesIsSaidToBeHidden) {
  const std::string no_column = "the sample has no column \"late\"";
  DamagedFile payload(LateRecords());
  const uint64_t last = payload.offset(9);
  payload.FlipByte(last + 12);
  EXPECT_THAT(ReadLate(payload.bytes(), OnCorrupt::kFail),
              IsError(ErrorCode::kInvalidArgument,
                      {.file = "f",
                       .feature = "late",
                       .record = 9,
                       .offset = last,
                       .text = no_column + "; the sample ends here, at damage: "
                                           "payload_crc: "}));
  for (const OnCorrupt skip : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
    EXPECT_THAT(ReadLate(payload.bytes(), skip),
                IsError(ErrorCode::kInvalidArgument,
                        {.text = no_column +
                                 "; 1 damaged region of the sample was "
                                 "skipped, payload_crc at offset " +
                                 std::to_string(last) + " of f"}));
  }
  DamagedFile header(LateRecords());
  header.FlipByte(header.offset(4)).FlipByte(last);
  EXPECT_THAT(ReadLate(header.bytes(), OnCorrupt::kFail),
              IsError(ErrorCode::kInvalidArgument,
                      {.file = "f",
                       .record = 4,
                       .offset = header.offset(4),
                       .text = "ends here, at damage: header_crc: "}));
  EXPECT_THAT(ReadLate(header.bytes(), OnCorrupt::kRescan),
              IsError(ErrorCode::kInvalidArgument,
                      {.text = "; 2 damaged regions of the sample were "
                               "skipped, such as header_crc at offset " +
                               std::to_string(header.offset(4)) + " of f"}));
  // A record that is no message shows nothing, either.
  std::vector<std::string> malformed = LateRecords();
  malformed.back() += "\xff";
  EXPECT_THAT(
      ReadLate(RecordFile(malformed), OnCorrupt::kFail),
      IsError(ErrorCode::kInvalidArgument,
              {.text = no_column + "; 1 record of the sample is bad, and shows "
                                   "no columns"}));
  // Where nothing is hidden, nothing more is said.
  const std::vector<std::string> sound(3, LateRecords().front());
  const Status status = ReadLate(RecordFile(sound), OnCorrupt::kSkip);
  EXPECT_EQ(status.message(), no_column);
}

TEST(SampleTest, ShardsAndResumedReadersHaveTheSameColumns) {
  const std::string bytes = RecordFile(IdsAndOneMore(600, 500));
  MemoryFiles files;
  for (const std::string name : {"a", "b"}) files[name].bytes = bytes;
  const auto columns = [&](const ReadOptions& options) {
    auto reader = Reader::Open({"a", "b"}, Through(&files, options));
    EXPECT_THAT(reader, IsOk());
    return reader->columns().size();
  };
  for (const uint64_t most : {uint64_t{9}, uint64_t{bytes.size()}}) {
    const size_t expected = most == 9 ? 1 : 2;
    for (const uint32_t index : {0u, 1u}) {
      EXPECT_EQ(columns({.sample_bytes = most, .shard = {index, 2}}), expected);
    }
    for (const uint32_t file : {0u, 1u}) {
      EXPECT_EQ(columns({.sample_bytes = most,
                         .resume_after = RowOrigin{.file = file}}),
                expected);
    }
  }
}

// What lies between the sample and the place to go on is not read.
TEST(SampleTest, AResumedReaderReadsTheSampleAndWhatFollows) {
  const std::string bytes = RecordFile(Images(400));
  MemoryFiles files;
  files["a"].bytes = bytes;
  const Plan plan = IdPlan();
  const Transcript whole = ReadAll({"a"}, Through(&files), &plan);
  for (const size_t row : {100u, 300u}) {
    files["a"].bytes_read = files["a"].opens = 0;
    const ReadOptions options =
        Through(&files, {.sample_bytes = 1'000'000,
                         .features = {"id"},
                         .resume_after = whole.origins[row]});
    EXPECT_EQ(ReadAll({"a"}, options).rows, whole.Tail(row + 1));
    EXPECT_EQ(files["a"].opens, 1u);
    EXPECT_LE(files["a"].bytes_read, 1'000'000 + kWindowBytes + bytes.size() -
                                         whole.origins[row].offset);
  }
}

// Columns are looked for in bytes that cannot be read on: the place lies before
// the failure and is not among the records.
TEST(SampleTest, PlacesAmongBytesThatWereLeftOut) {
  for (const bool can_seek : {true, false}) {
    MemoryFiles files;
    const std::string record = RecordFile(IdRecords(0, 1));
    files["a"] = {.bytes = record + std::string(900'000, 'x') + record,
                  .can_seek = can_seek,
                  .fail_at = 800'000};
    for (const uint64_t offset : {uint64_t{40}, uint64_t{700'000}}) {
      const Transcript read = ReadAll(
          {"a"},
          Through(&files, {.on_corrupt = OnCorrupt::kRescan,
                           .resume_after = RowOrigin{.offset = offset}}));
      EXPECT_FALSE(read.status.ok());
      EXPECT_THAT(read.rows, SizeIs(0));
    }
  }
}

TEST(SampleTest, ProgressFollowsTheRowsOfTheSample) {
  const std::string bytes = RecordFile(Images(100));
  for (const size_t threads : {1u, 2u}) {
    MemoryFiles files;
    files["a"].bytes = bytes;
    auto reader = OrThrow(Reader::Open(
        {"a"}, Through(&files, {.batch_size = 5, .threads = threads})));
    EXPECT_EQ(reader.stored_size(), bytes.size());
    EXPECT_EQ(reader.stored_position(), 0u);
    EXPECT_THAT(reader.Next(), IsOk());
    EXPECT_GE(reader.stored_position(), reader.num_bytes());
    EXPECT_LE(reader.stored_position(), reader.num_bytes() + 2'000'000);
    while (reader.Next()) continue;
    EXPECT_EQ(reader.stored_position(), bytes.size());
  }
}

TEST(SampleTest, SizesOfInputsAreSummedOnceAllAreKnown) {
  const std::string bytes = RecordFile(IdRecords(0, 100));
  const Plan plan = IdPlan();
  for (const bool knows_size : {true, false}) {
    for (const size_t threads : {1u, 2u}) {
      MemoryFiles files;
      for (const std::string name : {"a", "b", "c"}) {
        files[name] = {.bytes = bytes, .knows_size = knows_size};
      }
      files["empty"] = {};
      auto reader =
          OrThrow(Reader::Open({"a", "empty", "b", "c"}, plan,
                               Through(&files, {.threads = threads})));
      EXPECT_EQ(reader.stored_size(), 0u);
      while (reader.Next()) continue;
      EXPECT_EQ(reader.stored_size(), 3 * bytes.size());
      EXPECT_EQ(reader.stored_position(), 3 * bytes.size());
      auto one =
          OrThrow(Reader::Open({"a"}, Through(&files, {.threads = threads})));
      // All of so small a file is read for the sample.
      EXPECT_EQ(one.stored_size(), bytes.size());
    }
  }
}

// Fewer bytes than it says: some are lost, and all that came is given first.
TEST(SampleTest, ASizeThatIsALie) {
  const std::string bytes = RecordFile(IdRecords(0, 1000));
  MemoryFiles files;
  files["a"].bytes = bytes;
  const Transcript expected = ReadAll({"a"}, Through(&files));
  for (const uint64_t size : {uint64_t{1}, uint64_t{1} << 50, ~uint64_t{0}}) {
    files["a"].claimed_size = size;
    const ErrorCode code = size == 1 ? ErrorCode::kOk : ErrorCode::kIo;
    const Transcript read = ReadAll({"a"}, Through(&files));
    EXPECT_EQ(read.rows, expected.rows);
    EXPECT_THAT(read.status, HasCode(code));
    auto reader = OrThrow(Reader::Open({"a"}, IdPlan(), Through(&files)));
    while (reader.Next()) continue;
    EXPECT_THAT(reader.status(), HasCode(code));
    EXPECT_EQ(reader.stored_position(), bytes.size());
  }
}

}  // namespace
}  // namespace headrace::testing
