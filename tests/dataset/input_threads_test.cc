// Inputs of the caller are read by several threads at a time.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/order.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

// Reads that meet wait for one another, so a test sees that they do.
class Meeting {
 public:
  explicit Meeting(size_t wanted) : wanted_(wanted) {}

  // Waits until so many threads are inside, or were once.
  void Attend() {
    std::unique_lock lock(mutex_);
    ++inside_;
    most_ = std::max(most_, inside_);
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(20),
                      [&] { return most_ >= wanted_; });
    --inside_;
  }
  size_t most() const { return most_; }

 private:
  const size_t wanted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t inside_ = 0;
  size_t most_ = 0;
};

// Files in memory that any number of threads may have open.
struct SharedFiles {
  std::map<std::string, std::string> files = {};
  Meeting* meeting = nullptr;  // that reads attend, once it is set
  std::atomic<uint64_t> reads = 0;
  std::atomic<uint64_t> bytes_read = 0;
  std::atomic<uint64_t> bad_from = ~uint64_t{0};  // reads from there fail

  OpenInput opener();
};

class SharedInput : public InputFile {
 public:
  SharedInput(SharedFiles* shared, const std::string& bytes)
      : shared_(shared), bytes_(bytes) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    if (shared_->meeting != nullptr) shared_->meeting->Attend();
    if (position_ >= shared_->bad_from) {
      return Status(ErrorCode::kIo, "at " + std::to_string(position_));
    }
    const size_t size = std::min(out.size(), bytes_.size() - position_);
    std::memcpy(out.data(), bytes_.data() + position_, size);
    position_ += size;
    ++shared_->reads;
    shared_->bytes_read += size;
    return size;
  }
  bool can_seek() const override { return true; }
  Status Seek(uint64_t position) override {
    position_ = static_cast<size_t>(position);
    return Status();
  }
  uint64_t size() const override { return bytes_.size(); }

 private:
  SharedFiles* const shared_;
  const std::string& bytes_;
  size_t position_ = 0;
};

OpenInput SharedFiles::opener() {
  return [this](const std::string& name) -> Result<std::unique_ptr<InputFile>> {
    return std::unique_ptr<InputFile>(
        std::make_unique<SharedInput>(this, files.at(name)));
  };
}

// Records of 3 MiB: no two are near enough to be read by one call.
std::vector<std::string> LargeRecords(int first, int count) {
  std::vector<std::string> records;
  for (int i = first; i < first + count; ++i) {
    records.emplace_back(size_t{3} << 20, static_cast<char>('a' + i));
  }
  return records;
}

std::string FirstBytes(const Batch& batch) {
  std::string all;
  for (const std::string_view payload : batch.columns()[0].bytes()) {
    all += payload[0];
  }
  return all;
}

TEST(InputThreadsTest, RunsAreReadAtATime) {
  SharedFiles shared{.files = {{"a", RecordFile(LargeRecords(0, 6))},
                               {"b", RecordFile(LargeRecords(6, 3))}}};
  Dataset dataset =
      OrThrow(Dataset::Open({"a", "b"}, Plan::ForRaw(),
                            {.open_input = shared.opener(), .threads = 4}));
  const std::vector<uint64_t> rows = {7, 0, 4, 2, 0};
  EXPECT_EQ(FirstBytes(OrThrow(dataset.Take(rows))), "haeca");
  Meeting meeting(3);
  shared.meeting = &meeting;
  EXPECT_EQ(FirstBytes(OrThrow(dataset.Take(rows))), "haeca");
  EXPECT_GE(meeting.most(), 3u);
  // Blocks are read likewise.
  Meeting of_blocks(3);
  shared.meeting = &of_blocks;
  EXPECT_EQ(FirstBytes(OrThrow(dataset.Take(rows, {.block = 2, .kept = 1}))),
            "haeca");
  EXPECT_GE(of_blocks.most(), 3u);
}

TEST(InputThreadsTest, HeadersAreWalkedAtATime) {
  SharedFiles shared;
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) {
    names.push_back(std::string(1, static_cast<char>('a' + i)));
    shared.files[names.back()] = RecordFile(IdRecords(i * 10, i * 10 + 10));
  }
  Meeting meeting(3);
  shared.meeting = &meeting;
  std::vector<uint64_t> done;
  const Dataset dataset =
      OrThrow(Dataset::Open(names, IdPlan(),
                            {.open_input = shared.opener(),
                             .threads = 3,
                             .progress = [&](uint64_t bytes, uint64_t) {
                               done.push_back(bytes);
                               return false;
                             }}));
  EXPECT_GE(meeting.most(), 3u);
  EXPECT_THAT(dataset.first_rows(), ElementsAre(0, 10, 20, 30, 40));
  ASSERT_FALSE(done.empty());
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  uint64_t size = 0;
  for (const auto& [name, bytes] : shared.files) size += bytes.size();
  EXPECT_EQ(done.back(), size);
}

