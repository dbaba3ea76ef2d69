#include "headrace/record_writer.h"

#include <snappy.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "headrace/record_reader.h"
#include "tests/support/compressions.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

namespace fs = std::filesystem;

class RecordWriterTest : public ::testing::Test {
 protected:
  std::string Path() const { return folder_ + "/out.tfrecord"; }
  std::string Content() const { return ContentOf(Path()); }
  void WriteAll(const std::vector<std::string>& payloads,
                Compression compression) const {
    RecordWriter writer =
        OrThrow(RecordWriter::Open(Path(), {.compression = compression}));
    uint64_t bytes = 0;
    for (const std::string& payload : payloads) {
      ASSERT_TRUE(writer.Write(payload).ok());
      bytes += payload.size() + kRecordOverhead;
    }
    EXPECT_EQ(writer.num_records(), payloads.size());
    EXPECT_EQ(writer.num_bytes(), bytes);
    EXPECT_FALSE(fs::exists(Path()));
    ASSERT_TRUE(writer.Close().ok());
  }

  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

// The payloads that every compression is tried with: none, small ones, some
// that compress, some that do not, and one longer than any buffer.
std::vector<std::vector<std::string>> Specimens() {
  std::string noise(300'000, '\0');
  uint64_t state = 1;
  for (char& byte : noise) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(state >> 56);
  }
  return {{},
          {""},
          {"hello", "", "twelve bytes"},
          std::vector<std::string>(3000, "the same again and again"),
          {noise, "between", std::string(1 << 20, 'x'), noise}};
}

// ------------------------------------------------- Unpacking without headrace

std::string Inflate(const std::string& bytes, int window_bits) {
  std::string result;
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, window_bits), Z_OK);
  std::string copy = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  std::string buffer(1 << 16, '\0');
  int code = Z_OK;
  while (code == Z_OK || (code == Z_STREAM_END && stream.avail_in > 0)) {
    // A gzip file has several members.
    if (code == Z_STREAM_END) {
      EXPECT_EQ(inflateReset(&stream), Z_OK);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = inflate(&stream, Z_NO_FLUSH);
    result.append(buffer, 0, buffer.size() - stream.avail_out);
  }
  EXPECT_EQ(code, Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);
  inflateEnd(&stream);
  return result;
}

// As TensorFlow reads it: neither side of a block may exceed 256 KiB.
std::string Unsnappy(const std::string& bytes) {
  constexpr size_t kTensorFlowBuffer = 256 << 10;
  std::string result;
  size_t at = 0;
  while (at < bytes.size()) {
    size_t size = 0;
    for (size_t i = 0; i < 4; ++i) {
      size = size << 8 | static_cast<uint8_t>(bytes.at(at + i));
    }
    std::string block;
    EXPECT_LE(size, kTensorFlowBuffer);
    EXPECT_TRUE(snappy::Uncompress(bytes.data() + at + 4, size, &block));
    EXPECT_LE(block.size(), kTensorFlowBuffer);
    result += block;
    at += 4 + size;
  }
  EXPECT_EQ(at, bytes.size());
  return result;
}

std::string Unzstd(const std::string& bytes) {
  std::string result(8 << 20, '\0');
  const size_t size =
      ZSTD_decompress(result.data(), result.size(), bytes.data(), bytes.size());
  EXPECT_EQ(ZSTD_isError(size), 0u);
  result.resize(size);
  return result;
}

std::string Unpack(const std::string& bytes, Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return Inflate(bytes, 15 + 16);
    case Compression::kZlib:
      return Inflate(bytes, 15);
    case Compression::kSnappy:
      return Unsnappy(bytes);
    case Compression::kZstd:
      return Unzstd(bytes);
    default:
      return bytes;
  }
}

TEST_F(RecordWriterTest, WritesTheFormat) {
  for (const std::vector<std::string>& payloads : Specimens()) {
    const std::string expected = RecordFile(payloads);
    for (Compression compression : kCompressions) {
      SCOPED_TRACE(CompressionName(compression));
      WriteAll(payloads, compression);
      EXPECT_TRUE(Unpack(Content(), compression) == expected);
      fs::remove(Path());
    }
  }
}

TEST_F(RecordWriterTest, IsReadBack) {
  for (const std::vector<std::string>& payloads : Specimens()) {
    for (Compression compression : kCompressions) {
      SCOPED_TRACE(CompressionName(compression));
      WriteAll(payloads, compression);
      for (Compression asked : {compression, Compression::kAuto}) {
        RecordReader reader =
            OrThrow(RecordReader::Open(Path(), {.compression = asked}));
        size_t count = 0;
        for (;;) {
          Result<std::optional<Record>> record = reader.Next();
          ASSERT_TRUE(record.ok()) << record.status().ToString();
          if (!record) break;
          ASSERT_TRUE(record->payload == payloads.at(count++));
        }
        EXPECT_EQ(count, payloads.size());
      }
      fs::remove(Path());
    }
  }
}

TEST_F(RecordWriterTest, AutoIsNone) {
  WriteAll({"x"}, Compression::kAuto);
  EXPECT_EQ(Content(), RecordFile({"x"}));
}

