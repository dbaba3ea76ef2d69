// Raw records: payloads as they are, whatever they hold.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/reader.h"
#include "src/read/batch/batch_storage.h"
#include "tests/random/random_example.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

// Bytes that are no message, one that is, and none.
std::vector<std::string> AnyPayloads(size_t count) {
  Random random(11);
  std::vector<std::string> payloads = {
      "", ExampleBuilder().Int64s("id", {1}).Build(), std::string("a\0b", 3)};
  while (payloads.size() < count) {
    payloads.push_back(random.Bytes(random.Below(300)));
  }
  return payloads;
}

// The payloads of all rows until the stream ends. Every batch must be as a
// plan for raw records promises.
std::vector<std::string> ReadPayloads(Reader& reader) {
  std::vector<std::string> payloads;
  while (auto batch = reader.Next()) {
    EXPECT_EQ(BrokenPromise(*batch), "");
    EXPECT_EQ(batch->columns().size(), 1u);
    const Column& column = batch->columns()[0];
    EXPECT_EQ(column.name, "payload");
    EXPECT_EQ(column.kind, Kind::kBytes);
    EXPECT_EQ(column.null_count, 0u);
    EXPECT_EQ(column.validity, nullptr);
    EXPECT_EQ(column.num_values(), column.num_rows);
    for (size_t row = 0; row < column.num_rows; ++row) {
      EXPECT_EQ(column.offsets[row], static_cast<int32_t>(row));
      payloads.emplace_back(column.bytes()[row]);
    }
  }
  return payloads;
}

const ReadOptions kRaw = {.message = MessageType::kRaw};

TEST(RawTest, AnyBytesAreRows) {
  const std::vector<std::string> payloads = AnyPayloads(1000);
  const TemporaryFile file(RecordFile(payloads));
  for (const size_t threads : {1u, 3u}) {
    for (const size_t batch_size : {size_t{1}, size_t{256}, kAutoBatchSize}) {
      SCOPED_TRACE(std::to_string(threads) + " " + std::to_string(batch_size));
      ReadOptions options = kRaw;
      options.threads = threads;
      options.batch_size = batch_size;
      auto reader = OrThrow(Reader::Open({file.path()}, options));
      EXPECT_EQ(reader.message(), MessageType::kRaw);
      EXPECT_THAT(reader.columns(),
                  ElementsAre(ColumnField{"payload", Kind::kBytes}));
      EXPECT_THAT(ReadPayloads(reader), ElementsAreArray(payloads));
      EXPECT_THAT(reader.status(), IsOk());
      EXPECT_EQ(reader.num_records(), payloads.size());
    }
  }
}

TEST(RawTest, APlanSaysTheSame) {
  const std::vector<std::string> payloads = AnyPayloads(10);
  const TemporaryFile file(RecordFile(payloads));
  for (const MessageType message : {MessageType::kAuto, MessageType::kRaw}) {
    auto reader = OrThrow(
        Reader::Open({file.path()}, Plan::ForRaw(), {.message = message}));
    EXPECT_EQ(reader.message(), MessageType::kRaw);
    EXPECT_THAT(ReadPayloads(reader), ElementsAreArray(payloads));
  }
}

TEST(RawTest, NothingIsARowlessColumn) {
  const TemporaryFile empty("");
  auto reader = OrThrow(Reader::Open({empty.path()}, kRaw));
  EXPECT_EQ(reader.columns().size(), 1u);
  EXPECT_THAT(ReadPayloads(reader), IsEmpty());
  EXPECT_THAT(reader.status(), IsOk());
}

// Values are stretches of the pinned input, one behind another.
TEST(RawTest, ValuesAreNotCopied) {
  const TemporaryFile file(RecordFile({"first", "", "third"}));
  auto reader = OrThrow(Reader::Open({file.path()}, kRaw));
  auto batch = reader.Next();
  ASSERT_TRUE(batch);
  const auto values = batch->columns()[0].bytes();
  ASSERT_EQ(values.size(), 3u);
  const auto pinned = reader::BatchStorage::Of(*batch)->pinned();
  ASSERT_EQ(pinned.size(), 1u);
  EXPECT_EQ(values[0].data(), reinterpret_cast<const char*>(pinned[0].data));
  EXPECT_EQ(values[2].data(), values[0].data() + 2 * kRecordOverhead + 5);
}