// Whichever thread fails first.
TEST(InputThreadsTest, TheFirstRunThatFailsIsNamed) {
  SharedFiles shared{.files = {{"a", RecordFile(LargeRecords(0, 8))}}};
  Dataset dataset = OrThrow(Dataset::Open(
      {"a"}, Plan::ForRaw(), {.open_input = shared.opener(), .threads = 4}));
  const std::vector<uint64_t> rows = {7, 5, 3, 1};
  ASSERT_THAT(dataset.Take(rows), IsOk());
  const uint64_t third = OrThrow(dataset.Origin(3)).offset;
  shared.bad_from = third;
  for (int i = 0; i < 20; ++i) {
    const Status status = dataset.Take(rows).status();
    ASSERT_THAT(status, IsError(ErrorCode::kIo, {.file = "a"}));
    EXPECT_NE(status.ToString().find("at " + std::to_string(third)),
              std::string::npos);
  }
  shared.bad_from = ~uint64_t{0};
  EXPECT_EQ(FirstBytes(OrThrow(dataset.Take(rows))), "hfdb");
}

// By blocks, each block is one request, and no byte is read twice.
TEST(InputThreadsTest, BlocksAreReadOnce) {
  SharedFiles shared{.files = {{"a", RecordFile(IdRecords(0, 4000))}}};
  Dataset dataset = OrThrow(Dataset::Open(
      {"a"}, IdPlan(), {.open_input = shared.opener(), .threads = 3}));
  ASSERT_THAT(dataset.Take(std::vector<uint64_t>{0}), IsOk());
  shared.reads = 0;
  shared.bytes_read = 0;
  constexpr uint64_t kBlock = 100;
  constexpr uint64_t kKept = 8;
  // Windows of four blocks, each row once, batches of 64.
  std::vector<uint64_t> rows(4000);
  for (uint64_t i = 0; i < rows.size(); ++i) {
    rows[i] = i / 400 * 400 + i % 400 * 7 % 400;
  }
  for (size_t at = 0; at < rows.size(); at += 64) {
    const auto batch =
        std::span(rows).subspan(at, std::min<size_t>(64, rows.size() - at));
    ASSERT_THAT(dataset.Take(batch, {.block = kBlock, .kept = kKept}), IsOk());
  }
  EXPECT_EQ(shared.reads, 4000 / kBlock);
  EXPECT_EQ(shared.bytes_read, shared.files["a"].size());
}

// Lanes take turns, and each begins in the middle of some window, so that the
// first one to go on to another is not the first one that read.
TEST(InputThreadsTest, BlocksOfLanesAreReadOnce) {
  SharedFiles shared{.files = {{"a", RecordFile(IdRecords(0, 12000))}}};
  constexpr uint64_t kBlock = 50;
  constexpr uint64_t kWindow = 4;
  for (const uint64_t lanes : {2u, 3u, 7u}) {
    for (const uint64_t turn : {31u, 64u}) {
      Dataset dataset = OrThrow(Dataset::Open(
          {"a"}, IdPlan(), {.open_input = shared.opener(), .threads = 3}));
      ASSERT_THAT(dataset.Take(std::vector<uint64_t>{0}), IsOk());
      shared.reads = 0;
      const Order order = OrThrow(Order::Make({.rows = 12000,
                                               .seed = lanes,
                                               .block = kBlock,
                                               .window = kWindow,
                                               .lanes = lanes,
                                               .turn = turn}));
      std::vector<uint64_t> rows(turn);
      for (uint64_t at = 0; at + turn <= 12000; at += turn) {
        ASSERT_THAT(order.Rows(at, rows), IsOk());
        const std::vector<uint64_t> of_lane(turn, at / turn % lanes);
        ASSERT_THAT(
            dataset.Take(rows,
                         {.block = kBlock, .kept = kWindow, .lanes = of_lane}),
            IsOk());
      }
      // Two lanes read the window between them, each at another time, and again
      // several the windows of the last rows.
      EXPECT_LE(shared.reads, 12000 / kBlock + (lanes + 3) * kWindow)
          << lanes << " lanes, turn " << turn;
    }
  }
}

}  // namespace
}  // namespace headrace::testing
