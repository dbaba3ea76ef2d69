// Arrow IPC goes to outputs that the caller provides as it goes to files.

#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "tests/support/matchers.h"
#include "tests/support/memory_sink.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

Status WriteTwice(Result<ArrowWriter> writer, const Batch& batch) {
  if (!writer.ok()) return writer.status();
  for (int i = 0; i < 2; ++i) {
    if (Status status = writer->Write(batch); !status.ok()) return status;
  }
  return writer->Close();
}

TEST(ArrowSinkTest, GetsTheBytesOfAFile) {
  const Plan plan = Plan::ForRaw();
  Decoder decoder(plan);
  const std::string large(600'000, 'x');
  const Batch batch =
      *decoder.Decode(std::vector<std::string_view>{"a", large, ""});
  for (const ArrowFormat format : {ArrowFormat::kFile, ArrowFormat::kStream}) {
    const TemporaryFile file("");
    ASSERT_THAT(WriteTwice(ArrowWriter::Open(file.path(), format, plan), batch),
                IsOk());
    const std::string expected = ContentOf(file.path());
    SinkLog log;
    EXPECT_THAT(
        WriteTwice(ArrowWriter::ToSink(SinkTo(&log), "out", format, plan),
                   batch),
        IsOk());
    EXPECT_TRUE(log.bytes == expected);
    EXPECT_EQ(log.closes, 1u);
    SinkLog full{.fail_write = 1};
    EXPECT_EQ(
        WriteTwice(ArrowWriter::ToSink(SinkTo(&full), "out", format, plan),
                   batch)
            .ToString(),
        "out: io: the bucket is full");
    EXPECT_EQ(full.closes, 0u);
  }
}

TEST(ArrowSinkTest, NullPointers) {
  EXPECT_THAT(
      ArrowWriter::ToSink(nullptr, "out", ArrowFormat::kFile, Plan::ForRaw()),
      HasCode(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace headrace::testing