TEST(RawTest, DamageIsWhatItAlwaysIs) {
  const std::vector<std::string> payloads = {"zero", "one", "two", "three"};
  DamagedFile damaged(payloads);
  damaged.FlipByte(damaged.offset(2) + 12);
  const TemporaryFile file(damaged.bytes());
  for (const size_t threads : {1u, 2u}) {
    ReadOptions options = kRaw;
    options.threads = threads;
    auto reader = Reader::Open({file.path()}, options);
    EXPECT_THAT(ReadPayloads(*reader), ElementsAre("zero", "one"));
    EXPECT_THAT(reader->status(),
                IsError(ErrorCode::kPayloadCrc, {.record = 2u}));

    for (const OnCorrupt policy : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      options.on_corrupt = policy;
      reader = Reader::Open({file.path()}, options);
      EXPECT_THAT(ReadPayloads(*reader), ElementsAre("zero", "one", "three"));
      EXPECT_THAT(reader->status(), IsOk());
      EXPECT_EQ(reader->report().num_regions, 1u);
    }

    options.on_corrupt = OnCorrupt::kFail;
    options.verify_payload = false;
    reader = Reader::Open({file.path()}, options);
    EXPECT_THAT(ReadPayloads(*reader),
                ElementsAre("zero", "one", "\x8bwo", "three"));
  }
}

TEST(RawTest, ABatchEndsEarlyWhereMemoryIsShort) {
  const std::vector<std::string> payloads(7, std::string(100'000, 'x'));
  const TemporaryFile file(RecordFile(payloads));
  ReadOptions options = kRaw;
  options.limits.max_batch_bytes = 350'000;
  auto reader = Reader::Open({file.path()}, options);
  std::vector<size_t> sizes;
  while (auto batch = reader->Next()) sizes.push_back(batch->num_rows());
  EXPECT_THAT(reader->status(), IsOk());
  EXPECT_THAT(sizes, ElementsAre(3, 3, 1));
}

TEST(RawTest, ManyRowsInLittleMemory) {
  const std::vector<std::string> payloads(5000);
  const TemporaryFile file(RecordFile(payloads));
  ReadOptions options = kRaw;
  options.batch_size = payloads.size();
  options.limits.max_batch_bytes = 40'000;  // of 16 bytes a value
  auto reader = Reader::Open({file.path()}, options);
  EXPECT_THAT(ReadPayloads(*reader), ElementsAreArray(payloads));
  EXPECT_THAT(reader->status(), IsOk());
}

TEST(RawTest, DecodersTakeThemToo) {
  const std::string text = "in padded memory";
  const std::string padded = text + std::string(kPadding, '\0');
  const std::vector<std::string_view> records = {
      std::string_view(padded).substr(0, text.size())};
  Decoder copying(Plan::ForRaw());
  auto copied = OrThrow(copying.Decode(records));
  EXPECT_NE(copied.columns()[0].bytes()[0].data(), padded.data());
  Decoder pointing(Plan::ForRaw(), {.padded_input = true});
  auto batch = OrThrow(pointing.Decode(records));
  EXPECT_EQ(batch.columns()[0].bytes()[0].data(), padded.data());
  for (const Batch& each : {copied, batch}) {
    EXPECT_EQ(BrokenPromise(each), "");
    EXPECT_THAT(each.columns()[0].bytes(), ElementsAre(text));
  }
  auto none = OrThrow(copying.Decode({}));
  EXPECT_EQ(none.num_rows(), 0u);
  EXPECT_EQ(none.columns().size(), 1u);
}

}  // namespace
}  // namespace headrace::testing
