// A stream that is read ahead gives what it gives anyway, and ends at any time.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "src/base/interrupt.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/source/read_ahead_stream.h"
#include "src/input/source/source.h"
#include "src/input/source/streams.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"

namespace headrace::source {
namespace {

using compression::Bytes;
using compression::Outcome;
using compression::PlainBytes;
using compression::ReadAll;

// Gives pieces of any sizes, then fails or ends; a pipe cannot seek.
class RaggedStream : public ByteStream {
 public:
  RaggedStream(const std::string& bytes, Status end, bool is_pipe = false)
      : stream_(Bytes(bytes)), end_(std::move(end)), is_pipe_(is_pipe) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    EXPECT_TRUE(last_.ok()) << "read after a failure";
    const size_t most = 1 + random_() % 400'000;
    const Result<size_t> got =
        stream_.Read(out.first(std::min(out.size(), most)));
    if (*got > 0 || end_.ok()) return got;
    return last_ = end_;
  }
  bool SeekTo(uint64_t position) override {
    last_ = Status();
    return !is_pipe_ && stream_.SeekTo(position);
  }
  uint64_t stored_position() const override {
    return stream_.stored_position();
  }

 private:
  MemoryStream stream_;
  const Status end_;
  const bool is_pipe_;
  Status last_;
  std::mt19937 random_{1};
};

TEST(ReadAheadTest, GivesTheSame) {
  for (const size_t size : {0u, 1u, 1000u, 262'144u, 262'145u, 5'000'000u}) {
    const std::string bytes = PlainBytes(size);
    for (const Status& end : {Status(), Status(ErrorCode::kIo, "broken")}) {
      for (const size_t piece : {100u, 262'144u, 1'000'000u}) {
        ReadAheadStream stream(std::make_unique<RaggedStream>(bytes, end),
                               nullptr);
        EXPECT_EQ(ReadAll(&stream, piece), (Outcome{bytes, end}));
        uint8_t more;
        const auto again = stream.Read({&more, 1});
        EXPECT_EQ(again.status().code(), end.code());
      }
    }
  }
}

TEST(ReadAheadTest, Positions) {
  const std::string bytes = PlainBytes(3'000'000);
  ReadAheadStream stream(std::make_unique<RaggedStream>(bytes, Status()),
                         nullptr);
  uint64_t given = 0;
  std::string buffer(50'000, '\0');
  EXPECT_EQ(stream.stored_position(), 0u);
  while (true) {
    const auto got =
        stream.Read({reinterpret_cast<uint8_t*>(buffer.data()), buffer.size()});
    ASSERT_TRUE(got.ok());
    if (*got == 0) break;
    given += *got;
    EXPECT_EQ(stream.stored_position(), given);
  }
  EXPECT_EQ(given, bytes.size());
}

TEST(ReadAheadTest, SeeksAtAnyTime) {
  const std::string bytes = PlainBytes(3'000'000);
  std::mt19937 random(2);
  ReadAheadStream stream(
      std::make_unique<RaggedStream>(bytes, Status(ErrorCode::kIo, "broken")),
      nullptr);
  std::string buffer(300'000, '\0');
  for (int i = 0; i < 50; ++i) {
    size_t at = random() % bytes.size();
    ASSERT_TRUE(stream.SeekTo(at));
    EXPECT_EQ(stream.stored_position(), at);
    for (size_t reads = random() % 4; reads > 0; --reads) {
      const auto got = stream.Read({reinterpret_cast<uint8_t*>(buffer.data()),
                                    1 + random() % buffer.size()});
      if (at == bytes.size()) {
        ASSERT_FALSE(got.ok());
        break;
      }
      ASSERT_TRUE(got.ok());
      ASSERT_EQ(buffer.substr(0, *got), bytes.substr(at, *got));
      at += *got;
    }
  }
}

// What was read ahead of a pipe is not lost.
TEST(ReadAheadTest, PipesDoNotSeek) {
  const std::string bytes = PlainBytes(3'000'000);
  ReadAheadStream stream(std::make_unique<RaggedStream>(bytes, Status(), true),
                         nullptr);
  std::string all;
  std::string buffer(70'000, '\0');
  while (true) {
    EXPECT_FALSE(stream.SeekTo(0));
    const auto got =
        stream.Read({reinterpret_cast<uint8_t*>(buffer.data()), buffer.size()});
    ASSERT_TRUE(got.ok());
    if (*got == 0) break;
    all.append(buffer, 0, *got);
  }
  EXPECT_TRUE(all == bytes);
}

TEST(ReadAheadTest, EndsAtAnyTime) {
  const std::string bytes = PlainBytes(5'000'000);
  for (int reads = 0; reads < 20; ++reads) {
    ReadAheadStream stream(std::make_unique<RaggedStream>(bytes, Status()),
                           nullptr);
    std::string buffer(20'000, '\0');
    for (int i = 0; i < reads; ++i) {
      ASSERT_TRUE(
          stream
              .Read({reinterpret_cast<uint8_t*>(buffer.data()), buffer.size()})
              .ok());
    }
  }
}

// Waits in Read until it is let go.
class WaitingStream : public ByteStream {
 public:
  explicit WaitingStream(std::atomic<bool>* goes) : goes_(goes) {}
  Result<size_t> Read(std::span<uint8_t>) override {
    while (!*goes_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return size_t{0};
  }
  uint64_t stored_position() const override { return 0; }

 private:
  std::atomic<bool>* const goes_;
};

TEST(ReadAheadTest, TheCallerIsAskedWhileItWaits) {
  std::atomic<bool> goes = false;
  int asked = 0;
  Interrupt interrupt([&asked] { return ++asked == 3; });
  interrupt.EnterCaller();
  {
    ReadAheadStream stream(std::make_unique<WaitingStream>(&goes), &interrupt);
    uint8_t byte;
    EXPECT_EQ(stream.Read({&byte, 1}).status().code(), ErrorCode::kCancelled);
    EXPECT_EQ(asked, 3);
    goes = true;
  }
}

// Damage of a pipe is told at once, though its writer does not go on.
TEST(ReadAheadTest, DamageOfAPipeIsToldAtOnce) {
  std::string stored = compression::Gzip(PlainBytes(100'000));
  stored[stored.size() / 2] ^= '\x55';
  stored[stored.size() - 5] ^= '\x55';
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  std::atomic<bool> is_told = false;
  std::thread writer([&] {
    size_t written = 0;
    while (written < stored.size()) {
      const ssize_t got =
          write(ends[1], stored.data() + written, stored.size() - written);
      if (got <= 0) break;
      written += static_cast<size_t>(got);
    }
    // If nothing is told within these 10 s, it waits for the writer.
    for (int i = 0; i < 1000 && !is_told; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(is_told);
    close(ends[1]);
  });
  {
    auto source = OpenFile("-", {.threads = 3});
    EXPECT_TRUE(source.ok());
    if (source.ok()) {
      const Outcome outcome = ReadAll(source->get());
      EXPECT_EQ(outcome.failure.code(), ErrorCode::kDecompress);
    }
    is_told = true;
  }
  writer.join();
  dup2(saved, STDIN_FILENO);
  close(saved);
}

// A file of any compression, with and without a table, by any threads.
TEST(ReadAheadTest, SourcesOfManyThreads) {
  for (const auto& file : compression::FewSeekFiles(PlainBytes(6'000'000))) {
    const auto built = compression::BuildTable(file, uint64_t{300} << 10);
    for (const size_t threads : {1u, 2u, 5u}) {
      for (const auto& table : {built, decltype(built)()}) {
        for (const bool hops : {false, true}) {
          SourceOptions options{.compression = file.compression,
                                .threads = threads,
                                .seek_table = table,
                                .hops_members = hops};
          const Outcome outcome = compression::ReadMemory(file.stored, options);
          EXPECT_TRUE(outcome.failure.ok()) << outcome.failure.ToString();
          EXPECT_TRUE(outcome.bytes == file.plain) << file;
        }
      }
    }
  }
}

// The limit holds whatever a table says, and for the file behind its end.
TEST(ReadAheadTest, LimitsOfInflatedBytes) {
  const std::string plain = PlainBytes(2'000'000);
  for (const auto& file : compression::FewSeekFiles(plain)) {
    const auto right = compression::BuildTable(file, uint64_t{100} << 10);
    // It says that the file has fewer bytes.
    const auto points = compression::PointsOf(*right);
    std::vector<compression::SeekPoint> some(points.begin(),
                                             points.begin() + 1);
    const auto lies = compression::SeekTable::Make(
        file.compression, some, file.stored.size(), 1000, nullptr);
    ASSERT_NE(lies, nullptr);
    for (const size_t threads : {1u, 3u}) {
      for (const auto& table : {right, lies, decltype(right)()}) {
        for (const uint64_t limit : std::vector<uint64_t>{
                 1000, 5000, plain.size() - 1, plain.size()}) {
          const Outcome outcome = compression::ReadMemory(
              file.stored, {.compression = file.compression,
                            .threads = threads,
                            .seek_table = table,
                            .limits = {.max_inflated_bytes = limit}});
          EXPECT_TRUE(outcome.bytes ==
                      plain.substr(0, static_cast<size_t>(limit)))
              << file;
          EXPECT_EQ(outcome.failure.code(),
                    limit < plain.size() ? ErrorCode::kLimit : ErrorCode::kOk)
              << file << " " << limit;
        }
      }
    }
  }
}

}  // namespace
}  // namespace headrace::source