TEST_F(RecordWriterTest, WithoutCloseNothingIsLeft) {
  for (Compression compression : kCompressions) {
    RecordWriter writer =
        OrThrow(RecordWriter::Open(Path(), {.compression = compression}));
    ASSERT_TRUE(writer.Write(std::string(1 << 20, 'x')).ok());
    RecordWriter moved = std::move(writer);
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(RecordWriterTest, TooLargeAPayloadIsRefusedUnread) {
  RecordWriter writer = OrThrow(RecordWriter::Open(Path()));
  ASSERT_TRUE(writer.Write("x").ok());
  const std::string_view huge("x", size_t{1} << 31);
  EXPECT_THAT(writer.Write(huge),
              IsError(ErrorCode::kTooLarge, {.record = 1u}));
  EXPECT_EQ(writer.Write("y").code(), ErrorCode::kTooLarge);
  EXPECT_EQ(writer.Close().code(), ErrorCode::kTooLarge);
  EXPECT_EQ(writer.num_records(), 1u);
  EXPECT_FALSE(fs::exists(Path()));
}

TEST_F(RecordWriterTest, AfterClose) {
  Result<RecordWriter> writer = RecordWriter::Open(Path());
  ASSERT_TRUE(writer.ok() && writer->Write("x").ok() && writer->Close().ok());
  EXPECT_EQ(writer->Close().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(writer->Write("y").code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Content(), RecordFile({"x"}));
}

TEST_F(RecordWriterTest, FinishedItWaitsForItsName) {
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip, Compression::kSnappy}) {
    Result<RecordWriter> writer =
        RecordWriter::Open(Path(), {.compression = compression});
    ASSERT_TRUE(writer.ok() && writer->Write("x").ok());
    EXPECT_TRUE(writer->Finish().ok());
    EXPECT_FALSE(fs::exists(Path()));
    EXPECT_TRUE(writer->Close().ok());
    RecordReader reader = OrThrow(RecordReader::Open(Path()));
    const auto record = reader.Next();
    ASSERT_TRUE(record) << record.status().message();
    EXPECT_EQ(record->payload, "x");
    EXPECT_EQ(writer->Write("y").code(), ErrorCode::kInvalidArgument);
    fs::remove(Path());
  }
}

// The file that was being written before does not come to be.
TEST_F(RecordWriterTest, IsReplacedByAnother) {
  const std::string other = folder_ + "/other";
  Result<RecordWriter> writer = RecordWriter::Open(other);
  ASSERT_TRUE(writer.ok() && writer->Write("lost").ok());
  RecordWriter second = OrThrow(RecordWriter::Open(Path()));
  *writer = std::move(second);
  EXPECT_TRUE(writer->Write("x").ok() && writer->Close().ok());
  EXPECT_EQ(Content(), RecordFile({"x"}));
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(RecordWriterTest, FullDisk) {
  for (Compression compression : kCompressions) {
    SCOPED_TRACE(CompressionName(compression));
    RecordWriter writer =
        OrThrow(RecordWriter::Open("/dev/full", {.compression = compression}));
    Status status;
    for (int i = 0; i < 3; ++i) status = writer.Write("x");
    EXPECT_TRUE(status.ok());
    status = writer.Close();
    EXPECT_THAT(status, IsError(ErrorCode::kIo, {.text = "No space left"}));
    EXPECT_EQ(writer.Write("x").code(), ErrorCode::kIo);
  }
}

// It may be full within a header, a payload, a footer or a block.
TEST_F(RecordWriterTest, FullDiskWhileWriting) {
  const std::string noise = Specimens().back().front();
  const auto fill = [](Compression compression, std::string_view payload) {
    RecordWriter writer =
        OrThrow(RecordWriter::Open("/dev/full", {.compression = compression}));
    Status status;
    for (int i = 0; status.ok() && i < 300'000; ++i) {
      status = writer.Write(payload);
    }
    EXPECT_EQ(status.code(), ErrorCode::kIo);
    EXPECT_EQ(writer.Close().code(), ErrorCode::kIo);
  };
  for (Compression compression : kCompressions) fill(compression, noise);
  for (size_t size = 0; size < 20; ++size) {
    fill(Compression::kNone, std::string_view(noise).substr(0, size));
  }
}

TEST_F(RecordWriterTest, ACompressionThatIsNone) {
  EXPECT_EQ(
      RecordWriter::Open(Path(), {.compression = static_cast<Compression>(99)})
          .status()
          .code(),
      ErrorCode::kInvalidArgument);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(RecordWriterTest, FoldersThatCannotTakeIt) {
  EXPECT_EQ(RecordWriter::Open(folder_ + "/none/out").status().code(),
            ErrorCode::kNotFound);
  EXPECT_EQ(RecordWriter::Open(folder_).status().code(), ErrorCode::kIo);
  EXPECT_FALSE(RecordWriter::Open("/proc/out.tfrecord").ok());
}

TEST_F(RecordWriterTest, FsyncIsPossible) {
  Result<RecordWriter> writer = RecordWriter::Open(Path(), {.fsync = true});
  ASSERT_TRUE(writer.ok() && writer->Write("x").ok());
  EXPECT_TRUE(writer->Close().ok());
}

}  // namespace
}  // namespace headrace::testing
