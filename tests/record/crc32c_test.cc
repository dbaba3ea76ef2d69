#include "src/input/crc32c/crc32c.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c_math.h"
#include "tests/support/each_target.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/hex.h"
#include "tests/support/record_file.h"

namespace headrace::record {
namespace {

using headrace::testing::ForEachTarget;
using headrace::testing::GuardedBytes;
using headrace::testing::Hex;

uint32_t Of(std::string_view bytes) {
  return Crc32c(bytes.data(), bytes.size());
}

// Bytes without a pattern, the same in each run.
std::string Noise(size_t size, uint64_t seed = 1) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(seed >> 56);
  }
  return bytes;
}

// RFC 3720, B.4, and the polynomial's check value.
TEST(Crc32c, PublishedVectors) {
  std::string up, down;
  for (int i = 0; i < 32; ++i) {
    up.push_back(static_cast<char>(i));
    down.push_back(static_cast<char>(31 - i));
  }
  const std::string read_pdu = Hex(
      "01c00000 00000000 00000000 00000000 14000000 00000400 00000014 00000018"
      "28000000 00000000 02000000 00000000");
  ForEachTarget([&] {
    EXPECT_EQ(Of(std::string(32, '\0')), 0x8a9136aau);
    EXPECT_EQ(Of(std::string(32, '\xff')), 0x62a8ab43u);
    EXPECT_EQ(Of(up), 0x46dd794eu);
    EXPECT_EQ(Of(down), 0x113fdb5cu);
    EXPECT_EQ(Of(read_pdu), 0xd9963a56u);
    EXPECT_EQ(Of("123456789"), 0xe3069283u);
    EXPECT_EQ(Of(""), 0u);
  });
}

TEST(Crc32c, MaskOfTheFormat) {
  EXPECT_EQ(MaskCrc32c(Of(std::string(8, '\0'))), 0x07980329u);
  EXPECT_EQ(MaskCrc32c(Of("")), 0xa282ead8u);
}

// Against a bitwise register that takes one byte a step, so that all lengths
// come out of one pass.
TEST(Crc32c, AllLengthsAtAllAlignments) {
  constexpr size_t kLongest = 1024;
  const std::string noise = Noise(kLongest + 64);
  std::vector<std::vector<uint32_t>> expected(64);
  for (size_t align = 0; align < 64; ++align) {
    uint32_t state = kCrc32cInit;
    for (size_t size = 0; size <= kLongest; ++size) {
      expected[align].push_back(~state);
      state ^= static_cast<uint8_t>(noise[align + size]);
      for (int bit = 0; bit < 8; ++bit) state = CrcTimesX(state);
    }
  }
  EXPECT_EQ(expected[0][kLongest], testing::Crc32c(noise.substr(0, kLongest)));
  ForEachTarget([&] {
    for (size_t align = 0; align < 64; ++align) {
      for (size_t size = 0; size <= kLongest; ++size) {
        ASSERT_EQ(Crc32c(noise.data() + align, size), expected[align][size])
            << size << " bytes at " << align;
      }
    }
  });
}

TEST(Crc32c, LongRuns) {
  const std::string noise = Noise(150'000);
  std::vector<size_t> sizes;
  for (size_t middle : {896u, 7168u, 8064u, 14336u, 102400u}) {
    for (size_t size = middle - 9; size <= middle + 9; ++size) {
      sizes.push_back(size);
    }
  }
  sizes.push_back(noise.size());
  std::vector<uint32_t> expected;
  for (size_t size : sizes) {
    expected.push_back(testing::Crc32c(noise.substr(0, size)));
  }
  ForEachTarget([&] {
    for (size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(Crc32c(noise.data(), sizes[i]), expected[i]) << sizes[i];
    }
  });
}

TEST(Crc32c, ReadsNothingElse) {
  GuardedBytes guarded(32 << 10);
  ForEachTarget([&] {
    for (size_t size : {0u, 1u, 7u, 8u, 15u, 63u, 191u, 192u, 255u, 895u, 896u,
                        1000u, 7167u, 7168u, 20000u}) {
      const std::string noise = Noise(size);
      const uint32_t expected = testing::Crc32c(noise);
      EXPECT_EQ(Of(guarded.PlaceAtEnd(noise)), expected) << size;
      EXPECT_EQ(Of(guarded.PlaceAtStart(noise)), expected) << size;
    }
  });
}

TEST(Crc32c, ExtendsFromAnySplit) {
  const std::string noise = Noise(2000);
  const uint32_t whole = Of(noise);
  ForEachTarget([&] {
    for (size_t split = 0; split <= noise.size(); split += 13) {
      const uint32_t head = Crc32c(noise.data(), split);
      EXPECT_EQ(Crc32cExtend(head, noise.data() + split, noise.size() - split),
                whole);
    }
  });
}

TEST(Crc32c, ZeroBytesInLogarithmicTime) {
  const std::string zeros(5000, '\0');
  ForEachTarget([&] {
    for (uint32_t state : {0u, 1u, 0xffffffffu, 0xdeadbeefu}) {
      for (size_t n = 0; n < zeros.size(); n = n * 2 + 1) {
        EXPECT_EQ(Crc32cZeros(state, n),
                  Crc32cRegister(state, zeros.data(), n));
      }
      EXPECT_EQ(Crc32cZeros(Crc32cZeros(state, 123456789012345), 987654321),
                Crc32cZeros(state, 123456789012345 + 987654321));
    }
  });
}

// The tables are made by these, which the compiler runs.
TEST(CrcMath, PowersAreRepeatedProducts) {
  uint32_t power = 0x80000000u;  // x^0
  for (uint64_t n = 0; n < 300; ++n) {
    EXPECT_EQ(CrcPowerOfX(n), power) << n;
    power = CrcTimesX(power);
  }
  EXPECT_EQ(CrcPowerOfX(kCrcOrder + 5), CrcPowerOfX(5));
}

TEST(CrcMath, ProductsAndWhatTheProcessorAddsToThem) {
  uint64_t state = 1;
  for (int i = 0; i < 100; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto a = static_cast<uint32_t>(state >> 32);
    const auto b = static_cast<uint32_t>(state >> 16);
    EXPECT_EQ(CrcMultiply(a, b), CrcMultiply(b, a));
    EXPECT_EQ(CrcMultiply(CrcTimesX(a), b), CrcTimesX(CrcMultiply(a, b)));
    EXPECT_EQ(CrcMultiply(CrcReducedFactor(a), CrcPowerOfX(33)), a);
  }
}

TEST(Crc32c, SaysHowItIsComputed) {
#if defined(__x86_64__)
  for (const testing::Target& target : testing::RunnableTargets()) {
    const testing::ScopedTarget scope(target);
    const bool has_crc =
        target.name == "AVX3" || target.name == "AVX2" || target.name == "SSE4";
    EXPECT_EQ(Crc32cPath(), target.name == "AVX3_DL" ? "vpclmulqdq"
                            : has_crc                ? "sse4.2+pclmul"
                                                     : "table")
        << target.name;
  }
#elif defined(__aarch64__)
  // All processors of today have its instructions.
  EXPECT_EQ(Crc32cPath(), "arm-crc");
#endif
}

}  // namespace
}  // namespace headrace::record
