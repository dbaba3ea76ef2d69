// Files that ask for more time or memory than they are worth: what a header
// declares, what inflates, what is repeated ten million times.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "src/input/crc32c/crc32c.h"
#include "tests/process/heap.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

// ----------------------------------------------------------------- Lengths

struct Declared {
  uint64_t length;
  ErrorCode code;         // under the default limit
  ErrorCode code_at_all;  // without one; addresses of 32 bits are one
};

constexpr auto kTruncated = ErrorCode::kTruncatedPayload;
constexpr auto kTooLarge = ErrorCode::kTooLarge;

// Of a file of 16 bytes, whose header has the right checksum.
constexpr Declared kDeclared[] = {
    {0, ErrorCode::kPayloadCrc, ErrorCode::kPayloadCrc},
    {1, ErrorCode::kTruncatedFooter, ErrorCode::kTruncatedFooter},
    {4, ErrorCode::kTruncatedFooter, ErrorCode::kTruncatedFooter},
    {5, kTruncated, kTruncated},
    {kGiB, kTruncated, kTruncated},
    {2 * kGiB - 2, kTruncated, kTruncated},
    {2 * kGiB - 1, kTruncated, kTruncated},
    {2 * kGiB, kTooLarge, kTruncated},
    {2 * kGiB + 1, kTooLarge, kTruncated},
    {4 * kGiB - 1, kTooLarge, kTruncated},
    {4 * kGiB, kTooLarge, kTooLarge},
    {4 * kGiB + 1, kTooLarge, kTooLarge},
    {uint64_t{1} << 62, kTooLarge, kTooLarge},
    {uint64_t{1} << 63, kTooLarge, kTooLarge},
    {~uint64_t{0} - 15, kTooLarge, kTooLarge},
    {~uint64_t{0}, kTooLarge, kTooLarge},
};

TEST(HostileFilesTest, LengthsAloneTakeNoMemory) {
  for (const Declared& declared : kDeclared) {
    SCOPED_TRACE(declared.length);
    const std::string bytes =
        RecordHeader(declared.length) + std::string(4, '\0');
    for (const Compression compression : kCompressions) {
      const TemporaryFile file(CompressedBytes(bytes, compression));
      for (const bool mmap : {false, true}) {
        for (const bool limited : {true, false}) {
          RecordReaderOptions options{.compression = compression, .mmap = mmap};
          if (!limited) options.limits.max_record_bytes = ~uint64_t{0};
          const size_t before = HeapBytes();
          auto reader = OrThrow(RecordReader::Open(file.path(), options));
          EXPECT_THAT(reader.Next(), HasCode(limited || sizeof(size_t) == 4
                                                 ? declared.code
                                                 : declared.code_at_all));
          EXPECT_LT(HeapBytes(), before + kMebibyte);
        }
      }
    }
  }
}

// The longest record there may be, of zeros in a sparse file, and one longer.
TEST(HostileFilesTest, RecordsOfTwoGibibytes) {
  if (!SlowTestsWanted())
    GTEST_SKIP() << "takes gigabytes: HEADRACE_SLOW_TESTS";
  for (const uint64_t length : {2 * kGiB - 1, 2 * kGiB}) {
    const std::string header = RecordHeader(length);
    // The checksum's register begins as all ones, and is inverted at the end.
    const uint32_t crc = ~record::Crc32cZeros(~uint32_t{0}, length);
    const uint32_t masked = (crc >> 15 | crc << 17) + 0xa282ead8u;
    const TemporaryFile file(header);
    const int descriptor = open(file.path().c_str(), O_WRONLY);
    ASSERT_EQ(pwrite(descriptor, &masked, sizeof(masked),
                     static_cast<off_t>(header.size() + length)),
              static_cast<ssize_t>(sizeof(masked)));
    close(descriptor);
    for (const bool mmap : {false, true}) {
      auto reader = OrThrow(RecordReader::Open(file.path(), {.mmap = mmap}));
      auto record = reader.Next();
      if (length == 2 * kGiB) {
        EXPECT_THAT(record, HasCode(kTooLarge));
        continue;
      }
      ASSERT_TRUE(record) << record.status().ToString();
      EXPECT_EQ(record->payload.size(), length);
      EXPECT_THAT(reader.Next(), IsOk());
    }
  }
}

// ------------------------------------------------------------------- Holes

std::vector<int64_t> IdsOf(const Transcript& read) {
  std::vector<int64_t> ids;
  for (const RowOrigin& origin : read.origins) {
    ids.push_back(static_cast<int64_t>(origin.offset));
  }
  return ids;
}

