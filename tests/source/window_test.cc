// The contract of Source::Next, for every way bytes arrive.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/interrupt.h"
#include "src/input/source/block_pool.h"
#include "src/input/source/source.h"
#include "src/input/source/streams.h"
#include "src/input/source/window_source.h"
#include "tests/compression/stored.h"
#include "tests/process/heap.h"
#include "tests/support/compressions.h"
#include "tests/support/effort.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/or_throw.h"
#include "tests/support/temporary_file.h"

namespace headrace::source {
namespace {

using compression::Bytes;
using compression::Compress;
using compression::Gzip;
using compression::Outcome;
using compression::ReadAll;
using compression::SomeBytes;
using compression::SomeRecords;
using testing::HeapBytes;
using testing::kCompressions;
using testing::OrThrow;

enum class Way { kFile, kMmap, kMemory, kGzip };

class WindowTest : public ::testing::TestWithParam<Way> {
 protected:
  // `plain` in the way of the parameter.
  std::unique_ptr<Source> Open(const std::string& plain, size_t window) {
    options_.window_bytes = window;
    options_.compression = Compression::kNone;
    options_.mmap = GetParam() == Way::kMmap;
    stored_ = plain;
    if (GetParam() == Way::kGzip) {
      options_.compression = Compression::kGzip;
      stored_ = Gzip(plain, 1);
    }
    Result<std::unique_ptr<Source>> source = Status(ErrorCode::kIo, "");
    if (GetParam() == Way::kFile || GetParam() == Way::kMmap) {
      file_.emplace(stored_);
      source = OpenFile(file_->path(), options_);
    } else {
      source = OpenMemory(stored_.data(), stored_.size(), options_);
    }
    EXPECT_TRUE(source.ok()) << source.status().ToString();
    return std::move(*source);
  }

  SourceOptions options_;
  std::string stored_;
  std::optional<testing::TemporaryFile> file_;
};

INSTANTIATE_TEST_SUITE_P(All, WindowTest,
                         ::testing::Values(Way::kFile, Way::kMmap, Way::kMemory,
                                           Way::kGzip));

TEST_P(WindowTest, KeepsAndGivesAtLeast) {
  std::mt19937 random(8);
  for (size_t size : {0u, 1u, 63u, 64u, 65u, 4095u, 4096u, 4097u, 50000u}) {
    const std::string plain = SomeBytes(size, &random);
    for (size_t window : {1u, 64u, 1000u, 1u << 20}) {
      auto source = Open(plain, window);
      uint64_t from = 0;
      for (Tail tail = Tail::kMore; tail == Tail::kMore;) {
        const size_t at_least = random() % 3000;
        auto got = OrThrow(source->Next(from, at_least));
        ASSERT_EQ(got.offset, from);
        ASSERT_LE(got.end(), plain.size());
        const std::string_view bytes(reinterpret_cast<const char*>(got.data),
                                     got.size);
        ASSERT_EQ(bytes, plain.substr(static_cast<size_t>(from), got.size));
        if (got.tail == Tail::kMore) {
          ASSERT_GE(got.size, at_least);
        } else {
          ASSERT_EQ(got.end(), plain.size());
        }
        tail = got.tail;
        from = got.end() - std::min<size_t>(got.size, random() % 200);
      }
      // The end can be asked for again, from any offset that was kept.
      auto again = OrThrow(source->Next(plain.size(), 10));
      EXPECT_EQ(again.size, 0u);
      EXPECT_EQ(again.tail, Tail::kEnd);
      EXPECT_TRUE(source->failure().ok());
    }
  }
}

TEST_P(WindowTest, TheEndCanBeAskedForFromAnyOffset) {
  std::mt19937 random(12);
  for (const size_t size : {100u, 5000u, 50000u}) {
    const std::string plain = SomeBytes(size, &random);
    auto source = Open(plain, 1 << 20);
    auto got = OrThrow(source->Next(0, size + 1));
    ASSERT_EQ(got.tail, Tail::kEnd);
    for (size_t from = 0; from <= size; from += 1 + size / 7) {
      got = OrThrow(source->Next(from, 1));
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(got.data), got.size),
                plain.substr(from));
      EXPECT_EQ(got.offset, from);
      EXPECT_EQ(got.tail, Tail::kEnd);
    }
  }
}

// However much is kept, there is more each time.
TEST_P(WindowTest, EveryCallMakesProgress) {
  std::mt19937 random(13);
  const std::string plain = SomeBytes(20000, &random);
  auto source = Open(plain, 64);
  size_t before = 0;
  for (Tail tail = Tail::kMore; tail == Tail::kMore;) {
    const auto got = OrThrow(source->Next(0, 0));
    if (got.tail == Tail::kMore) {
      ASSERT_GT(got.size, before);
    }
    before = got.size;
    tail = got.tail;
  }
  EXPECT_EQ(before, plain.size());
}

