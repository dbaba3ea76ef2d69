#include "src/input/compression/detect.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>
#include <string_view>

#include "src/base/record_header.h"
#include "src/input/compression/streams.h"
#include "tests/compression/stored.h"
#include "tests/support/compressions.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/hex.h"
#include "tests/support/record_file.h"
#include "tests/support/wire_writer.h"

namespace headrace::compression {
namespace {

using testing::Hex;
using testing::Varint;

// Reading behind the bytes faults.
Compression Detect(const std::string& stored) {
  static auto& guarded = *new testing::GuardedBytes(kDetectBytes);
  const std::string_view head =
      guarded.PlaceAtEnd(std::string_view(stored).substr(0, kDetectBytes));
  return *DetectCompression(
      {reinterpret_cast<const uint8_t*>(head.data()), head.size()});
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
  for (Compression compression : testing::kCompressions) {
    const std::string stored = Compress(compression, plain);
    EXPECT_EQ(Detect(stored), compression);
    const Outcome got = ReadMemory(stored, {});
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
    EXPECT_EQ(Detect(header), Compression::kNone);
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

// Of a window that no writer uses, the content decides.
TEST(DetectTest, SmallWindowsOfZlibInPart) {
  const std::string records = Deflate(SomeRecords(20), 10);
  EXPECT_EQ(Detect(records.substr(0, records.size() - 5)), Compression::kZlib);
  const std::string header = Deflate(testing::RecordHeader(7), 10);
  EXPECT_EQ(Detect(header.substr(0, header.size() - 4)), Compression::kZlib);
  std::string text = Deflate("some text", 10);
  EXPECT_EQ(Detect(text), Compression::kZlib);
  EXPECT_EQ(Detect(text.substr(0, text.size() - 1)), Compression::kNone);
  text.back() ^= 1;
  EXPECT_EQ(Detect(text), Compression::kNone);
  // A record header that is not the first thing says nothing, though all the
  // room for what is inflated lies before it.
  const std::string late =
      Deflate(std::string(kDetectBytes, 'x') + SomeRecords(20), 10);
  EXPECT_EQ(Detect(late), Compression::kZlib);
  EXPECT_EQ(Detect(late.substr(0, late.size() - 5)), Compression::kNone);

  std::mt19937 random(16);
  const std::string going = Deflate(SomeBytes(50000, &random), 10);
  EXPECT_EQ(Detect(going), Compression::kZlib);
  EXPECT_EQ(Detect(going.substr(0, kDetectBytes - 1)), Compression::kNone);
  const std::string damaged = Hex("68 81 07");
  EXPECT_EQ(Detect(damaged + std::string(kDetectBytes, '\1')),
            Compression::kNone);
}

// What the call before has inflated is not looked at again.
TEST(DetectTest, NothingIsLeftOfEarlierCalls) {
  const std::string good = Deflate(SomeRecords(3), 10);
  const std::string bad = Hex("68 81 07");
  const auto first = DetectCompression(Bytes(good));
  const auto second = DetectCompression(Bytes(bad));
  EXPECT_EQ(*first, Compression::kZlib);
  EXPECT_EQ(*second, Compression::kNone);
}

// Four headers are believed where the deflate data is damaged: here it is of no
// type of block.
TEST(DetectTest, UsualHeadersBeforeDamage) {
  const std::string usual = Hex("78 9c 07 00 01 01 01 01 01");
  for (size_t size = 0; size <= usual.size(); ++size) {
    EXPECT_EQ(*DetectCompression(Bytes(usual).first(size)),
              size < 8 ? Compression::kNone : Compression::kZlib)
        << size;
  }
  for (size_t at = 3; at < 12; ++at) {
    std::string stored = Hex("78 9c 07") + std::string(9, '\0');
    stored[at] = 1;
    EXPECT_EQ(Detect(stored),
              at >= 4 && at < 8 ? Compression::kZlib : Compression::kNone)
        << at;
  }
  EXPECT_EQ(Detect(Hex("68 81 07 00 01 01 01 01 01")), Compression::kNone);
  // Text is told by twelve bytes.
  const std::string text = "x^2 + y^2 = z^2";
  EXPECT_EQ(*DetectCompression(Bytes(text).first(11)), Compression::kZlib);
  EXPECT_EQ(*DetectCompression(Bytes(text).first(12)), Compression::kNone);
}

// A stored block of deflate whose lengths are a snappy block's length and the
// tag of a literal, which is a record header.
TEST(DetectTest, ZlibAndSnappyAtOnce) {
  const std::string header = testing::RecordHeader(0xfe);
  const std::string data = header.substr(1) + std::string(456, 'x');
  const auto adler = adler32(1, Bytes(data).data(), 0x1d3);
  std::string stored =
      Hex("78 01 01 d3 01 2c fe") + data + Big(static_cast<uint32_t>(adler));
  EXPECT_EQ(Detect(stored), Compression::kZlib);
  stored.back() ^= 1;
  EXPECT_EQ(Detect(stored), Compression::kSnappy);
}

// ----------------------------------------------------- The first snappy block

// Of a size that only a record header makes believable. `block` begins with its
// length.
bool HoldsHeader(const std::string& block) {
  return Detect(Big(uint32_t{1} << 24) + block) == Compression::kSnappy;
}

TEST(SnappyBlock, LengthsOfAllForms) {
  const std::string literal = "\x2c" + testing::RecordHeader(7);
  for (const char* length :
       {"00", "40", "c000", "c08000", "c0808000", "c080808000", "ffffffff7f"}) {
    EXPECT_TRUE(HoldsHeader(Hex(length) + literal)) << length;
  }
  for (const char* length : {"c0c0c0c0c0", "c0c0c0c0c000"}) {
    EXPECT_FALSE(HoldsHeader(Hex(length) + literal)) << length;
  }
}

TEST(SnappyBlock, LiteralsOfAllForms) {
  const std::string header = testing::RecordHeader(0x0807060504030201);
  const std::string length = Varint(64);
  for (const char* tag : {"2c", "f00b", "f40b00", "f80b0000", "fc0b000000",
                          "fcffffffff", "fc00000020", "30", "ec"}) {
    const std::string whole = length + Hex(tag) + header;
    EXPECT_TRUE(HoldsHeader(whole)) << tag;
    EXPECT_TRUE(HoldsHeader(whole + "more")) << tag;
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(HoldsHeader(whole.substr(0, size))) << tag << " " << size;
    }
  }
  EXPECT_FALSE(HoldsHeader(length + "\x28" + header));
  // What is cut ends it, though what is left of it could be a literal.
  for (const char* cut : {"f8", "1b"}) {
    EXPECT_FALSE(HoldsHeader(length + "\x28" + header.substr(0, 11) + Hex(cut) +
                             Hex("00") + header.substr(11)));
  }
  // In two.
  EXPECT_TRUE(HoldsHeader(length + "\x10" + header.substr(0, 5) + "\x18" +
                          header.substr(5)));
  // What is behind the block is not part of it.
  const std::string wrong = Varint(1000) + "\x2c" + header;
  EXPECT_EQ(Detect(Big(15) + wrong), Compression::kSnappy);
  EXPECT_EQ(Detect(Big(14) + wrong), Compression::kNone);
}

TEST(SnappyBlock, CopiesOfAllForms) {
  const std::string ones = testing::RecordHeader(0x0101010101010101);
  const std::string crc = "\x0c" + ones.substr(8);
  const auto holds = [&](const std::string& literal, const char* copy) {
    return HoldsHeader(Varint(64) + Hex(literal) + Hex(copy) + crc);
  };
  // Of 7 bytes from one before, with distances of 11, 16 and 32 bits.
  for (const char* copy : {"0d01", "1a0100", "1b01000000"}) {
    EXPECT_TRUE(holds("0001", copy)) << copy;
  }
  // One byte is there, and distances have all their bits.
  for (const char* copy : {"0d00", "1a0000", "1b00000000", "0d02", "1a0200",
                           "1b02000000", "2d01", "8d01", "1a0101", "1b01010000",
                           "1b01000001", "0d", "1a01", "1b010000"}) {
    EXPECT_FALSE(holds("0001", copy)) << copy;
  }
  // The checksum of this length begins with the same byte.
  const std::string nine = testing::RecordHeader(0x7272727272727272);
  EXPECT_TRUE(HoldsHeader(Varint(64) + Hex("00 72 11 01 08") + nine.substr(9)));
  // Of nothing, though nothing is what there is.
  const std::string zeros = testing::RecordHeader(0);
  EXPECT_TRUE(
      HoldsHeader(Varint(64) + Hex("00 00 0d 01 0c") + zeros.substr(8)));
  EXPECT_FALSE(
      HoldsHeader(Varint(64) + Hex("00 00 0d 00 0c") + zeros.substr(8)));
  EXPECT_FALSE(HoldsHeader(Varint(64) + Hex("0d 05 2c") + zeros));
  EXPECT_TRUE(holds("040101", "0902"));
  EXPECT_TRUE(holds("08010101", "0503"));
  EXPECT_TRUE(holds("0c01010101", "0104"));
  EXPECT_FALSE(holds("0c01010101", "0105"));
  EXPECT_FALSE(holds("0c01010101", "0501"));
  // All bytes of a distance, not only the nearest.
  const std::string pairs = testing::RecordHeader(0x0201020102010201);
  EXPECT_TRUE(
      HoldsHeader(Varint(64) + Hex("04 01 02 09 02 0c") + pairs.substr(8)));
  EXPECT_FALSE(
      HoldsHeader(Varint(64) + Hex("04 01 02 09 01 0c") + pairs.substr(8)));
}

// What does not hold a record header has to have lengths that fit each other: 3
// bytes make at most 64, and none grow by more than 32 and a sixth.
TEST(SnappyBlock, LengthsThatFitEachOther) {
  constexpr uint32_t kMiB = uint32_t{1} << 20;
  const struct {
    uint32_t size;
    uint32_t length;
    bool fit;
  } cases[] = {
      {1, 0, false},           {20, 0, false},         {0, 1, false},
      {3, 64, true},           {3, 65, false},         {33, 1, true},
      {34, 1, false},          {43, 10, true},         {44, 10, false},
      {39, 6, true},           {40, 6, false},         {kMiB, kMiB, true},
      {kMiB + 1, kMiB, false}, {kMiB, 22369621, true}, {kMiB, 22369622, false},
  };
  for (const auto& [size, length, fit] : cases) {
    const std::string stored =
        Big(size) + Varint(length) + std::string(100, '\xff');
    EXPECT_EQ(Detect(stored), fit ? Compression::kSnappy : Compression::kNone)
        << size << " bytes of " << length;
  }
  EXPECT_EQ(Detect(Big(1) + "\x15"), Compression::kSnappy);
  EXPECT_EQ(Detect(Big(1) + "\x16"), Compression::kNone);
  EXPECT_EQ(Detect(Big(5) + "\x81\x80"), Compression::kNone);
}

// pzstd begins with one, and so may anything else.
TEST(DetectTest, SkippableFramesOfZstd) {
  for (char kind = '\x50'; kind < '\x60'; ++kind) {
    const std::string stored = std::string(1, kind) +
                               std::string("\x2a\x4d\x18\4\0\0\0", 7) + "skip" +
                               Zstd(SomeRecords(3));
    EXPECT_EQ(Detect(stored), Compression::kZstd);
    EXPECT_EQ(Detect(stored.substr(0, 4)), Compression::kZstd);
    EXPECT_EQ(Detect(stored.substr(0, 3)), Compression::kNone);
  }
  EXPECT_EQ(Detect(Hex("60 2a 4d 18")), Compression::kNone);
  EXPECT_EQ(Detect(Hex("28 b5 2f fd")), Compression::kZstd);
  EXPECT_EQ(Detect(Hex("28 b5 2f")), Compression::kNone);
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
  EXPECT_EQ(Looks("\xff\xff\xff\xff\x78\x01\1\0\x10"sv), "");
  EXPECT_EQ(Looks("\xff\xff\xff\xff\x78\x01\0\1\x10"sv), "");
  EXPECT_EQ(Looks("PK\x03\x04\x14"sv), "a zip file");
  EXPECT_EQ(Looks("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f\0\0"sv), "a Riegeli file");
  EXPECT_EQ(Looks("<!DOCTYPE HTML><p>"sv), "HTML");
  EXPECT_EQ(Looks("  \n<html lang=en>"sv), "HTML");
  EXPECT_EQ(Looks("<?xml version='1.0'?>"sv), "XML");
  EXPECT_EQ(Looks("{\"a\": 1}"sv), "JSON");
  EXPECT_EQ(Looks("a,b,c\n1,2,3\n"sv), "CSV");
  EXPECT_EQ(Looks("a\tb\tc\n"sv), "TSV");
  EXPECT_EQ(Looks("some words"sv), "text");
  EXPECT_EQ(Looks("some"sv), "text");
  EXPECT_EQ(Looks("som"sv), "");
  EXPECT_EQ(Looks("\xff\xfes\0o\0"sv), "UTF-16 text");
  EXPECT_EQ(Looks("schöne Grüße aus Köln"sv), "text");
  EXPECT_EQ(Looks("die Datei ist hier ge\xc3"sv), "text");
  EXPECT_EQ(Looks("eighty and one: \xe2\x82"sv), "text");
  EXPECT_EQ(Looks("three of four: \xf0\x9f\x98"sv), "text");
  EXPECT_EQ(Looks(" \n\t\r\n"sv), "text");
  EXPECT_EQ(Looks("a text with a bell \7 in it"sv), "");
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
  EXPECT_EQ(Looks("\0\0\0\0\0\0\0\0"sv),
            "zeros: a hole, or a file that was never written");
  EXPECT_EQ(Looks("\0\0\0\0\0\0\0"sv), "");
  EXPECT_EQ(Looks("\1\2\3"sv), "");
  EXPECT_EQ(Looks(""sv), "");
  EXPECT_EQ(Looks(Zlib("x")), "a zlib stream");
}

// Two lengths that fit each other, and the first once more as a varint.
// RFC 1950, section 2.2.
TEST(ZlibHeader, AllOfThem) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const bool is_header = first % 16 == 8 && first / 16 <= 7 &&
                             (first * 256 + second) % 31 == 0 &&
                             second / 32 % 2 == 0;
      EXPECT_EQ(IsZlibHeader(static_cast<uint8_t>(first),
                             static_cast<uint8_t>(second)),
                is_header)
          << first << " " << second;
    }
  }
}

TEST(LooksLikeTest, HadoopsSnappy) {
  const auto looks = [](uint32_t inflated, uint32_t compressed,
                        std::string_view varint) {
    return Looks(Big(inflated) + Big(compressed) + Hex(varint) +
                 std::string(4, '\xff'));
  };
  constexpr std::string_view kName = "Hadoop's snappy";
  EXPECT_EQ(looks(100, 50, "64"), kName);
  EXPECT_EQ(looks(300, 50, "ac02"), kName);
  EXPECT_EQ(looks(0x4321, 50, "a18601"), kName);
  EXPECT_EQ(looks(0x0fffffff, 50, "ffffff7f"), kName);
  EXPECT_EQ(looks(300, 50, "ac03"), "");
  EXPECT_EQ(looks(300, 50, "ad02"), "");
  EXPECT_EQ(looks(0, 1, "00"), "");
  EXPECT_EQ(looks(100, 0, "64"), "");
  EXPECT_EQ(looks(100, 148, "64"), kName);
  EXPECT_EQ(looks(100, 149, "64"), "");
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
}  // namespace headrace::compression
