#include "headrace/record_reader.h"

#include <stdlib.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using Strings = std::vector<std::string>;

Strings ReadAll(RecordReader& reader, Status* error = nullptr) {
  Strings payloads;
  for (;;) {
    auto record = reader.Next();
    if (error) *error = record.status();
    if (!record) break;
    EXPECT_EQ(record->number, payloads.size());
    EXPECT_EQ(reader.position(),
              record->offset + kRecordOverhead + record->payload.size());
    payloads.emplace_back(record->payload);
  }
  return payloads;
}

TEST(RecordReader, FromMemory) {
  // The last are more than a block.
  for (const Strings& payloads :
       {Strings(),
        {"one", "", std::string(100'000, 'x'), "last"},
        Strings(1000, "again")}) {
    const std::string file = RecordFile(payloads);
    RecordReader reader = OrThrow(RecordReader::FromMemory(file));
    EXPECT_EQ(reader.compression(), Compression::kNone);
    EXPECT_EQ(reader.position(), 0u);
    EXPECT_EQ(ReadAll(reader), payloads);
    EXPECT_EQ(reader.position(), file.size());
    EXPECT_EQ(reader.stored_position(), file.size());
    EXPECT_THAT(reader.skipped(), IsEmpty());
    auto end = reader.Next();
    EXPECT_TRUE(end.ok());
    EXPECT_FALSE(end);
  }
}

TEST(RecordReader, BlocksHaveTheSameRecords) {
  DamagedFile file(Strings(1000, "again"));
  file.FlipByte(file.offset(700) + 12);
  const RecordReaderOptions options{.on_corrupt = OnCorrupt::kSkip};
  // So many are read one by one before each block.
  for (const int singly : {0, 1, 255, 256}) {
    RecordReader one = OrThrow(RecordReader::FromMemory(file.bytes(), options));
    RecordReader all = OrThrow(RecordReader::FromMemory(file.bytes(), options));
    for (bool is_end = false; !is_end;) {
      for (int i = 0; i < singly; ++i) {
        EXPECT_EQ(all.Next()->offset, one.Next()->offset);
      }
      const auto block = all.NextBlock();
      ASSERT_TRUE(block.ok());
      for (const Record& record : *block) {
        const auto expected = one.Next();
        ASSERT_TRUE(expected);
        EXPECT_EQ(record.payload, expected->payload);
        EXPECT_EQ(record.number, expected->number);
        EXPECT_EQ(record.offset, expected->offset);
        // A region lies before all of a block, or behind it.
        EXPECT_EQ(all.num_skipped(), one.num_skipped());
      }
      is_end = block->empty();
      if (is_end) {
        EXPECT_FALSE(one.Next());
      }
      EXPECT_EQ(all.position(), one.position());
      if (all.position() > file.offset(699)) break;
    }
    while (all.Next()) ASSERT_TRUE(one.Next());
    EXPECT_FALSE(one.Next());
    EXPECT_TRUE(all.NextBlock()->empty());
  }
}

TEST(RecordReader, AnErrorEndsBlocks) {
  DamagedFile file(Strings{"one", "two", "three"});
  file.FlipByte(file.offset(1) + 12);
  RecordReader reader = OrThrow(RecordReader::FromMemory(file.bytes()));
  EXPECT_EQ(reader.NextBlock()->size(), 1u);
  EXPECT_EQ(reader.NextBlock().status().code(), ErrorCode::kPayloadCrc);
  EXPECT_EQ(reader.Next().status().code(), ErrorCode::kPayloadCrc);
}

TEST(RecordReader, AnErrorIsFinalAndComesLast) {
  DamagedFile file(Strings{"one", "two", "three"});
  file.FlipByte(file.offset(1) + 12);
  RecordReader reader = OrThrow(RecordReader::FromMemory(file.bytes()));
  Status error;
  EXPECT_THAT(ReadAll(reader, &error), ElementsAre("one"));
  EXPECT_THAT(
      error,
      IsError(ErrorCode::kPayloadCrc,
              {.file = "<memory>", .record = 1u, .offset = file.offset(1)}));
  EXPECT_EQ(reader.status(), error);
  EXPECT_EQ(reader.position(), file.offset(1));
  EXPECT_EQ(reader.Next().status().code(), ErrorCode::kPayloadCrc);
  EXPECT_EQ(reader.Next().status().message(), error.message());
}

TEST(RecordReader, SkippedRegionsAreKnownInOrder) {
  DamagedFile file(Strings{"one", "two", "three", "four"});
  file.FlipByte(file.offset(1) + 12).FlipByte(file.offset(3) + 12);
  const SkippedRegion first{file.offset(1), file.offset(2),
                            ErrorCode::kPayloadCrc};
  const SkippedRegion second{file.offset(3), file.offset(4),
                             ErrorCode::kPayloadCrc};
  RecordReader reader = OrThrow(
      RecordReader::FromMemory(file.bytes(), {.on_corrupt = OnCorrupt::kSkip}));
  EXPECT_EQ(reader.Next()->payload, "one");
  EXPECT_THAT(reader.skipped(), IsEmpty());
  auto three = reader.Next();
  EXPECT_EQ(three->payload, "three");
  EXPECT_EQ(three->number, 2u);
  EXPECT_THAT(reader.skipped(), ElementsAre(first));
  EXPECT_FALSE(reader.Next());
  EXPECT_THAT(reader.skipped(), ElementsAre(first, second));
  EXPECT_EQ(reader.num_skipped(), 2u);
  EXPECT_EQ(reader.position(), file.size());
}

TEST(RecordReader, RecoveredRecordsSaySo) {
  DamagedFile file(Strings{"one", "two", "three"});
  file.FlipByte(file.offset(1));
  RecordReader reader = OrThrow(RecordReader::FromMemory(
      file.bytes(), {.on_corrupt = OnCorrupt::kRescan}));
  EXPECT_FALSE(reader.Next()->recovered);
  auto three = reader.Next();
  EXPECT_EQ(three->payload, "three");
  EXPECT_TRUE(three->recovered);
}

TEST(RecordReader, PayloadsAreTakenUncheckedWhenAsked) {
  DamagedFile file(Strings{"one"});
  file.FlipByte(12);
  Result<RecordReader> reader =
      RecordReader::FromMemory(file.bytes(), {.verify_payload = false});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(ReadAll(*reader).size(), 1u);
}

TEST(RecordReader, LimitsApply) {
  const std::string file = RecordFile({"short", "much too long"});
  RecordReaderOptions options;
  options.limits.max_record_bytes = 10;
  RecordReader reader = OrThrow(RecordReader::FromMemory(file, options));
  Status error;
  EXPECT_THAT(ReadAll(reader, &error), ElementsAre("short"));
  EXPECT_EQ(error.code(), ErrorCode::kTooLarge);
}

TEST(RecordReader, FilesReadAndMapped) {
  const Strings payloads = {"one", std::string(3 << 20, 'x'), "", "last"};
  const TemporaryFile file(RecordFile(payloads));
  for (bool mmap : {false, true}) {
    RecordReader reader =
        OrThrow(RecordReader::Open(file.path(), {.mmap = mmap}));
    RecordReader moved = std::move(reader);
    EXPECT_EQ(ReadAll(moved), payloads);
  }
}

// The loop that the header shows ends at damage, too.
TEST(RecordReader, TellsTheEndFromDamage) {
  DamagedFile file(Strings{"one", "two", "three"});
  RecordReader whole = OrThrow(RecordReader::FromMemory(file.bytes()));
  while (whole.Next()) EXPECT_THAT(whole.status(), IsOk());
  EXPECT_THAT(whole.status(), IsOk());
  file.CutTo(file.offset(2) + 5);
  RecordReader cut = OrThrow(RecordReader::FromMemory(file.bytes()));
  size_t records = 0;
  while (cut.Next()) ++records;
  EXPECT_EQ(records, 2u);
  EXPECT_THAT(cut.status(), HasCode(ErrorCode::kTruncatedHeader));
  const RecordReader moved = std::move(cut);
  EXPECT_THAT(moved.status(), HasCode(ErrorCode::kTruncatedHeader));
  EXPECT_THAT(cut.status(),  // NOLINT: on purpose
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(RecordReader, IsReplacedByAnother) {
  const std::string file = RecordFile({"one", "two"});
  Result<RecordReader> reader = RecordReader::FromMemory(file);
  ASSERT_TRUE(reader.ok() && reader->Next());
  *reader = *RecordReader::FromMemory(file);
  EXPECT_THAT(ReadAll(*reader), ElementsAre("one", "two"));
}

TEST(RecordReader, APathThatNamesNothing) {
  EXPECT_THAT(RecordReader::Open("/none/such"),
              IsError(ErrorCode::kNotFound, {.file = "/none/such"}));
}

}  // namespace
}  // namespace headrace::testing
