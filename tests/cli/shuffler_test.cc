// Shuffler gives each output position the record that Order says, whatever fits
// into memory.

#include "src/cli/shuffle/shuffler.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "src/cli/output/output_name.h"
#include "src/cli/process/console.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::cli {
namespace {

using testing::ContentOf;
using testing::HasCode;
using testing::IsError;
using testing::IsOk;
using testing::OrThrow;
using testing::RecordFile;

// Each is another; record i has size(i) bytes, or a few more.
template <class Size>
std::vector<std::string> Payloads(size_t count, Size size) {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < count; ++i) {
    payloads.push_back(std::to_string(i));
    payloads.back().resize(std::max<size_t>(payloads.back().size(), size(i)),
                           static_cast<char>('a' + i % 26));
  }
  return payloads;
}

std::vector<std::string> InOrder(const std::vector<std::string>& payloads,
                                 uint64_t seed) {
  const Order order =
      OrThrow(Order::Make({.rows = payloads.size(), .seed = seed}));
  std::vector<uint64_t> rows(payloads.size());
  EXPECT_THAT(order.Rows(0, rows), IsOk());
  std::vector<std::string> shuffled;
  for (const uint64_t row : rows) {
    shuffled.push_back(payloads[static_cast<size_t>(row)]);
  }
  return shuffled;
}

Status ShuffleFile(const std::string& from, const std::string& to,
                   uint64_t seed, uint64_t memory, const std::string& folder) {
  ShuffleOptions options;
  options.input.patterns = {from};
  options.output = to;
  options.seed = seed;
  options.memory = memory;
  ShardWriter out = OrThrow(ShardWriter::Open(OrThrow(OutputPaths(to, 0, 10)),
                                              RecordWriterOptions()));
  Shuffler shuffler(options, folder, Console(/*quiet=*/true), &out);
  const Status status = shuffler.Run();
  return status.ok() ? out.Close() : status;
}

class ShufflerTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void WriteInput(const std::string& bytes) const {
    std::ofstream(Path("in"), std::ios::binary) << bytes;
  }
  Status Run(uint64_t memory, uint64_t seed = 0) const {
    return ShuffleFile(Path("in"), Path("out"), seed, memory, folder_.path());
  }
  void ExpectShuffled(const std::vector<std::string>& payloads, uint64_t memory,
                      uint64_t seed = 0) const {
    SCOPED_TRACE(std::to_string(payloads.size()) + " records, memory " +
                 std::to_string(memory));
    WriteInput(RecordFile(payloads));
    ASSERT_THAT(Run(memory, seed), IsOk());
    ASSERT_TRUE(ContentOf(Path("out")) == RecordFile(InOrder(payloads, seed)));
    size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.path())) {
      files += entry.exists();
    }
    EXPECT_EQ(files, 2u);
  }

 private:
  testing::TemporaryFolder folder_;
};

constexpr uint64_t kPlenty = 64 << 20;

TEST_F(ShufflerTest, OrderIsThatOfOrderWhateverFits) {
  for (const size_t count : {0u, 1u, 2u, 3u, 100u, 3001u}) {
    const auto payloads = Payloads(count, [](size_t i) { return i % 90; });
    for (const uint64_t memory : {uint64_t{40 << 10}, uint64_t{48 << 10},
                                  uint64_t{100 << 10}, kPlenty}) {
      ExpectShuffled(payloads, memory, count);
    }
  }
}

TEST_F(ShufflerTest, ManyRecordsHaveANetworkForAnOrder) {
  const auto payloads =
      Payloads(65537 + 100, [](size_t i) { return i % 3 * 5; });
  ExpectShuffled(payloads, 300 << 10, 3);
  ExpectShuffled(payloads, kPlenty, 3);
}

TEST_F(ShufflerTest, FewLargeRecordsAmongMany) {
  const auto payloads = Payloads(
      400, [](size_t i) { return i % 57 == 3 ? size_t{90} << 10 : i % 7; });
  // A bucket has more than its share, or one record is more than the memory.
  for (const uint64_t memory : {64u << 10, 128u << 10, 200u << 10}) {
    ExpectShuffled(payloads, memory);
  }
  ExpectShuffled({std::string(1 << 20, 'x')}, 64 << 10);
  ExpectShuffled({"", std::string(1 << 20, 'x'), ""}, 64 << 10);
}

// Sizes around the end of the memory: with its number, a record of 984 bytes
// takes 1008.
TEST_F(ShufflerTest, MemoryThatIsJustEnoughOrNot) {
  const auto payloads = Payloads(65, [](size_t) { return size_t{984}; });
  for (uint64_t memory = 64 * 1008; memory <= 66 * 1008; memory += 8) {
    ExpectShuffled(payloads, memory);
  }
}

TEST_F(ShufflerTest, WhatCannotBeReadTwice) {
  ASSERT_EQ(mkfifo(Path("in").c_str(), 0600), 0);
  const auto payloads = Payloads(
      3000, [](size_t i) { return i % 700 == 3 ? size_t{90} << 10 : i % 90; });
  const std::string expected = RecordFile(InOrder(payloads, 5));
  for (const uint64_t memory : {uint64_t{64 << 10}, kPlenty}) {
    std::thread writer([&] { WriteInput(RecordFile(payloads)); });
    const Status status = Run(memory, 5);
    writer.join();
    ASSERT_THAT(status, IsOk());
    EXPECT_TRUE(ContentOf(Path("out")) == expected);
  }
}

