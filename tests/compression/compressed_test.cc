// What holds in every compression.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "src/input/compression/decompressor.h"
#include "tests/compression/stored.h"
#include "tests/process/heap.h"
#include "tests/support/or_throw.h"

namespace headrace::compression {
namespace {

using testing::HeapBytes;
using testing::OrThrow;

class CompressedTest : public ::testing::TestWithParam<Compression> {
 protected:
  SourceOptions Forced() const {
    SourceOptions options = {.compression = GetParam()};
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(All, CompressedTest,
                         ::testing::Values(Compression::kGzip,
                                           Compression::kZlib,
                                           Compression::kSnappy,
                                           Compression::kZstd),
                         [](const auto& param) {
                           return std::string(CompressionName(param.param));
                         });

TEST_P(CompressedTest, RoundTripInAllPieces) {
  std::mt19937 random(2);
  const std::string plain = SomeBytes(30000, &random);
  const std::string stored = Compress(GetParam(), plain);
  for (size_t piece : {1u, 3u, 8u, 100u, 1u << 20}) {
    for (size_t window : {1u, 5u, 1000u, 1u << 20}) {
      const Outcome got = ReadCompressed(GetParam(), stored, piece, window);
      ASSERT_TRUE(got.failure.ok()) << got.failure.ToString();
      ASSERT_TRUE(got.bytes == plain) << piece << " " << window;
    }
  }
}

TEST_P(CompressedTest, NoBytesAreAnEmptyStream) {
  const Outcome got = ReadMemory("", Forced());
  EXPECT_TRUE(got.failure.ok());
  EXPECT_EQ(got.bytes, "");
  EXPECT_EQ(got.compression, GetParam());
}

TEST_P(CompressedTest, EmptyContent) {
  const std::string stored = Compress(GetParam(), "");
  const Outcome got = ReadMemory(stored, Forced());
  EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
  EXPECT_EQ(got.bytes, "");
}

// Each cut is an error, and gives a beginning of the content: the same one
// whatever the pieces.
TEST_P(CompressedTest, EveryCut) {
  const std::string plain = SomeRecords(8);
  const std::string stored = Compress(GetParam(), plain);
  size_t most = 0;
  for (size_t size = 1; size < stored.size(); ++size) {
    const std::string cut = stored.substr(0, size);
    const Outcome whole = ReadCompressed(GetParam(), cut, 1 << 20, 1 << 15);
    // Where a snappy block ends, the file may end.
    const bool may_end = GetParam() == Compression::kSnappy;
    if (!may_end || !whole.failure.ok()) {
      ASSERT_EQ(whole.failure.code(), ErrorCode::kDecompress) << size;
    }
    ASSERT_EQ(whole.bytes, plain.substr(0, whole.bytes.size())) << size;
    ASSERT_GE(whole.bytes.size(), most) << size;
    most = whole.bytes.size();
    ASSERT_EQ(ReadCompressed(GetParam(), cut, 1, 7), whole) << size;
    ASSERT_EQ(ReadCompressed(GetParam(), cut, 10, 100), whole) << size;
  }
  if (GetParam() != Compression::kSnappy) {
    EXPECT_EQ(most, plain.size());
  }
}

TEST_P(CompressedTest, BytesAfterTheEnd) {
  const std::string plain = SomeRecords(5);
  const std::string stored = Compress(GetParam(), plain);
  for (const std::string& after :
       {std::string("x"), std::string(1, '\0'), std::string(512, '\0'),
        std::string("plain text that follows"), plain}) {
    for (size_t piece : {1u, 1u << 20}) {
      const Outcome got =
          ReadCompressed(GetParam(), stored + after, piece, 1 << 20);
      EXPECT_EQ(got.failure.code(), ErrorCode::kDecompress);
      EXPECT_EQ(got.bytes, plain);
    }
  }
}

TEST_P(CompressedTest, DamageIsTheSameInAllPieces) {
  std::mt19937 random(3);
  const std::string stored = Compress(GetParam(), SomeRecords(30));
  for (int i = 0; i < 150; ++i) {
    std::string damaged = stored;
    for (int flips = 1 + i % 3; flips > 0; --flips) {
      const size_t at = random() % damaged.size();
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    }
    const Outcome whole = ReadCompressed(GetParam(), damaged, 1 << 20, 1 << 15);
    ASSERT_EQ(ReadCompressed(GetParam(), damaged, 1, 50), whole) << i;
    ASSERT_EQ(ReadCompressed(GetParam(), damaged, 17, 1), whole) << i;
    ASSERT_EQ(ReadCompressed(GetParam(), damaged, 1 << 20, 1 << 20,
                             InflateLibrary::kZlib),
              whole)
        << i;
  }
}

TEST_P(CompressedTest, RandomBytesNeverPass) {
  std::mt19937 random(4);
  for (int i = 0; i < 500; ++i) {
    std::string stored = Compress(GetParam(), "").substr(0, random() % 12);
    for (size_t size = 1 + random() % 60; size > 0; --size) {
      stored += static_cast<char>(random());
    }
    const Outcome whole = ReadCompressed(GetParam(), stored, 1 << 20, 1000);
    EXPECT_EQ(ReadCompressed(GetParam(), stored, 1, 3), whole);
  }
}

TEST_P(CompressedTest, InflatedLimit) {
  const std::string plain = SomeRecords(100);
  const std::string stored = Compress(GetParam(), plain);
  SourceOptions options = Forced();
  for (uint64_t limit :
       {uint64_t{1}, uint64_t{1000}, uint64_t{plain.size()} - 1,
        uint64_t{plain.size()}, uint64_t{plain.size()} + 1}) {
    options.limits.max_inflated_bytes = limit;
    for (size_t window : {1u, 100u, 1u << 20}) {
      options.window_bytes = window;
      const Outcome got = ReadMemory(stored, options);
      const size_t given = std::min<size_t>(limit, plain.size());
      EXPECT_TRUE(got.bytes == plain.substr(0, given)) << limit;
      EXPECT_EQ(got.failure.code(),
                limit < plain.size() ? ErrorCode::kLimit : ErrorCode::kOk);
    }
  }
}

TEST_P(CompressedTest, BombsStreamInLittleMemory) {
  const std::string zeros(size_t{8} << 20, '\0');
  const std::string part = GetParam() == Compression::kSnappy
                               ? Snappy(zeros, size_t{1} << 18)
                               : Compress(GetParam(), zeros);
  std::string stored = part;
  // zlib is one stream; the others may be repeated.
  int parts = 1;
  for (; GetParam() != Compression::kZlib && parts < 8; ++parts) stored += part;
  auto source = OrThrow(OpenMemory(stored.data(), stored.size(), Forced()));
  const size_t before = HeapBytes();
  uint64_t from = 0;
  size_t most = 0;
  Tail tail = Tail::kMore;
  while (tail == Tail::kMore) {
    auto window = source->Next(from, 1);
    ASSERT_TRUE(window.ok());
    from = window->end();
    tail = window->tail;
    most = std::max(most, HeapBytes());
  }
  EXPECT_EQ(tail, Tail::kEnd);
  EXPECT_EQ(from, zeros.size() * static_cast<size_t>(parts));
  // zstd takes a window as large as the frame asks for, here 2 MiB.
  EXPECT_LT(most, before + (size_t{8} << 20));
}

TEST_P(CompressedTest, FailureNamesTheFile) {
  const std::string stored = Compress(GetParam(), SomeRecords(3)) + "x";
  const Outcome got = ReadMemory(stored, Forced());
  ASSERT_FALSE(got.failure.ok());
  EXPECT_EQ(got.failure.info()->file, "<memory>");
  EXPECT_EQ(got.failure.info()->offset, kUnknown);
}

TEST_P(CompressedTest, PositionEndsAtTheSize) {
  const std::string stored = Compress(GetParam(), SomeRecords(300));
  auto source = OrThrow(OpenMemory(stored.data(), stored.size(), Forced()));
  EXPECT_EQ(source->stored_size(), stored.size());
  EXPECT_TRUE(ReadAll(source.get()).failure.ok());
  EXPECT_EQ(source->stored_position(), stored.size());
}

}  // namespace
}  // namespace headrace::compression