// Nobody waits for anything any more.
TEST_P(WindowTest, AtTheEndAnInterruptChangesNothing) {
  std::atomic<bool> is_interrupted = false;
  Interrupt interrupt([&] { return is_interrupted.load(); });
  interrupt.EnterCaller();
  options_.interrupt = &interrupt;
  const std::string plain(100, 'x');
  auto source = Open(plain, 1 << 20);
  auto got = OrThrow(source->Next(0, plain.size() + 1));
  ASSERT_EQ(got.tail, Tail::kEnd);
  is_interrupted = true;
  got = OrThrow(source->Next(50, 1));
  EXPECT_EQ(got.tail, Tail::kEnd);
  EXPECT_EQ(got.size, 50u);
}

TEST_P(WindowTest, PinnedWindowsStay) {
  std::mt19937 random(9);
  const std::string plain = SomeBytes(100000, &random);
  auto source = Open(plain, 1000);
  std::vector<Window> pinned;
  uint64_t from = 0;
  for (Tail tail = Tail::kMore; tail == Tail::kMore;) {
    auto got = OrThrow(source->Next(from, 1));
    tail = got.tail;
    from = got.end();
    if (random() % 3 == 0) pinned.push_back(got);
  }
  source.reset();  // windows outlive their source
  for (const Window& window : pinned) {
    const std::string_view bytes(reinterpret_cast<const char*>(window.data),
                                 window.size);
    EXPECT_EQ(bytes,
              plain.substr(static_cast<size_t>(window.offset), window.size));
  }
}

TEST_P(WindowTest, LongRecordInSmallWindows) {
  std::mt19937 random(10);
  const std::string plain = SomeBytes(300000, &random);
  auto source = Open(plain, 100);
  auto got = OrThrow(source->Next(0, 200000));
  EXPECT_GE(got.size, 200000u);
  got = OrThrow(source->Next(150000, 100));
  EXPECT_EQ(got.offset, 150000u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(got.data), 100),
            plain.substr(150000, 100));
}

TEST_P(WindowTest, PinsDropOnOtherThreads) {
  std::mt19937 random(11);
  const std::string plain = SomeBytes(200000, &random);
  auto source = Open(plain, 500);
  std::vector<Window> pinned;
  uint64_t from = 0;
  std::vector<std::thread> threads;
  for (Tail tail = Tail::kMore; tail == Tail::kMore;) {
    auto got = OrThrow(source->Next(from, 1));
    tail = got.tail;
    from = got.end();
    pinned.push_back(std::move(got));
    if (pinned.size() == 100 || tail != Tail::kMore) {
      threads.emplace_back([windows = std::exchange(pinned, {})]() mutable {
        while (!windows.empty()) windows.pop_back();
      });
    }
  }
  source.reset();
  for (auto& thread : threads) thread.join();
}

// What a record declares costs nothing before its bytes are there.
TEST_P(WindowTest, DeclaredGigabyteAllocatesKilobytes) {
  auto source = Open(std::string(28, 'x'), size_t{1} << 20);
  auto first = OrThrow(source->Next(0, 12));
  const size_t before = HeapBytes();
  auto got = OrThrow(source->Next(0, size_t{1} << 30));
  EXPECT_EQ(got.size, 28u);
  EXPECT_EQ(got.tail, Tail::kEnd);
  EXPECT_LT(HeapBytes(), before + 8192);
}

TEST_P(WindowTest, SmallFilesTakeLittleMemory) {
  const size_t before = HeapBytes();
  auto source = Open(std::string(100, 'x'), size_t{1} << 20);
  auto got = OrThrow(source->Next(0, 1));
  EXPECT_EQ(got.tail, Tail::kEnd);
  EXPECT_LT(HeapBytes(), before + 100000);  // an inflater is 50 KB
}

TEST_P(WindowTest, SteadyStateAllocatesNothing) {
  std::mt19937 random(13);
  auto source = Open(SomeBytes(1 << 20, &random), 4096);
  uint64_t from = 0;
  size_t after_some = 0;
  for (int i = 0; i < 100; ++i) {
    auto got = OrThrow(source->Next(from, 100));
    if (got.tail != Tail::kMore) break;
    from = got.end() - std::min<size_t>(got.size, 100);
    if (i == 10) after_some = HeapBytes();
    if (i > 10) {
      ASSERT_EQ(HeapBytes(), after_some) << i;
    }
  }
}

class FailingStream : public ByteStream {
 public:
  explicit FailingStream(size_t good) : good_(good) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    if (good_ == 0) return Status(ErrorCode::kIo, "cannot read: it broke");
    const size_t count = std::min(out.size(), good_);
    std::fill_n(out.begin(), count, uint8_t{'g'});
    good_ -= count;
    return count;
  }
  uint64_t stored_position() const override { return 0; }

 private:
  size_t good_;
};

TEST(WindowSourceTest, BytesBeforeAFailureComeFirst) {
  for (size_t good : {0u, 1u, 99u, 100u, 101u, 1000u}) {
    WindowSource::Options options;
    options.name = "the file";
    options.window_bytes = options.first_bytes = 100;
    WindowSource source(std::make_unique<FailingStream>(good), options);
    EXPECT_TRUE(source.failure().ok());
    const Outcome got = ReadAll(&source, 10);
    EXPECT_EQ(got.bytes, std::string(good, 'g'));
    EXPECT_EQ(got.failure.code(), ErrorCode::kIo);
    EXPECT_EQ(got.failure.info()->file, "the file");
    EXPECT_EQ(got.failure.message(), "cannot read: it broke");
  }
}

