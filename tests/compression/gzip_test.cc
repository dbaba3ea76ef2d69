// gzip members and zlib's wrapper.

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "src/input/compression/decompressor.h"
#include "src/input/source/streams.h"
#include "tests/compression/stored.h"

namespace headrace::compression {
namespace {

constexpr char kExtra = 0x04;
constexpr char kName = 0x08;
constexpr char kComment = 0x10;
constexpr char kHeaderCrc = 0x02;

// A member with these header flags; extra fields of 300 bytes.
std::string Member(const std::string& plain, char flags,
                   const std::string& name = "a name") {
  std::string header("\x1f\x8b\x08\0\1\2\3\4\0\xff", 10);
  header[3] = flags;
  if ((flags & kExtra) != 0) {
    header += std::string("\x2c\x01", 2) + std::string(300, 'e');
  }
  if ((flags & kName) != 0) header += name + '\0';
  if ((flags & kComment) != 0) header += std::string("\0", 1);
  if ((flags & kHeaderCrc) != 0) {
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(header.data()),
                           static_cast<uInt>(header.size()));
    header += static_cast<char>(crc & 0xff);
    header += static_cast<char>(crc >> 8 & 0xff);
  }
  return header + Gzip(plain).substr(10);
}

Outcome ReadGzip(const std::string& stored, size_t piece = 1 << 20) {
  return ReadCompressed(Compression::kGzip, stored, piece, 1 << 16);
}

Outcome ReadZlib(const std::string& stored, size_t piece = 1 << 20) {
  return ReadCompressed(Compression::kZlib, stored, piece, 1 << 16);
}

TEST(GzipTest, AllHeaderFields) {
  for (int flags = 0; flags < 0x20; ++flags) {
    const std::string stored = Member("first", static_cast<char>(flags)) +
                               Member("second", static_cast<char>(flags));
    for (size_t piece : {1u, 1u << 20}) {
      const Outcome got = ReadGzip(stored, piece);
      EXPECT_TRUE(got.failure.ok()) << flags << got.failure.ToString();
      EXPECT_EQ(got.bytes, "firstsecond");
    }
  }
}

TEST(GzipTest, ReservedFlags) {
  for (int flags : {0x20, 0x40, 0x80, 0xe0}) {
    const Outcome got = ReadGzip(Member("text", static_cast<char>(flags)));
    EXPECT_EQ(got.failure.message(), "gzip header: reserved flags are set");
  }
}

TEST(GzipTest, HeaderCrc) {
  std::string stored = Member("text", kHeaderCrc | kName);
  for (size_t at : {4u, 8u, 10u, 14u, 17u, 18u}) {
    std::string damaged = stored;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const Outcome got = ReadGzip(damaged);
    EXPECT_EQ(got.failure.code(), ErrorCode::kDecompress) << at;
    EXPECT_TRUE(got.failure.message().starts_with("gzip header CRC: stored "))
        << got.failure.message();
  }
}

TEST(GzipTest, EveryCutOfAHeader) {
  for (int flags = 0; flags < 0x20; ++flags) {
    const std::string stored = Member("text", static_cast<char>(flags));
    const size_t header = stored.size() - (Gzip("text").size() - 10);
    for (size_t size = 1; size < header; ++size) {
      const Outcome got = ReadGzip(stored.substr(0, size));
      ASSERT_EQ(got.bytes, "");
      ASSERT_EQ(got.failure.message(), "unexpected end inside a gzip header")
          << flags << ", " << size;
    }
  }
}

// Gives few bytes a read, and can seek all the same.
class SlowFile : public MemoryStream {
 public:
  SlowFile(std::span<const uint8_t> bytes, size_t piece)
      : MemoryStream(bytes), piece_(piece) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    return MemoryStream::Read(out.first(std::min(out.size(), piece_)));
  }

 private:
  const size_t piece_;
};

// An inflater without room holds bytes that follow its stream, from more than
// one read.
TEST(GzipTest, BytesGivenBackOfManyReads) {
  std::mt19937 random(18);
  const std::string plain = SomeBytes(300, &random);
  const std::string stored = Gzip(plain) + Gzip("more") + Gzip(plain);
  for (size_t piece = 1; piece < 20; ++piece) {
    for (const size_t room : {1u, 2u, 3u, 10u, 300u, 1000u}) {
      auto stream = Decompress(Compression::kGzip,
                               std::make_unique<SlowFile>(Bytes(stored), piece),
                               stored.size());
      ASSERT_TRUE(stream.ok());
      const Outcome got = ReadAll(stream->get(), room);
      EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
      EXPECT_TRUE(got.bytes == plain + "more" + plain) << piece << " " << room;
    }
  }
}