TEST_F(ShufflerTest, DamageFailsBeforeAnythingIsWritten) {
  const auto payloads = Payloads(3000, [](size_t i) { return i % 90; });
  testing::DamagedFile file(payloads);
  WriteInput(file.FlipByte(file.offset(2900) + 13).bytes());
  for (const uint64_t memory : {uint64_t{64 << 10}, kPlenty}) {
    EXPECT_THAT(Run(memory), IsError(ErrorCode::kPayloadCrc, {.record = 2900}));
    EXPECT_FALSE(std::filesystem::exists(Path("out")));
  }
}

TEST_F(ShufflerTest, MemoryThatIsFarTooLittle) {
  WriteInput(RecordFile(Payloads(3000, [](size_t) { return size_t{500}; })));
  const Status status = Run(32 << 10);
  EXPECT_THAT(status, HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(status.message(),
            "--memory of 32.0 KiB is too little for 1.5 MiB of records; 128.0 "
            "KiB is enough");
  EXPECT_THAT(Run(128 << 10), IsOk());
}

TEST_F(ShufflerTest, NoFolderForTemporaryFiles) {
  WriteInput(RecordFile(Payloads(300, [](size_t) { return size_t{500}; })));
  const std::string folder = Path("missing");
  EXPECT_THAT(ShuffleFile(Path("in"), Path("out"), 0, 64 << 10, folder),
              IsError(ErrorCode::kNotFound, {.file = folder}));
  EXPECT_FALSE(std::filesystem::exists(Path("out")));
}

TEST(BucketPlan, BucketsFitIntoMemory) {
  for (const uint64_t records : {1u, 2u, 7u, 1000u, 123457u}) {
    for (const uint64_t size : {16u, 100u, 5000u, 3000000u}) {
      for (uint64_t memory = 1 << 20; memory < 1 << 30; memory *= 8) {
        const auto plan = PlanBuckets(records, records * size, memory, 1000);
        if (!plan) {
          EXPECT_GT(records * (size + 8), memory / 4 * 3 * 200);
          continue;
        }
        EXPECT_LT((plan->count - 1) * plan->rows, records);
        EXPECT_GE(plan->count * plan->rows, records);
        EXPECT_LE(plan->count * plan->buffer_bytes, memory);
        EXPECT_GE(plan->buffer_bytes, 4096u);
        if (plan->rows > 1) {
          EXPECT_LE((plan->rows - 1) * (size + 8), memory / 4 * 3);
        }
      }
    }
  }
}

TEST(BucketPlan, NeedsNoMoreFilesThanMayBeOpen) {
  EXPECT_THAT(PlanBuckets(1000, 100 << 20, 16 << 20, 9), IsOk());
  EXPECT_THAT(PlanBuckets(1000, 100 << 20, 16 << 20, 8),
              IsError(ErrorCode::kInvalidArgument,
                      {.text = "100.0 MiB of records; 32.0 MiB is enough"}));
  EXPECT_THAT(
      PlanBuckets(1000, 100 << 20, 16 << 20, 0),
      IsError(ErrorCode::kInvalidArgument, {.text = "128.0 MiB is enough"}));
}

std::string EntryOf(uint64_t record, std::string_view payload) {
  return std::string(EntryHeader::Of(record, payload).bytes()) +
         std::string(payload);
}

TEST(EntryReader, NoticesWhatIsNotWhatWasWritten) {
  const testing::TemporaryFolder folder;
  const std::string whole = EntryOf(0, "first") + EntryOf(1, "second");
  // The sizes and CRCs, and what was read with them; numbers of records are
  // checked by whoever knows them.
  for (size_t at = 8; at < whole.size(); ++at) {
    if (at >= 21 && at < 29) continue;
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
    TemporaryFile file = OrThrow(TemporaryFile::Create(folder.path()));
    ASSERT_THAT(file.Append(bytes), IsOk());
    std::vector<char> memory(at % 2 == 0 ? 30 : 100);
    EntryReader in_file(&file, memory);
    EntryReader in_memory((std::string_view(bytes)));
    const uint64_t offset = at < 21 ? 0 : 21;
    EXPECT_THAT(in_file.Get(offset),
                IsError(ErrorCode::kIo, {.file = folder.path()}));
    EXPECT_THAT(in_memory.Get(offset), HasCode(ErrorCode::kIo));
  }
  EntryReader reader((std::string_view(whole)));
  EXPECT_EQ(reader.Get(21)->payload, "second");
  EXPECT_EQ(reader.Get(0)->payload, "first");
  for (const uint64_t offset :
       {uint64_t{22}, uint64_t{40}, uint64_t{43}, uint64_t{44}, kUnknown}) {
    EXPECT_THAT(reader.Get(offset), HasCode(ErrorCode::kIo));
  }
}

TEST(TemporaryFile, HasNoName) {
  const testing::TemporaryFolder folder;
  TemporaryFile file = OrThrow(TemporaryFile::Create(folder.path()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  ASSERT_THAT(file.Append("abc"), IsOk());
  ASSERT_THAT(file.Append("de"), IsOk());
  EXPECT_EQ(file.size(), 5u);
  std::string read(3, ' ');
  ASSERT_THAT(file.ReadAt(1, 3, read.data()), IsOk());
  EXPECT_EQ(read, "bcd");
  EXPECT_THAT(file.ReadAt(3, 3, read.data()), HasCode(ErrorCode::kIo));
}

}  // namespace
}  // namespace headrace::cli
