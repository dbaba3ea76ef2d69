// Inputs that the caller gives are read as files are, whatever they can do and
// however they hand out their bytes.

#include "headrace/input_file.h"

#include <string>
#include <vector>

#include "headrace/reader.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

TEST(InputFileTest, ReadsWhatAFileGives) {
  for (const Compression compression : kCompressions) {
    const std::string bytes = CompressedFile(IdRecords(0, 3000), compression);
    const TemporaryFile file(bytes);
    const Transcript expected = ReadAll({file.path()}, {.batch_size = 100});
    ASSERT_THAT(expected.rows, SizeIs(3000));
    for (const bool can_seek : {true, false}) {
      for (const size_t piece : {size_t{1}, size_t{1000}, ~size_t{0}}) {
        for (const size_t threads : {1u, 3u}) {
          MemoryFiles files;
          files["a"] = {.bytes = bytes,
                        .can_seek = can_seek,
                        .piece = piece,
                        .knows_size = piece > 1};
          const Transcript read = ReadAll(
              {"a"},
              Through(&files,
                      {.batch_size = 100, .sample = 500, .threads = threads}));
          EXPECT_THAT(read.status, IsOk());
          EXPECT_EQ(read.rows, expected.rows);
          EXPECT_EQ(files["a"].opens, 1u);
          EXPECT_EQ(files.now_open(), 0u);
        }
      }
    }
  }
}

TEST(InputFileTest, NamesAreTakenAsTheyAre) {
  MemoryFiles files;
  const std::vector<std::string> names = {"-",           "-", "x@3",
                                          "s3://b/*.gz", "[", ""};
  for (const std::string& name : names) {
    files[name].bytes = RecordFile(IdRecords(0, 3));
  }
  auto reader = OrThrow(Reader::Open(names, IdPlan(), Through(&files)));
  EXPECT_EQ(reader.files(), names);
  EXPECT_EQ(reader.stored_size(), 0u);
  const Plan plan = IdPlan();
  EXPECT_THAT(ReadAll(names, Through(&files), &plan).rows,
              SizeIs(3 * names.size()));
}

// Whatever the inputs can, each is opened once, though columns are looked for.
TEST(InputFileTest, MixedInputsAreReadInOrder) {
  for (unsigned seekable = 0; seekable < 16; ++seekable) {
    for (const uint64_t sample : {1u, 150u, 250u, 399u, 1000u}) {
      MemoryFiles files;
      std::vector<std::string> names;
      for (int64_t i = 0; i < 4; ++i) {
        DamagedFile file(IdRecords(100 * i, 100 * i + 100));
        file.FlipByte(file.offset(50) + 14).CutTo(file.size() - 1);
        names.push_back("input " + std::to_string(i));
        files[names.back()] = {.bytes = file.bytes(),
                               .can_seek = (seekable >> i & 1) != 0};
      }
      const Plan plan = IdPlan();
      ReadOptions options =
          Through(&files, {.on_corrupt = OnCorrupt::kSkip, .sample = sample});
      const Transcript expected = ReadAll(names, options, &plan);
      EXPECT_EQ(expected.report.num_regions, 8u);
      for (auto& name : names) files[name].opens = 0;
      const Transcript read = ReadAll(names, options);
      EXPECT_EQ(read.rows, expected.rows);
      EXPECT_EQ(read.report.num_regions, 8u);
      for (auto& name : names) EXPECT_EQ(files[name].opens, 1u) << name;
    }
  }
}

TEST(InputFileTest, ASampleOfAllNeedsInputsThatCanSeek) {
  MemoryFiles files;
  files["a"].bytes = files["b"].bytes = RecordFile(IdRecords(0, 3));
  const ReadOptions options = Through(&files, {.sample = 0});
  EXPECT_THAT(ReadAll({"a", "b"}, options).rows, SizeIs(6));
  files["b"].can_seek = false;
  EXPECT_THAT(Reader::Open({"a", "b"}, options),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(InputFileTest, AFailureKeepsItsCodeAndGetsTheName) {
  for (const Compression compression : kCompressions) {
    const std::string bytes = CompressedFile(IdRecords(0, 3000), compression);
    for (const bool can_seek : {true, false}) {
      MemoryFiles files;
      files["bucket/a"] = {
          .bytes = bytes, .can_seek = can_seek, .fail_at = bytes.size() / 2};
      const Plan plan = IdPlan();
      const Transcript read = ReadAll({"bucket/a"}, Through(&files), &plan);
      EXPECT_THAT(read.status,
                  IsError(ErrorCode::kIo,
                          {.file = "bucket/a", .text = "the network is down"}));
      files["bucket/a"].fail_at = 0;
      EXPECT_THAT(Reader::Open({"bucket/a"}, Through(&files)),
                  HasCode(ErrorCode::kIo));
    }
  }
}

TEST(InputFileTest, WhatCannotBeOpened) {
  MemoryFiles files;
  const Status status = ReadAll({"nothing"}, Through(&files)).status;
  EXPECT_EQ(status.ToString(), "nothing: not_found: no such object");
  ReadOptions options = {.open_input = [](const std::string&) {
    return Result<std::unique_ptr<InputFile>>(std::unique_ptr<InputFile>());
  }};
  EXPECT_THAT(ReadAll({"null"}, options).status,
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(InputFileTest, MoreThanWasAskedForIsAnError) {
  MemoryFiles files;
  files["a"] = {.bytes = RecordFile(IdRecords(0, 3)), .lies = true};
  EXPECT_THAT(ReadAll({"a"}, Through(&files)).status,
              IsError(ErrorCode::kInvalidArgument,
                      {.file = "a", .text = "13 bytes of the 12"}));
}

// Each call may be a round trip: windows are asked for whole.
TEST(InputFileTest, ReadsAreLarge) {
  MemoryFiles files;
  files["a"].bytes = RecordFile(IdRecords(0, 100000));
  const Plan plan = IdPlan();
  EXPECT_THAT(ReadAll({"a"}, Through(&files), &plan).rows, SizeIs(100000));
  EXPECT_LE(files["a"].reads, files["a"].bytes.size() / (128 << 10) + 4);
}

TEST(InputFileTest, SeekingIsRefusedByDefault) {
  class Forward : public InputFile {
    Result<size_t> Read(std::span<uint8_t>) override { return size_t{0}; }
  };
  Forward input;
  EXPECT_FALSE(input.can_seek());
  EXPECT_EQ(input.size(), 0u);
  EXPECT_THAT(input.Seek(0), HasCode(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace headrace::testing