// What `stored` gives when each piece is `growth` times as long as the last.
std::string ReadInGrowingPieces(const std::string& stored, size_t piece,
                                size_t growth) {
  auto stream = Decompress(Compression::kGzip,
                           std::make_unique<MemoryStream>(Bytes(stored)), 0);
  std::string bytes;
  for (;; piece = std::min<size_t>(piece * growth, 100'000)) {
    std::string out(piece, '\0');
    const auto got = (*stream)->Read(
        std::span(reinterpret_cast<uint8_t*>(out.data()), piece));
    if (!got.ok() || *got == 0) return bytes;
    bytes.append(out, 0, *got);
  }
}

// zlib, which takes over where there is damage, gives no byte twice and none
// too few, however much was given before and of which member.
TEST(GzipTest, DamageAfterPiecesOfAllSizes) {
  std::mt19937 random(17);
  const std::string first = Gzip(SomeBytes(3000, &random));
  const std::string second = Gzip(SomeBytes(20'000, &random));
  for (size_t size = 100; size < second.size(); size += 1500) {
    const std::string stored = first + second.substr(0, size);
    const std::string expected =
        ReadCompressed(Compression::kGzip, stored, 1 << 20, 1 << 15,
                       InflateLibrary::kZlib)
            .bytes;
    for (const size_t piece : {1u, 100u, 999u, 5000u}) {
      for (const size_t growth : {1u, 2u, 7u}) {
        EXPECT_TRUE(ReadInGrowingPieces(stored, piece, growth) == expected)
            << size << ": " << piece << " " << growth;
      }
    }
  }
}

TEST(GzipTest, LongHeader) {
  const std::string name(300'000, 'n');
  const std::string stored =
      Member("text", kExtra | kName | kComment | kHeaderCrc, name);
  for (size_t piece : {1u, 100u, 1u << 20}) {
    const Outcome got = ReadGzip(stored, piece);
    EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
    EXPECT_EQ(got.bytes, "text");
    EXPECT_EQ(ReadGzip(stored.substr(0, 200'000), piece).failure.message(),
              "unexpected end inside a gzip header");
  }
}

TEST(GzipTest, Method) {
  std::string stored = Gzip("text");
  stored[2] = 7;
  EXPECT_EQ(ReadGzip(stored).failure.message(),
            "gzip header: unknown method 7");
}

TEST(GzipTest, TenThousandMembersSomeEmpty) {
  const std::string full = Gzip("member ");
  const std::string empty = Gzip("");
  std::string stored;
  std::string plain;
  for (int i = 0; i < 10000; ++i) {
    stored += i % 3 == 0 ? empty : full;
    if (i % 3 != 0) plain += "member ";
  }
  for (size_t piece : {1u, 100u, 1u << 20}) {
    const Outcome got = ReadGzip(stored, piece);
    EXPECT_TRUE(got.failure.ok()) << got.failure.ToString();
    EXPECT_TRUE(got.bytes == plain);
  }
}

TEST(GzipTest, Trailer) {
  const std::string stored = Gzip("some text");
  const std::string second = stored + Gzip("more");
  std::string crc = stored;
  crc[crc.size() - 8] = static_cast<char>(crc[crc.size() - 8] ^ 1);
  Outcome got = ReadGzip(crc);
  EXPECT_EQ(got.bytes, "some text");
  EXPECT_TRUE(got.failure.message().starts_with("gzip trailer: CRC: stored "));
  std::string size = stored;
  size[size.size() - 4] = 10;
  got = ReadGzip(size + Gzip("more"));
  EXPECT_EQ(got.bytes, "some text");
  EXPECT_EQ(got.failure.message(),
            "gzip trailer: size modulo 2^32: stored 10, computed 9");
  got = ReadGzip(stored.substr(0, stored.size() - 1));
  EXPECT_EQ(got.bytes, "some text");
  EXPECT_EQ(got.failure.message(), "unexpected end inside a gzip trailer");
}

TEST(GzipTest, AfterTheLastMember) {
  const std::string stored = Gzip("text");
  for (const std::string& after :
       {std::string("\0", 1), std::string(1000, '\0'), std::string("\x1f\x8c"),
        std::string("x")}) {
    const Outcome got = ReadGzip(stored + after);
    EXPECT_EQ(got.bytes, "text");
    EXPECT_EQ(got.failure.message(), "bytes after the last gzip member");
  }
  for (const std::string& after : {std::string("\x1f"), std::string("\x1f\x8b"),
                                   std::string("\x1f\x8b\x08\0\0", 5)}) {
    EXPECT_EQ(ReadGzip(stored + after).failure.message(),
              "unexpected end inside a gzip header");
  }
}

TEST(GzipTest, SaysWhatItIsInstead) {
  EXPECT_EQ(ReadGzip("just some text, nothing else").failure.message(),
            "not gzip: looks like text");
  EXPECT_EQ(ReadGzip(SomeRecords(3)).failure.message(),
            "not gzip: looks like uncompressed TFRecord");
  EXPECT_EQ(ReadGzip("\1\2").failure.message(),
            "not gzip: does not begin with 1f 8b");
  EXPECT_EQ(ReadZlib(Gzip("text")).failure.message(),
            "not zlib: looks like a gzip file");
}

TEST(ZlibTest, Header) {
  EXPECT_EQ(ReadZlib("x").failure.message(),
            "unexpected end inside the zlib header");
  // FDICT: a right header that needs what is not there.
  EXPECT_EQ(ReadZlib("\x78\xbb").failure.message(),
            "zlib header: needs a preset dictionary");
  EXPECT_EQ(ReadZlib("\x79\x9c").failure.message(),
            "not zlib: no valid header");
  // A window of 64 KiB does not exist.
  EXPECT_EQ(ReadZlib("\x88\x1c").failure.message(),
            "not zlib: no valid header");
}

TEST(ZlibTest, Trailer) {
  const std::string stored = Zlib("some text");
  std::string sum = stored;
  sum.back() = static_cast<char>(sum.back() ^ 1);
  Outcome got = ReadZlib(sum);
  EXPECT_EQ(got.bytes, "some text");
  EXPECT_TRUE(got.failure.message().starts_with("zlib trailer: Adler-32: "));
  got = ReadZlib(stored.substr(0, stored.size() - 3));
  EXPECT_EQ(got.bytes, "some text");
  EXPECT_EQ(got.failure.message(), "unexpected end inside the zlib trailer");
}

TEST(ZlibTest, OneStreamOnly) {
  const Outcome got = ReadZlib(Zlib("one") + Zlib("two"), 1);
  EXPECT_EQ(got.bytes, "one");
  EXPECT_EQ(got.failure.message(), "bytes after the zlib stream");
}

}  // namespace
}  // namespace headrace::compression
