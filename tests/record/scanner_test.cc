// The scanner on intact files, and what it says about damage.

#include "src/input/record/scanner.h"

#include <memory>
#include <string>
#include <vector>

#include "tests/record/fake_source.h"
#include "tests/record/naive_scan.h"
#include "tests/record/scan.h"
#include "tests/support/each_target.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"

namespace headrace::testing {
namespace {

using ::testing::Not;

using Strings = std::vector<std::string>;

record::Scanner Open(const std::string& file, record::ScanOptions options = {},
                     FakeSource::Options source = {}) {
  return record::Scanner(std::make_unique<FakeSource>(file, source), options);
}

std::string MessageOf(const std::string& file,
                      OnCorrupt on_corrupt = OnCorrupt::kFail,
                      const FakeSource::Options& source = {}) {
  ScanSetup setup;
  setup.scan.on_corrupt = on_corrupt;
  setup.source = source;
  std::string message;
  Scan(file, setup, &message);
  return message;
}

TEST(Scanner, IntactFiles) {
  for (const std::vector<std::string>& payloads :
       {std::vector<std::string>{},
        {""},
        {"hello", "", "twelve bytes"},
        {std::string(3000, 'x'), "y", std::string(500, 'z')},
        std::vector<std::string>(200, "same")}) {
    const std::string file = RecordFile(payloads);
    for (OnCorrupt policy : kPolicies) {
      const ScanOutcome outcome = ScanAllWays(file, policy);
      EXPECT_EQ(outcome.error, ErrorCode::kOk);
      EXPECT_THAT(outcome.regions, IsEmpty());
      ASSERT_EQ(outcome.records.size(), payloads.size());
      for (size_t i = 0; i < payloads.size(); ++i) {
        EXPECT_EQ(outcome.records[i].payload, payloads[i]);
        EXPECT_FALSE(outcome.records[i].recovered);
      }
    }
  }
}

TEST(Scanner, EachTargetGivesTheSame) {
  DamagedFile file({std::string(5000, 'a'), "b", std::string(900, 'c'), "d"});
  file.FlipByte(file.offset(2) + 500);
  const std::string bytes = file.bytes() + std::string(100, '\0') +
                            RecordFile({std::string(20000, 'e'), "f"});
  ForEachTarget([&] {
    for (OnCorrupt policy : kPolicies) {
      EXPECT_EQ(Scan(bytes, policy), NaiveScan(bytes, {.on_corrupt = policy}));
    }
  });
}

TEST(Scanner, AMillionEmptyRecords) {
  const std::string one = FramedRecord("");
  std::string file;
  for (int i = 0; i < 1'000'000; ++i) file += one;
  record::Scanner scanner = Open(file, {}, {.window_bytes = 1 << 20});
  uint64_t count = 0;
  for (;;) {
    record::Block block = OrThrow(scanner.NextBlock(1024));
    if (block.records.empty()) break;
    ASSERT_EQ(block.first_record, count);
    count += block.records.size();
  }
  EXPECT_EQ(count, 1'000'000u);
  EXPECT_EQ(scanner.position(), file.size());
}

TEST(Scanner, BlocksDoNotSpanWindowsAndStayWhilePinned) {
  const std::string file = RecordFile({"one", "two", "three", "four"});
  record::Scanner scanner = Open(file, {}, {.window_bytes = 45});
  std::vector<record::RecordSpan> spans;
  std::vector<Pin> pins;
  for (;;) {
    record::Block block = OrThrow(scanner.NextBlock(100));
    if (block.records.empty()) break;
    EXPECT_LE(block.records.size(), 2u);
    spans.insert(spans.end(), block.records.begin(), block.records.end());
    pins.push_back(block.pin);
  }
  std::vector<std::string> payloads;
  for (const record::RecordSpan& span : spans) {
    payloads.emplace_back(reinterpret_cast<const char*>(span.payload),
                          span.size);
  }
  EXPECT_THAT(payloads, ElementsAre("one", "two", "three", "four"));
}

TEST(Scanner, AbsurdBlockSizes) {
  const std::string file = RecordFile({"a", "b"});
  record::Scanner none = Open(file);
  EXPECT_EQ(none.NextBlock(0)->records.size(), 1u);
  record::Scanner all = Open(file);
  EXPECT_EQ(all.NextBlock(~size_t{0})->records.size(), 2u);
}

TEST(Scanner, UnverifiedPayloads) {
  DamagedFile file({"a", "b", "c"});
  file.FlipByte(file.offset(1) + 12);
  for (OnCorrupt policy : kPolicies) {
    ScanSetup setup;
    setup.scan = {.on_corrupt = policy, .verify_payload = false};
    const ScanOutcome outcome = Scan(file.bytes(), setup);
    EXPECT_EQ(outcome.error, ErrorCode::kOk);
    EXPECT_EQ(outcome.records.size(), 3u);
    // What a rescan finds is verified all the same: the header alone is too
    // little to go by.
    DamagedFile lost({"a", "b", "c"});
    lost.FlipByte(lost.offset(1) + 12).FlipByte(0);
    EXPECT_EQ(Scan(lost.bytes(), setup),
              NaiveScan(lost.bytes(),
                        {.on_corrupt = policy, .verify_payload = false}));
  }
}

TEST(Scanner, SaysWhoVerifiesPayloads) {
  for (const OnCorrupt policy : kPolicies) {
    for (const bool verify : {false, true}) {
      for (const bool defer : {false, true}) {
        record::Scanner scanner =
            Open(RecordFile({"a"}), {.on_corrupt = policy,
                                     .verify_payload = verify,
                                     .defer_payload = defer});
        EXPECT_EQ(scanner.NextBlock(1)->payloads_unverified,
                  verify && defer && policy != OnCorrupt::kRescan);
      }
    }
  }
}

TEST(Scanner, LimitOfRecordBytes) {
  const std::string file =
      RecordFile({std::string(99, 'a'), std::string(100, 'b'),
                  std::string(101, 'c'), std::string(7, 'd')});
  for (OnCorrupt policy : kPolicies) {
    for (size_t window : {0u, 1u, 50u}) {
      ScanSetup setup;
      setup.scan.on_corrupt = policy;
      setup.scan.limits.max_record_bytes = 100;
      setup.source.window_bytes = window;
      const NaiveOptions naive{.on_corrupt = policy, .max_record_bytes = 100};
      const ScanOutcome outcome = Scan(file, setup);
      EXPECT_EQ(outcome, NaiveScan(file, naive));
      EXPECT_EQ(outcome.records.size(), policy == OnCorrupt::kRescan ? 3u : 2u);
      // A rescan does not take them either.
      const std::string lost =
          "lost" + RecordFile({std::string(101, 'c'), std::string(7, 'd')});
      EXPECT_EQ(Scan(lost, setup), NaiveScan(lost, naive));
    }
  }
}

TEST(Scanner, ALengthAloneAsksForNothing) {
  for (uint64_t length : {uint64_t{1} << 31, uint64_t{1} << 32,
                          uint64_t{1} << 62, ~uint64_t{0}}) {
    for (OnCorrupt policy : kPolicies) {
      ScanSetup setup;
      setup.scan.on_corrupt = policy;
      setup.scan.limits.max_record_bytes = ~uint64_t{0};
      const std::string file = RecordHeader(length) + std::string(16, 'x');
      const ScanOutcome outcome = Scan(file, setup);
      EXPECT_EQ(outcome.records.size(), 0u);
    }
  }
}

TEST(Scanner, RegionsAreKeptUpToALimitAndCounted) {
  DamagedFile file(std::vector<std::string>(20, "x"));
  for (size_t i = 0; i < 20; i += 2) file.FlipByte(file.offset(i) + 12);
  record::ScanOptions options{.on_corrupt = OnCorrupt::kSkip};
  options.limits.max_reported = 3;
  record::Scanner scanner = Open(file.bytes(), options);
  size_t records = 0;
  for (;;) {
    record::Block block = OrThrow(scanner.NextBlock(100));
    if (block.records.empty()) break;
    records += block.records.size();
  }
  EXPECT_EQ(records, 10u);
  EXPECT_EQ(scanner.num_regions(), 10u);
  EXPECT_THAT(scanner.regions(),
              ElementsAre(SkippedRegion{0, 17, ErrorCode::kPayloadCrc},
                          SkippedRegion{34, 51, ErrorCode::kPayloadCrc},
                          SkippedRegion{68, 85, ErrorCode::kPayloadCrc}));
}

TEST(Scanner, ErrorsOfTheSourceAreFinal) {
  const std::string file = RecordFile({"one", "two", "three"});
  for (size_t calls = 0; calls < 5; ++calls) {
    record::Scanner scanner =
        Open(file, {}, {.window_bytes = 10, .calls_before_error = calls});
    Status error;
    size_t records = 0;
    for (;;) {
      Result<record::Block> block = scanner.NextBlock(1);
      if (!block.ok()) {
        error = block.status();
        break;
      }
      ASSERT_FALSE(block->records.empty());
      records += block->records.size();
    }
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    EXPECT_LE(records, calls);
    EXPECT_EQ(scanner.NextBlock(1).status().code(), ErrorCode::kOutOfMemory);
  }
}

TEST(Scanner, ErrorsOfTheSourceAreFinalWhileItRecovers) {
  for (const size_t damage : {0u, 8u, 13u, 29u, 42u, 46u, 66u, 73u, 80u}) {
    DamagedFile file({"hello", "world", std::string(40, 'x'), "end"});
    file.FlipByte(damage);
    for (const OnCorrupt policy : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      ErrorCode code = ErrorCode::kOutOfMemory;
      size_t calls = 0;
      for (; code == ErrorCode::kOutOfMemory; ++calls) {
        record::Scanner scanner =
            Open(file.bytes(), {.on_corrupt = policy},
                 {.window_bytes = 1, .calls_before_error = calls});
        Result<record::Block> block = scanner.NextBlock(1);
        while (block.ok() && !block->records.empty()) {
          block = scanner.NextBlock(1);
        }
        code = block.status().code();
        EXPECT_EQ(scanner.NextBlock(1).status().code(), code);
      }
      EXPECT_GT(calls, 1u);
    }
  }
}

TEST(Scanner, AFailedStreamGivesItsRecordsFirst) {
  const FakeSource::Options source{
      .failure = Status(ErrorInfo{.code = ErrorCode::kDecompress,
                                  .message = "cut",
                                  .file = "fake.tfrecord"})};
  DamagedFile file({"hello", "", "twelve bytes"});
  for (size_t size = 0; size <= file.size(); ++size) {
    const std::string cut = file.bytes().substr(0, size);
    for (OnCorrupt policy : kPolicies) {
      const ScanOutcome outcome = ScanAllWays(cut, policy, source);
      const bool is_left_out = policy == OnCorrupt::kRescan;
      EXPECT_EQ(outcome.error,
                is_left_out ? ErrorCode::kOk : ErrorCode::kDecompress);
      EXPECT_EQ(outcome.regions.size(), is_left_out ? 1u : 0u);
    }
  }
  EXPECT_EQ(MessageOf(file.bytes(), OnCorrupt::kSkip, source), "cut");
}

TEST(Scanner, DamageBeforeAFailedStream) {
  const FakeSource::Options source{
      .failure = Status(
          ErrorInfo{.code = ErrorCode::kDecompress, .file = "fake.tfrecord"})};
  for (size_t damage : {0u, 13u, 25u, 40u, 45u}) {
    DamagedFile file({"hello", "world", "again", "end"});
    file.FlipByte(damage).CutTo(file.size() - 5);
    for (OnCorrupt policy : kPolicies) {
      ScanAllWays(file.bytes(), policy, source);
    }
  }
}

// Behind each record, the longest that is allowed too, wherever windows end.
TEST(Scanner, ResumesAfterEveryRecord) {
  const Strings payloads = {"hello", "", std::string(100, 'x'), "end"};
  const DamagedFile file(payloads);
  record::ScanOptions options;
  for (size_t window = 0; window <= file.size(); ++window) {
    for (size_t i = 0; i < payloads.size(); ++i) {
      SCOPED_TRACE(std::to_string(i) + ", windows of " +
                   std::to_string(window));
      options.limits.max_record_bytes = 100;
      record::Scanner scanner =
          Open(file.bytes(), options, {.window_bytes = window});
      const RowOrigin last{.record = i, .offset = file.offset(i)};
      ASSERT_TRUE(scanner.ResumeAfter(last).ok());
      EXPECT_EQ(scanner.position(), file.offset(i + 1));
      const record::Block block = OrThrow(scanner.NextBlock(1));
      EXPECT_EQ(block.first_record, i + 1);
      EXPECT_EQ(block.records.size(), i + 1 < payloads.size() ? 1u : 0u);

      options.limits.max_record_bytes = 99;
      record::Scanner strict =
          Open(file.bytes(), options, {.window_bytes = window});
      EXPECT_EQ(strict.ResumeAfter(last).ok(), payloads[i].size() < 100);
    }
  }
}

// A stream that fails says so; one that ends has no such record.
TEST(Scanner, ResumesAfterNoCutRecord) {
  const DamagedFile file(Strings{"hello", "world"});
  for (size_t size = file.offset(1); size < file.size(); ++size) {
    for (const bool fails : {false, true}) {
      FakeSource::Options source;
      if (fails) source.failure = Status(ErrorCode::kDecompress, "cut");
      record::Scanner scanner = Open(file.bytes().substr(0, size), {}, source);
      const Status status =
          scanner.ResumeAfter({.record = 1, .offset = file.offset(1)});
      EXPECT_EQ(status.code(),
                fails ? ErrorCode::kDecompress : ErrorCode::kInvalidArgument)
          << size;
      EXPECT_EQ(scanner.NextBlock(1).status().code(), status.code());
    }
  }
}

// ------------------------------------------------------------ Messages

TEST(ScannerMessages, PayloadCrc) {
  DamagedFile file(Strings{"hello", "123456789"});
  file.FlipByte(file.offset(1) + 12 + 9);

  EXPECT_THAT(
      MessageOf(file.bytes()),
      AllOf(HasSubstr("payload's CRC is wrong"), HasSubstr("stored 0xc78ab01a"),
            HasSubstr("computed 0xc78ab0e5"), HasSubstr("9 bytes"),
            HasSubstr("TensorFlow: corrupted record at 33")));
}

TEST(ScannerMessages, PayloadCrcThatTheCallerFinds) {
  DamagedFile file(Strings{"hello", "123456789"});
  file.FlipByte(file.offset(1) + 12 + 9);
  std::string messages[2];
  for (const bool defer : {false, true}) {
    ScanSetup setup;
    setup.defer = defer;
    Scan(file.bytes(), setup, &messages[defer]);
  }
  EXPECT_EQ(messages[0], messages[1]);
}

TEST(ScannerMessages, HeaderCrc) {
  DamagedFile file(Strings{"hello"});
  file.FlipByte(3);
  EXPECT_THAT(MessageOf(file.bytes()),
              AllOf(HasSubstr("header's CRC is wrong"), HasSubstr("stored 0x"),
                    HasSubstr("computed 0x"), HasSubstr("4278190085")));
}

TEST(ScannerMessages, Cuts) {
  const std::string file = RecordFile({"hello"});
  EXPECT_THAT(MessageOf(file.substr(0, 5)), HasSubstr("5 bytes of 12"));
  EXPECT_THAT(MessageOf(file.substr(0, 14)),
              AllOf(HasSubstr("declares 5 bytes"), HasSubstr("2 are left")));
  EXPECT_THAT(MessageOf(file.substr(0, 18)),
              AllOf(HasSubstr("1 byte of 4"), HasSubstr("5 bytes")));
}

TEST(ScannerMessages, TooLarge) {
  EXPECT_THAT(MessageOf(RecordHeader(uint64_t{1} << 40)),
              AllOf(HasSubstr("1,099,511,627,776"),
                    HasSubstr("limit is 2,147,483,647")));
}

TEST(ScannerMessages, WhatTheBytesLookLike) {
  const std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0", 15);
  EXPECT_THAT(MessageOf(gzip), HasSubstr("look like"));
  EXPECT_THAT(MessageOf("id,name,age\n1,a,2\n"), HasSubstr("not a TFRecord"));
  // Only the file's first bytes can tell.
  EXPECT_THAT(MessageOf(RecordFile({"x"}) + gzip), Not(HasSubstr("look like")));
}

TEST(ScannerMessages, CompressedBytesThatAreReadAsTheyAre) {
  const std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0", 15);
  const FakeSource::Options source{.name = "train.tfrecord.gz"};
  EXPECT_THAT(MessageOf(gzip, OnCorrupt::kFail, source),
              AllOf(HasSubstr("look like a gzip file, read with compression "
                              "none; use auto"),
                    Not(HasSubstr("the name"))));
  const FakeSource::Options twice{.compression = Compression::kGzip};
  EXPECT_THAT(MessageOf(gzip, OnCorrupt::kFail, twice),
              EndsWith("look like a gzip file inside gzip"));
}

TEST(ScannerMessages, NameThatDisagrees) {
  DamagedFile file(Strings{"hello"});
  file.FlipByte(3);
  FakeSource::Options source{.name = "train.tfrecord.gz"};
  EXPECT_THAT(MessageOf(file.bytes(), OnCorrupt::kFail, source),
              HasSubstr("the name says gzip, the bytes do not"));
  source.compression = Compression::kGzip;
  EXPECT_THAT(MessageOf(file.bytes(), OnCorrupt::kFail, source),
              Not(HasSubstr("the name")));
  source = {.name = "train.tfrecord"};
  EXPECT_THAT(MessageOf(file.bytes(), OnCorrupt::kFail, source),
              Not(HasSubstr("the name")));
}

}  // namespace
}  // namespace headrace::testing
