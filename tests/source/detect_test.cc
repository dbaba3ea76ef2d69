#include "src/source/detect.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "src/base/record_header.h"
#include "src/source/looks_like.h"
#include "tests/source/stored.h"
#include "tests/support/record_file.h"

namespace headrace::source {
namespace {

Compression Detect(const std::string& stored) {
  return *DetectCompression(
      Bytes(stored).first(std::min(stored.size(), kDetectBytes)));
}

std::string_view Looks(std::string_view bytes) {
  return LooksLike(reinterpret_cast<const uint8_t*>(bytes.data()),
                   bytes.size());
}

TEST(RecordHeaderTest, ChecksumAndMask) {
  const std::string digits = "123456789";
  EXPECT_EQ(ScalarCrc32c(Bytes(digits).data(), digits.size()), 0xe3069283u);
  EXPECT_EQ(MaskCrc32c(ScalarCrc32c(nullptr, 0)), 0xA282EAD8u);
  const std::string zeros(8, '\0');
  EXPECT_EQ(MaskCrc32c(ScalarCrc32c(Bytes(zeros).data(), 8)), 0x07980329u);
  for (uint64_t length : {uint64_t{0}, uint64_t{5}, ~uint64_t{0}}) {
    std::string header = testing::RecordHeader(length);
    EXPECT_TRUE(IsRecordHeader(Bytes(header).data()));
    for (size_t bit = 0; bit < 96; ++bit) {
      header[bit / 8] = static_cast<char>(header[bit / 8] ^ 1 << bit % 8);
      EXPECT_FALSE(IsRecordHeader(Bytes(header).data()));
      header[bit / 8] = static_cast<char>(header[bit / 8] ^ 1 << bit % 8);
    }
  }
}

TEST(DetectTest, EveryCompression) {
  const std::string plain = SomeRecords(50);
  for (Compression compression :
       {Compression::kNone, Compression::kGzip, Compression::kZlib,
        Compression::kSnappy, Compression::kZstd}) {
    const std::string stored = Compress(compression, plain);
    EXPECT_EQ(Detect(stored), compression);
    SourceOptions options;
    const Outcome got = ReadMemory(stored, options);
    EXPECT_EQ(got.compression, compression);
    EXPECT_TRUE(got.bytes == plain);
  }
}

TEST(DetectTest, EveryLevelAndBlock) {
  for (int seed = 0; seed < 50; ++seed) {
    const std::string plain =
        SomeRecords(1 + seed, static_cast<unsigned>(seed));
    for (int level : {0, 1, 6, 9}) {
      EXPECT_EQ(Detect(Zlib(plain, level)), Compression::kZlib);
    }
    for (size_t block : {1u, 11u, 12u, 13u, 100u, 262144u}) {
      EXPECT_EQ(Detect(Snappy(plain, block)), Compression::kSnappy);
    }
  }
}

// A right record header wins over every magic.
TEST(DetectTest, RecordHeaderWins) {
  for (uint64_t length : {0x178u, 0x8b1fu, 0x088b1fu, 0xfd2fb528u, 0x9c78u}) {
    const std::string header = testing::RecordHeader(length);
    EXPECT_EQ(Detect(header + std::string(100, 'x')), Compression::kNone);
  }
}

TEST(DetectTest, MagicDecidesGzipWhateverFollows) {
  EXPECT_EQ(Detect("\x1f\x8b\x08 broken from here on"), Compression::kGzip);
  EXPECT_EQ(Detect("\x1f\x8b\x07 not deflate"), Compression::kNone);
  EXPECT_EQ(Detect("\x1f\x8b"), Compression::kNone);
}

TEST(DetectTest, NothingFits) {
  EXPECT_EQ(Detect(""), Compression::kNone);
  EXPECT_EQ(Detect("This is not a TFRecord file"), Compression::kNone);
  EXPECT_EQ(Detect(std::string(5000, '\0')), Compression::kNone);
  // zlib's header in plain text, and in the length of a record whose header is
  // damaged; snappy's empty block in another.
  EXPECT_EQ(Detect("x^2 + y^2 = z^2, as everybody knows"), Compression::kNone);
  for (const uint64_t length :
       {0x178u, 0x5e78u, 0x9c78u, 0xda78u, 0x1000000u, 0x10178u, 0xff9c78u}) {
    for (const int damaged : {8, 11}) {
      std::string stored =
          testing::RecordHeader(length) + SomeRecords(30, unsigned{5});
      stored[static_cast<size_t>(damaged)] ^= 1;
      EXPECT_EQ(Detect(stored), Compression::kNone) << length;
    }
  }
}

// What is stored need not be records: the container is whole.
TEST(DetectTest, WholeContainersOfAnything) {
  std::mt19937 random(14);
  for (const std::string& plain :
       {std::string("This is not a TFRecord file"), std::string("x"),
        std::string(5000, '\0'), SomeBytes(50000, &random)}) {
    for (const int level : {0, 1, 6, 9}) {
      EXPECT_EQ(Detect(Zlib(plain, level)), Compression::kZlib);
    }
    for (const size_t block : {1u, 100u, 262144u}) {
      EXPECT_EQ(Detect(Snappy(plain, block)), Compression::kSnappy);
    }
  }
  // Without content snappy has no blocks.
  EXPECT_EQ(Detect(Zlib("")), Compression::kZlib);
  EXPECT_EQ(Detect(Zstd("")), Compression::kZstd);
  EXPECT_EQ(Detect(Gzip("")), Compression::kGzip);
}

TEST(DetectTest, SmallWindowsOfZlib) {
  const std::string plain = SomeRecords(50);
  for (int window = 9; window <= 15; ++window) {
    EXPECT_EQ(Detect(Deflate(plain, window)), Compression::kZlib);
    std::string damaged = plain;
    damaged[3] ^= 1;
    EXPECT_EQ(Detect(Deflate(damaged, window)), Compression::kZlib);
  }
}

// pzstd begins with one, and so may anything else.
TEST(DetectTest, SkippableFramesOfZstd) {
  for (char kind = '\x50'; kind < '\x60'; ++kind) {
    const std::string stored = std::string(1, kind) +
                               std::string("\x2a\x4d\x18\4\0\0\0", 7) + "skip" +
                               Zstd(SomeRecords(3));
    EXPECT_EQ(Detect(stored), Compression::kZstd);
  }
}

// A wrong guess would make an error of what a rescan could read.
TEST(DetectTest, RandomBytesAreNothing) {
  std::mt19937 random(15);
  int guessed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes;
    for (size_t size = random() % 60; size > 0; --size) {
      bytes += static_cast<char>(random());
    }
    // The beginning of a record whose length is small.
    if (i % 2 == 0 && bytes.size() > 8) bytes.replace(2, 6, 6, '\0');
    guessed += Detect(bytes) != Compression::kNone ? 1 : 0;
  }
  EXPECT_LE(guessed, 10);
}

TEST(DetectTest, EveryBeginning) {
  // Shorter heads never crash, and give nothing or the right answer.
  const std::string plain = SomeRecords(10);
  for (Compression compression : {Compression::kGzip, Compression::kZlib,
                                  Compression::kSnappy, Compression::kZstd}) {
    const std::string stored = Compress(compression, plain);
    for (size_t size = 0; size < std::min<size_t>(stored.size(), 400); ++size) {
      const Compression found = Detect(stored.substr(0, size));
      EXPECT_TRUE(found == Compression::kNone || found == compression) << size;
    }
  }
}

TEST(LooksLikeTest, Names) {
  using namespace std::string_view_literals;
  EXPECT_EQ(Looks("PAR1\x15\x04"sv), "a Parquet file");
  EXPECT_EQ(Looks("ARROW1\0\0\xff"sv), "an Arrow file");
  EXPECT_EQ(Looks("\xff\xff\xff\xff\x78\x01\0\0\x10"sv), "an Arrow stream");
  EXPECT_EQ(Looks("PK\x03\x04\x14"sv), "a zip file");
  EXPECT_EQ(Looks("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f\0\0"sv), "a Riegeli file");
  EXPECT_EQ(Looks("<!DOCTYPE HTML><p>"sv), "HTML");
  EXPECT_EQ(Looks("  \n<html lang=en>"sv), "HTML");
  EXPECT_EQ(Looks("<?xml version='1.0'?>"sv), "XML");
  EXPECT_EQ(Looks("{\"a\": 1}"sv), "JSON");
  EXPECT_EQ(Looks("a,b,c\n1,2,3\n"sv), "CSV");
  EXPECT_EQ(Looks("a\tb\tc\n"sv), "TSV");
  EXPECT_EQ(Looks("some words"sv), "text");
  EXPECT_EQ(Looks("\xff\xfes\0o\0"sv), "UTF-16 text");
  EXPECT_EQ(Looks("schöne Grüße aus Köln"sv), "text");
  EXPECT_EQ(Looks("die Datei ist hier ge\xc3"sv), "text");
  EXPECT_EQ(Looks("eighty and one: \xe2\x82"sv), "text");
  // Bytes of which no text is made.
  EXPECT_EQ(Looks("\x80\xff\x81\xc0\xfe\xf8\xa0\xb0\xf5\xf6\xf7\xf8\xf9\xfa"
                  "\xfb\xfc\xfd\xfe"sv),
            "");
  EXPECT_EQ(Looks("latin one: sch\xf6ne Gr\xfc\xdf"
                  "e aus K\xf6ln"sv),
            "");
  EXPECT_EQ(Looks("\xff\x06\0\0sNaPpY"sv), "the snappy framing format");
  EXPECT_EQ(Looks("BZh91AY"sv), "a bzip2 file");
  EXPECT_EQ(Looks("\xfd"
                  "7zXZ\0\0"sv),
            "an xz file");
  EXPECT_EQ(Looks("\x04\x22\x4d\x18\x64"sv), "an lz4 file");
  EXPECT_EQ(Looks("\x89PNG\r\n\x1a\n"sv), "a PNG image");
  EXPECT_EQ(Looks("\xff\xd8\xff\xe0"sv), "a JPEG image");
  EXPECT_EQ(Looks("\x7f"
                  "ELF\2"sv),
            "an ELF program");
  EXPECT_EQ(Looks("\x0a\x23\xd7\xce"sv), "an MXNet RecordIO file");
  EXPECT_EQ(Looks("version https://git-lfs.github.com/spec/v1\n"sv),
            "a Git LFS pointer: the file itself was not fetched");
  EXPECT_EQ(Looks("\0\0\0\0\0\0\0\0\0\0\0\0"sv),
            "zeros: a hole, or a file that was never written");
  EXPECT_EQ(Looks("\1\2\3"sv), "");
  EXPECT_EQ(Looks(""sv), "");
  EXPECT_EQ(Looks(Zlib("x")), "a zlib stream");
}

TEST(LooksLikeTest, EveryBeginningOfRandomBytes) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (size_t size = random() % 80; size > 0; --size) {
      bytes += static_cast<char>(random());
    }
    Looks(bytes);
  }
}

}  // namespace
}  // namespace headrace::source