// Growth follows the bytes: at no time much more than twice of them.
class CountingStream : public ByteStream {
 public:
  explicit CountingStream(size_t size) : left_(size) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    EXPECT_LE(out.size(), given_ + (1 << 10)) << "room before bytes";
    const size_t count = std::min({out.size(), left_, size_t{4096}});
    std::fill_n(out.begin(), count, uint8_t{'x'});
    left_ -= count;
    given_ += count;
    return count;
  }
  uint64_t stored_position() const override { return given_; }

 private:
  size_t left_;
  size_t given_ = 0;
};

TEST(WindowSourceTest, GrowsWithTheBytes) {
  WindowSource::Options options;
  options.window_bytes = options.first_bytes = 1 << 10;
  WindowSource source(std::make_unique<CountingStream>(1 << 20), options);
  auto got = source.Next(0, size_t{1} << (sizeof(size_t) == 4 ? 30 : 40));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->size, size_t{1} << 20);
  EXPECT_EQ(got->tail, Tail::kEnd);
}

TEST(WindowSourceTest, ManyPinnedWindowsMakeLargeOnes) {
  std::string bytes(60'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i);
  for (const size_t pinned : {size_t{1}, size_t{10}, size_t{40}}) {
    SCOPED_TRACE(pinned);
    WindowSource::Options options;
    options.window_bytes = options.first_bytes = 1000;
    options.large_bytes = 5000;
    WindowSource source(std::make_unique<MemoryStream>(Bytes(bytes)), options);
    std::deque<Window> held;
    size_t largest = 0;
    for (size_t at = 0; at < bytes.size(); at = held.back().end()) {
      auto window = source.Next(at, 1);
      ASSERT_TRUE(window.ok());
      largest = std::max(largest, window->size);
      held.push_back(*std::move(window));
      if (held.size() > pinned) held.pop_front();
      for (const Window& w : held) {
        ASSERT_EQ(std::memcmp(w.data, bytes.data() + w.offset, w.size), 0);
      }
    }
    EXPECT_EQ(largest, pinned == 40 ? 5000u : 1000u);
  }
}

TEST(WindowSourceTest, NoMemoryForALongRecordKeepsWhatArrived) {
  if (testing::kInstrumented) GTEST_SKIP() << "the allocator ends the process";
  // Nothing grows to half the address space, so the request has to fail while
  // the endless stream still gives.
  class Endless : public ByteStream {
   public:
    Result<size_t> Read(std::span<uint8_t> out) override { return out.size(); }
    uint64_t stored_position() const override { return 0; }
  };
  WindowSource::Options options;
  options.window_bytes = options.first_bytes = 1 << 10;
  options.name = "endless";
  WindowSource source(std::make_unique<Endless>(), options);
  auto got = source.Next(0, ~size_t{0});
  ASSERT_TRUE(got.ok());
  EXPECT_GT(got->size, size_t{1} << (sizeof(size_t) == 4 ? 29 : 30));
  EXPECT_EQ(got->tail, Tail::kFailed);
  EXPECT_EQ(source.failure().code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(source.failure().info()->file, "endless");
}

// Nothing outside the caller's memory is read: the page after it faults.
TEST(MemorySourceTest, ReadsNothingBeyondTheCallersBytes) {
  testing::GuardedBytes guarded(200000);
  std::mt19937 random(12);
  for (Compression compression : kCompressions) {
    for (int count : {0, 1, 10, 300}) {
      const std::string plain = SomeRecords(count);
      const std::string stored = Compress(compression, plain);
      for (bool at_end : {true, false}) {
        const std::string_view placed =
            at_end ? guarded.PlaceAtEnd(stored) : guarded.PlaceAtStart(stored);
        SourceOptions options;
        if (count == 0) options.compression = compression;
        for (size_t kept : {0u, 50u, 100000u}) {
          const auto source =
              OrThrow(OpenMemory(placed.data(), placed.size(), options));
          const Outcome got = ReadAll(source.get(), kept);
          EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
          EXPECT_TRUE(got.bytes == plain);
        }
      }
    }
  }
}

TEST(MemorySourceTest, LargeFilesAreNotCopied) {
  std::string plain(1 << 20, 'x');
  SourceOptions options = {.compression = Compression::kNone};
  const auto source = OrThrow(OpenMemory(plain.data(), plain.size(), options));
  auto got = OrThrow(source->Next(0, 12));
  EXPECT_EQ(static_cast<const void*>(got.data), plain.data());
  EXPECT_EQ(got.size, plain.size() - kSlack);
  EXPECT_FALSE(got.pin);
  got = OrThrow(source->Next(got.end() - 100, 12));
  EXPECT_EQ(got.size, 100 + kSlack);
  EXPECT_EQ(got.tail, Tail::kEnd);
  EXPECT_TRUE(got.pin);
}

}  // namespace
}  // namespace headrace::source