// Zeros over the records that they touch, and over no others.
TEST(HostileFilesTest, ZerosOverRecords) {
  const Plan plan = IdPlan();
  const DamagedFile whole(IdRecords(0, 100'000));
  for (const size_t zeros : {size_t{16}, size_t{4096}, kMebibyte}) {
    for (const size_t begin :
         {size_t{0}, size_t{100'001}, whole.size() - zeros}) {
      SCOPED_TRACE(std::to_string(zeros) + " at " + std::to_string(begin));
      DamagedFile damaged = whole;
      damaged.Overwrite(begin, std::string(zeros, '\0'));
      const TemporaryFile file(damaged.bytes());
      std::vector<int64_t> left;
      size_t before = 0;
      for (size_t i = 0; i < 100'000; ++i) {
        if (whole.offset(i) < begin + zeros && begin < whole.offset(i + 1)) {
          continue;
        }
        left.push_back(static_cast<int64_t>(whole.offset(i)));
        before += whole.offset(i) < begin;
      }
      const Transcript rescan = ReadAll(
          {file.path()},
          {.compression = Compression::kNone, .on_corrupt = OnCorrupt::kRescan},
          &plan);
      EXPECT_THAT(rescan.status, IsOk());
      EXPECT_TRUE(IdsOf(rescan) == left);
      EXPECT_EQ(rescan.report.num_regions, 1u);
      const Transcript fail =
          ReadAll({file.path()}, {.compression = Compression::kNone}, &plan);
      EXPECT_TRUE(IsDamage(fail.status.code()));
      EXPECT_THAT(fail.rows, SizeIs(before));
    }
  }
}

// Space that was reserved and never written, between records and after them.
TEST(HostileFilesTest, HolesOfSparseFiles) {
  constexpr size_t kHole = kInstrumented ? 4 * kMebibyte : 64 * kMebibyte;
  const Plan plan = IdPlan();
  const std::string records = RecordFile(IdRecords(0, 1000));
  for (const bool at_end : {false, true}) {
    const TemporaryFile file(records);
    const int descriptor = open(file.path().c_str(), O_WRONLY);
    const auto end = static_cast<off_t>(records.size() + kHole);
    ASSERT_EQ(ftruncate(descriptor, end), 0);
    if (!at_end) {
      ASSERT_EQ(pwrite(descriptor, records.data(), records.size(), end),
                static_cast<ssize_t>(records.size()));
    }
    close(descriptor);
    for (const bool mmap : {false, true}) {
      const Transcript fail = ReadAll({file.path()}, {.mmap = mmap}, &plan);
      EXPECT_THAT(fail.status,
                  IsError(ErrorCode::kHeaderCrc, {.offset = records.size()}));
      EXPECT_THAT(fail.rows, SizeIs(1000));
      const Transcript rescan =
          ReadAll({file.path()},
                  {.on_corrupt = OnCorrupt::kRescan, .mmap = mmap}, &plan);
      EXPECT_THAT(rescan.status, IsOk());
      EXPECT_THAT(rescan.rows, SizeIs(at_end ? 1000 : 2000));
      ASSERT_THAT(rescan.report.regions, SizeIs(1));
      EXPECT_EQ(rescan.report.regions[0].region,
                (SkippedRegion{records.size(), records.size() + kHole,
                               ErrorCode::kHeaderCrc}));
    }
  }
}

// ------------------------------------------------------------------- Bombs

struct Reading {
  size_t rows = 0;
  size_t heap = 0;  // the most beyond what there was before
  Status status;
};

Reading ReadMeasured(const std::string& path, const Plan& plan,
                     const ReadOptions& options) {
  Reading reading;
  const size_t before = HeapBytes();
  auto reader = Reader::Open({path}, plan, options);
  EXPECT_THAT(reader, IsOk());
  while (auto batch = reader->Next()) {
    reading.rows += batch->num_rows();
    const size_t now = HeapBytes();
    reading.heap = std::max(reading.heap, now - std::min(now, before));
  }
  reading.status = reader->status();
  return reading;
}

// A thousandth of its bytes on disk: time is what the records take, memory
// what a batch of them takes.
TEST(HostileFilesTest, CompressedBombsOfRecords) {
  constexpr size_t kRecords = kInstrumented ? 100'000 : 1'000'000;
  std::string bytes;
  for (size_t i = 0; i < kRecords; ++i) bytes += FramedRecord("");
  for (const Compression compression :
       {Compression::kGzip, Compression::kZlib, Compression::kSnappy,
        Compression::kZstd}) {
    SCOPED_TRACE(CompressionName(compression));
    const std::string stored = CompressedBytes(bytes, compression);
    if (compression != Compression::kSnappy) {
      EXPECT_LT(stored.size(), bytes.size() / 200);
    }
    const TemporaryFile file(stored);
    const Reading all = ReadMeasured(file.path(), IdPlan(), {});
    EXPECT_THAT(all.status, IsOk());
    EXPECT_EQ(all.rows, kRecords);
    EXPECT_LT(all.heap, 8 * kMebibyte);

    ReadOptions options{.compression = compression};
    for (const uint64_t rows : {kRecords - 1, kRecords / 3}) {
      // The byte before, and the byte at, the end of a record.
      for (const uint64_t missing : {1u, 0u}) {
        options.limits.max_inflated_bytes = rows * 16 - missing;
        const Reading some = ReadMeasured(file.path(), IdPlan(), options);
        EXPECT_THAT(some.status, HasCode(ErrorCode::kLimit));
        EXPECT_EQ(some.rows, rows - missing);
      }
    }
    options.limits.max_inflated_bytes = bytes.size();
    EXPECT_THAT(ReadMeasured(file.path(), IdPlan(), options).status, IsOk());
  }
}

// One record of zeros is as long as the limit allows, and no longer.
TEST(HostileFilesTest, CompressedBombsOfOneRecord) {
  const std::string bytes = RecordFile({std::string(32 * kMebibyte, '\0')});
  for (const Compression compression :
       {Compression::kGzip, Compression::kZlib, Compression::kZstd}) {
    SCOPED_TRACE(CompressionName(compression));
    const TemporaryFile file(CompressedBytes(bytes, compression));
    ReadOptions options;
    options.limits.max_record_bytes = kMebibyte;
    const Reading refused = ReadMeasured(file.path(), Plan::ForRaw(), options);
    EXPECT_THAT(refused.status, HasCode(kTooLarge));
    EXPECT_LT(refused.heap, 8 * kMebibyte);
    const Reading taken = ReadMeasured(file.path(), Plan::ForRaw(), {});
    EXPECT_THAT(taken.status, IsOk());
    EXPECT_EQ(taken.rows, 1u);
    // Twice what has arrived, while the block grows, and windows.
    EXPECT_LT(taken.heap, 3 * bytes.size());
  }
}

// -------------------------------------------------------------- Many records

// Empty records without an end to their file, but of so many.
class EmptyRecords : public InputFile {
 public:
  explicit EmptyRecords(uint64_t count) : left_(count * 16) {
    for (int i = 0; i < 4096; ++i) block_ += FramedRecord("");
  }
  Result<size_t> Read(std::span<uint8_t> out) override {
    const size_t from = at_ % 16;
    const size_t count = static_cast<size_t>(
        std::min<uint64_t>({out.size(), left_, block_.size() - from}));
    std::copy_n(block_.begin() + static_cast<ptrdiff_t>(from), count,
                out.begin());
    at_ += count;
    left_ -= count;
    return count;
  }

 private:
  std::string block_;
  uint64_t left_;
  size_t at_ = 0;
};

TEST(HostileFilesTest, TenMillionEmptyRecords) {
  const uint64_t records = kInstrumented ? 300'000 : 10'000'000;
  for (const size_t threads : {1u, 3u}) {
    ReadOptions options{.batch_size = 4096, .threads = threads};
    options.open_input = [records](const std::string&) {
      return Result<std::unique_ptr<InputFile>>(
          std::make_unique<EmptyRecords>(records));
    };
    const Reading read = ReadMeasured("many", IdPlan(), options);
    EXPECT_THAT(read.status, IsOk());
    EXPECT_EQ(read.rows, records);
    EXPECT_LT(read.heap, 16 * kMebibyte);
  }
}

// Every record is bad: what is said of them is bounded.
TEST(HostileFilesTest, AMillionBadRecords) {
  constexpr size_t kRecords = kInstrumented ? 50'000 : 1'000'000;
  const std::string bad_payload =
      DamagedFile(FramedRecord("x")).FlipByte(12).bytes();
  const std::string bad_row = FramedRecord("\x07");
  for (const bool is_row : {false, true}) {
    std::string bytes;
    for (size_t i = 0; i < kRecords; ++i)
      bytes += is_row ? bad_row : bad_payload;
    const TemporaryFile file(bytes);
    for (const size_t threads : {1u, 2u}) {
      const ReadOptions options{.on_corrupt = OnCorrupt::kSkip,
                                .on_row_error = OnRowError::kSkip,
                                .threads = threads};
      const size_t before = HeapBytes();
      auto reader = OrThrow(Reader::Open({file.path()}, IdPlan(), options));
      while (reader.Next()) continue;
      EXPECT_THAT(reader.status(), IsOk());
      EXPECT_LT(HeapBytes(), before + 4 * kMebibyte);
      const ReadReport& report = reader.report();
      EXPECT_EQ(is_row ? report.num_rows : report.num_regions, kRecords);
      EXPECT_EQ(is_row ? report.rows.size() : report.regions.size(), 1000u);
    }
  }
}

}  // namespace
}  // namespace headrace::testing
