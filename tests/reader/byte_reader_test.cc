#include "src/read/reader/byte_reader.h"

#include <string>
#include <utility>
#include <vector>

#include "headrace/record_writer.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using ::testing::Not;

// Several windows of records.
std::vector<std::string> Payloads() {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < 40; ++i) {
    payloads.emplace_back(100'000 + i, static_cast<char>('a' + i % 26));
  }
  return payloads;
}

// The stored bytes of these records under a compression.
std::string Compressed(Compression compression) {
  const TemporaryFile place("");
  auto writer = RecordWriter::Open(place.path(), {.compression = compression});
  EXPECT_THAT(writer, IsOk());
  for (const std::string& payload : Payloads()) {
    EXPECT_THAT(writer->Write(payload), IsOk());
  }
  EXPECT_THAT(writer->Close(), IsOk());
  return ContentOf(place.path());
}

std::string Drain(ByteReader& reader, Status* error) {
  std::string all;
  for (;;) {
    auto bytes = reader.Next();
    *error = bytes.status();
    if (!bytes) return all;
    EXPECT_THAT(*bytes, Not(IsEmpty()));
    all += *bytes;
    EXPECT_EQ(reader.position(), all.size());
  }
}

TEST(ByteReader, ReadAndMapped) {
  const std::string plain = RecordFile(Payloads());
  const TemporaryFile file(plain);
  for (const bool mmap : {false, true}) {
    auto opened = OrThrow(ByteReader::Open(file.path(), {.mmap = mmap}));
    ByteReader reader = std::move(opened);
    EXPECT_EQ(reader.position(), 0u);
    Status error;
    EXPECT_TRUE(Drain(reader, &error) == plain);
    EXPECT_THAT(error, IsOk());
    EXPECT_EQ(reader.compression(), Compression::kNone);
    auto end = reader.Next();
    EXPECT_THAT(end, IsOk());
    EXPECT_FALSE(end);
  }
}

TEST(ByteReader, Uncompresses) {
  const std::string plain = RecordFile(Payloads());
  for (const Compression compression :
       {Compression::kGzip, Compression::kZlib, Compression::kSnappy,
        Compression::kZstd}) {
    const TemporaryFile file(Compressed(compression));
    auto reader = OrThrow(ByteReader::Open(file.path()));
    EXPECT_EQ(reader.compression(), compression);
    Status error;
    EXPECT_TRUE(Drain(reader, &error) == plain) << CompressionName(compression);
    EXPECT_THAT(error, IsOk());
  }
}

TEST(ByteReader, CompressedBytesAsTheyAre) {
  const std::string stored = Compressed(Compression::kGzip);
  const TemporaryFile file(stored);
  auto reader = OrThrow(
      ByteReader::Open(file.path(), {.compression = Compression::kNone}));
  Status error;
  EXPECT_TRUE(Drain(reader, &error) == stored);
  EXPECT_THAT(error, IsOk());
}

TEST(ByteReader, BytesThatAreNoRecords) {
  for (const std::string& bytes :
       {std::string(), std::string("hello, this is no TFRecord file\n")}) {
    const TemporaryFile file(bytes);
    auto reader = OrThrow(ByteReader::Open(file.path()));
    Status error;
    EXPECT_EQ(Drain(reader, &error), bytes);
    EXPECT_THAT(error, IsOk());
    EXPECT_THAT(reader.status(), IsOk());
  }
}

TEST(ByteReader, AnErrorIsFinalAndComesLast) {
  std::string stored = Compressed(Compression::kGzip);
  stored.resize(stored.size() / 2);
  const TemporaryFile file(stored);
  auto reader = OrThrow(ByteReader::Open(file.path()));
  Status error;
  const std::string given = Drain(reader, &error);
  EXPECT_THAT(given, Not(IsEmpty()));
  EXPECT_TRUE(RecordFile(Payloads()).starts_with(given));
  EXPECT_THAT(error, IsError(ErrorCode::kDecompress,
                             {.file = file.path(), .offset = given.size()}));
  EXPECT_EQ(reader.Next().status(), error);
  EXPECT_EQ(reader.status(), error);
  const ByteReader moved = std::move(reader);
  EXPECT_EQ(moved.status(), error);
  EXPECT_THAT(reader.status(),  // NOLINT: on purpose
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(ByteReader, LimitsApply) {
  const TemporaryFile file(Compressed(Compression::kGzip));
  ByteReaderOptions options;
  options.limits.max_inflated_bytes = 1000;
  auto reader = OrThrow(ByteReader::Open(file.path(), options));
  Status error;
  EXPECT_EQ(Drain(reader, &error).size(), 1000u);
  EXPECT_THAT(error, HasCode(ErrorCode::kLimit));
}

TEST(ByteReader, APathThatNamesNothing) {
  EXPECT_THAT(ByteReader::Open("/none/such"),
              IsError(ErrorCode::kNotFound, {.file = "/none/such"}));
}

}  // namespace
}  // namespace headrace::testing
