// TensorFlow's snappy framing, and zstd frames.

#include <gtest/gtest.h>
#include <malloc.h>
#include <snappy.h>
#include <zstd.h>

#include <random>
#include <string>

#include "tests/compression/stored.h"

namespace headrace::compression {
namespace {

Outcome ReadSnappy(const std::string& stored, size_t window = 1 << 16) {
  return ReadCompressed(Compression::kSnappy, stored, 1 << 20, window);
}

Outcome ReadZstd(const std::string& stored, size_t window = 1 << 16) {
  return ReadCompressed(Compression::kZstd, stored, 1 << 20, window);
}

TEST(SnappyTest, BlocksOfAllSizes) {
  std::mt19937 random(5);
  const std::string plain = SomeBytes(300000, &random);
  for (size_t block : {1u, 7u, 1000u, 65536u, 262144u, 300000u}) {
    const std::string part = plain.substr(0, block < 10 ? 2000 : 300000);
    for (size_t window : {100u, 1u << 20}) {
      const Outcome got = ReadSnappy(Snappy(part, block), window);
      EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
      EXPECT_TRUE(got.bytes == part);
    }
  }
}

TEST(SnappyTest, EmptyBlocks) {
  const std::string empty_string = Big(1) + std::string("\0", 1);
  const Outcome got = ReadSnappy(empty_string + Snappy("text") + empty_string);
  EXPECT_TRUE(got.failure.ok());
  EXPECT_EQ(got.bytes, "text");
  const Outcome none = ReadSnappy(Snappy("text") + Big(0) + Snappy("more"));
  EXPECT_EQ(none.bytes, "text");
  EXPECT_EQ(none.failure.message(), "a snappy block of no bytes");
}

TEST(SnappyTest, UntrustedSizes) {
  // A block of 4 GiB that is not there.
  Outcome got = ReadSnappy(Snappy("text") + "\xff\xff\xff\xff");
  EXPECT_EQ(got.bytes, "text");
  EXPECT_EQ(got.failure.message(), "unexpected end inside a snappy block");
  // A block of 6 bytes that declares 4 GiB of content.
  got = ReadSnappy(Snappy("text") + Big(6) + "\xff\xff\xff\xff\x0f" + "x");
  EXPECT_EQ(got.bytes, "text");
  EXPECT_EQ(got.failure.message(),
            "a snappy block declares more bytes than it can hold");
  // 30 bytes inflate to at most 640: a copy of 64 bytes takes 3.
  const std::string filling(28, 'x');
  got = ReadSnappy(Snappy("text") + Big(30) + "\x80\x05" + filling);
  EXPECT_EQ(got.failure.message(), "damaged snappy block");
  got = ReadSnappy(Snappy("text") + Big(30) + "\x81\x05" + filling);
  EXPECT_EQ(got.failure.message(),
            "a snappy block declares more bytes than it can hold");
  got = ReadSnappy(Snappy("text") + Big(2) + "\x80\x80");
  EXPECT_EQ(got.failure.message(), "damaged snappy block");
  EXPECT_EQ(ReadSnappy(Snappy("text") + "\1\2").failure.message(),
            "unexpected end inside the size of a snappy block");
}

TEST(SnappyTest, BestCompressionIsAllowed) {
  std::string raw;
  const std::string zeros(1 << 16, '\0');
  snappy::Compress(zeros.data(), zeros.size(), &raw);
  EXPECT_GT(zeros.size() * 3, raw.size() * 60);  // close to the bound
  EXPECT_TRUE(ReadSnappy(Snappy(zeros, zeros.size())).failure.ok());
}

// The error says what the file is instead, by all of its first bytes.
TEST(SnappyTest, TextIsNone) {
  const std::string text = "no snappy but a text of some words and then more";
  for (size_t size = 4; size < text.size(); ++size) {
    const Outcome got =
        ReadCompressed(Compression::kSnappy, text.substr(0, size), 100, 100);
    EXPECT_NE(got.failure.message().find("text"), std::string::npos)
        << size << got.failure.message();
  }
}

TEST(SnappyTest, OtherSnappies) {
  std::string raw;
  const std::string plain(100, 'x');
  snappy::Compress(plain.data(), plain.size(), &raw);
  const std::string hadoop =
      Big(100) + Big(static_cast<uint32_t>(raw.size())) + raw;
  EXPECT_EQ(ReadSnappy(hadoop).failure.message(),
            "not TensorFlow's snappy: looks like Hadoop's snappy");
  const std::string framing =
      std::string("\xff\x06\0\0sNaPpY", 10) + std::string(50, '\1');
  EXPECT_EQ(ReadSnappy(framing).failure.message(),
            "not TensorFlow's snappy: looks like the snappy framing format");
}

TEST(ZstdTest, FramesAndSkippableFrames) {
  const std::string skipped =
      std::string("\x50\x2a\x4d\x18\x05\0\0\0", 8) + "12345";
  const std::string stored = skipped + Zstd("one ") + Zstd("", 3) + skipped +
                             Zstd("two", 19, false) + skipped;
  for (size_t window : {1u, 1u << 16}) {
    const Outcome got = ReadZstd(stored, window);
    EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
    EXPECT_EQ(got.bytes, "one two");
  }
  // Sixteen magic numbers are theirs.
  std::string each = skipped;
  for (int i = 0; i < 256; ++i) {
    each[0] = static_cast<char>(i);
    const Outcome got = ReadZstd(Zstd("one") + each + Zstd("two"));
    EXPECT_EQ(got.bytes == "onetwo" && got.failure.ok(), i >> 4 == 5) << i;
  }
  EXPECT_EQ(ReadZstd(stored + skipped.substr(0, 11)).failure.message(),
            "unexpected end inside a zstd frame");
}

// Damage in a late block must not take the blocks before it away.
TEST(ZstdTest, BlocksBeforeDamageAreGiven) {
  std::mt19937 random(6);
  std::string plain;
  while (plain.size() < (1 << 20)) plain += static_cast<char>(random());
  std::string stored = Zstd(plain, 1, false);
  // The last block's header gets the reserved type; blocks that do not
  // compress are stored as they are, 128 KiB and 3 bytes each.
  const size_t at = stored.size() - (131072 + 3);
  stored[at] = static_cast<char>(stored[at] | 0x06);
  for (size_t window : {1000u, 1u << 21}) {
    const Outcome got = ReadZstd(stored, window);
    EXPECT_EQ(got.failure.code(), ErrorCode::kDecompress);
    EXPECT_EQ(got.bytes.size(), plain.size() - 131072);
  }
}

// Stored blocks, of which zstd gives what has arrived: too little for what the
// frame says, cut, and more than there is room for.
TEST(ZstdTest, DamageInStoredBlocks) {
  const std::string frame("\x28\xb5\x2f\xfd\x20\x06", 6);
  const std::string block("\x20\0\0abcd", 7);
  const std::string last("\x21\0\0efgh", 7);
  const std::pair<std::string, std::string_view> cases[] = {
      {frame + last, ""},
      {frame + block + last.substr(0, 6), "abcd"},
      {frame + block + last, "abcd"},
  };
  for (const auto& [stored, bytes] : cases) {
    const Outcome whole = ReadZstd(stored);
    EXPECT_EQ(whole.bytes, bytes);
    EXPECT_EQ(whole.failure.code(), ErrorCode::kDecompress);
    for (size_t piece = 1; piece < stored.size(); ++piece) {
      EXPECT_EQ(ReadCompressed(Compression::kZstd, stored, piece, 100), whole)
          << piece;
    }
  }
}

TEST(ZstdTest, Checksum) {
  std::string stored = Zstd("some text");
  stored.back() = static_cast<char>(stored.back() ^ 1);
  const Outcome got = ReadZstd(stored);
  EXPECT_EQ(got.bytes, "some text");
  EXPECT_EQ(got.failure.message(), "zstd frame: wrong checksum");
}

TEST(ZstdTest, WindowIsBounded) {
  // Magic, a header with nothing but a window descriptor: 2^28, then 2^41.
  for (char descriptor : {'\x90', '\xf8'}) {
    std::string stored("\x28\xb5\x2f\xfd\0", 5);
    stored += descriptor;
    stored += std::string(100, '\0');
    EXPECT_EQ(ReadZstd(stored).failure.message(),
              "a zstd frame needs a window over 128 MiB");
  }
}

TEST(ZstdTest, AfterTheLastFrame) {
  EXPECT_EQ(ReadZstd(Zstd("text") + "four").failure.message(),
            "bytes after the last zstd frame");
  EXPECT_EQ(ReadZstd("just text").failure.message(),
            "not zstd: looks like text");
}

}  // namespace
}  // namespace headrace::compression
