// Records go to outputs that the caller provides as they go to files.

#include "headrace/output_sink.h"

#include <string>
#include <vector>

#include "headrace/output_file.h"
#include "headrace/record_writer.h"
#include "tests/support/compressions.h"
#include "tests/support/matchers.h"
#include "tests/support/memory_sink.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

// More than a buffer of them; the last is more than one alone.
std::vector<std::string> SinkPayloads() {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < 300; ++i) {
    payloads.emplace_back(i * 17, static_cast<char>('a' + i % 26));
  }
  payloads.emplace_back(600'000, 'x');
  return payloads;
}

Status WriteTo(Result<RecordWriter> writer) {
  if (!writer.ok()) return writer.status();
  for (const std::string& payload : SinkPayloads()) {
    if (Status status = writer->Write(payload); !status.ok()) {
      // It stays at its error.
      EXPECT_EQ(writer->Close().ToString(), status.ToString());
      return status;
    }
  }
  return writer->Close();
}

TEST(OutputSink, GetsTheBytesOfAFile) {
  for (const Compression compression : kCompressions) {
    const TemporaryFile file("");
    RecordWriterOptions options;
    options.compression = compression;
    ASSERT_THAT(WriteTo(RecordWriter::Open(file.path(), options)), IsOk());
    SinkLog log;
    EXPECT_THAT(WriteTo(RecordWriter::ToSink(SinkTo(&log), "out", options)),
                IsOk());
    EXPECT_TRUE(log.bytes == ContentOf(file.path()))
        << CompressionName(compression);
    EXPECT_EQ(log.closes, 1u);
    EXPECT_EQ(log.after_the_end, 0u);
    EXPECT_TRUE(log.is_destroyed);
    // A call may be a round trip.
    EXPECT_LE(log.writes, log.bytes.size() / (128 << 10) + 3);
  }
}

TEST(OutputSink, IsNotClosedWithoutClose) {
  SinkLog log;
  {
    auto writer = OrThrow(RecordWriter::ToSink(SinkTo(&log), "out"));
    ASSERT_THAT(writer.Write("a record"), IsOk());
    EXPECT_FALSE(log.is_destroyed);
  }
  EXPECT_EQ(log.closes, 0u);
  EXPECT_TRUE(log.is_destroyed);
}

TEST(OutputSink, AFailureIsFinalAndHasTheName) {
  for (const Compression compression : kCompressions) {
    for (const size_t number : {0u, 1u}) {
      SinkLog log{.fail_write = number};
      const Status status = WriteTo(RecordWriter::ToSink(
          SinkTo(&log), "bucket/out", {.compression = compression}));
      // What compresses to less is written at the end.
      if (log.writes <= number) continue;
      EXPECT_EQ(status.ToString(), "bucket/out: io: the bucket is full");
      EXPECT_EQ(log.closes, 0u);
      EXPECT_EQ(log.after_the_end, 0u);
      EXPECT_TRUE(log.is_destroyed);
    }
  }
}

TEST(OutputSink, AFailureToCloseIsThatOfTheWriter) {
  SinkLog log{.fail_close = true};
  auto writer = OrThrow(RecordWriter::ToSink(SinkTo(&log), "out"));
  EXPECT_THAT(writer.Close(), HasCode(ErrorCode::kIo));
  EXPECT_THAT(writer.Close(), HasCode(ErrorCode::kIo));
  EXPECT_THAT(writer.Write("more"), HasCode(ErrorCode::kIo));
  EXPECT_EQ(log.closes, 1u);
  EXPECT_EQ(log.after_the_end, 0u);
}

TEST(OutputSink, NullPointers) {
  const Status status = RecordWriter::ToSink(nullptr, "out").status();
  EXPECT_EQ(status.ToString(),
            "out: invalid_argument: expected an OutputSink, found a null "
            "pointer");
}

TEST(OutputSink, FlushHandsOnWhatIsBuffered) {
  SinkLog log;
  auto file =
      OrThrow(OutputFile::ToSink(SinkTo(&log), "out", {.buffer_bytes = 16}));
  EXPECT_EQ(file.name(), "out");
  EXPECT_THAT(file.Write("ab"), IsOk());
  EXPECT_EQ(log.bytes, "");
  EXPECT_THAT(file.Flush(), IsOk());
  EXPECT_THAT(file.Flush(), IsOk());
  EXPECT_EQ(log.bytes, "ab");
  EXPECT_EQ(log.writes, 1u);
  EXPECT_THAT(file.Close(), IsOk());
  EXPECT_THAT(file.Close(), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(log.closes, 1u);
}

}  // namespace
}  // namespace headrace::testing
