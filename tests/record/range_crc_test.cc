#include "src/input/crc32c/range_crc.h"

#include <random>
#include <string>

#include "gtest/gtest.h"
#include "src/base/record_header.h"
#include "tests/process/heap.h"
#include "tests/support/each_target.h"
#include "tests/support/guarded_bytes.h"

namespace headrace::record {
namespace {

TEST(RangeCrc, AnyRangesInOrder) {
  std::mt19937_64 random(7);
  std::string bytes(200'000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes.data());
  testing::ForEachTarget([&] {
    RangeCrc ranges;
    // From time to time a step past all that was reached.
    for (uint64_t begin = 0; begin < bytes.size();
         begin += random() % (random() % 40 == 0 ? 60'000 : 700)) {
      const uint64_t longest = std::min<uint64_t>(
          bytes.size() - begin, random() % 3 == 0 ? 50'000 : 1500);
      const size_t size = static_cast<size_t>(random() % (longest + 1));
      ASSERT_EQ(ranges.Crc(begin, data + begin, size),
                ScalarCrc32c(data + begin, size))
          << begin << " + " << size;
    }
  });
}

TEST(RangeCrc, EveryEndNearASteps) {
  std::string bytes(5000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * i >> 3);
  }
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes.data());
  RangeCrc ranges;
  for (uint64_t begin = 0; begin < 1100; begin += begin < 8 ? 1 : 17) {
    for (size_t size = 1000; size < 1600; ++size) {
      ASSERT_EQ(ranges.Crc(begin, data + begin, size),
                ScalarCrc32c(data + begin, size));
    }
  }
}

TEST(RangeCrc, OverlappingRangesCostOnePass) {
  const std::string bytes(1 << 20, 'x');
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes.data());
  RangeCrc ranges;
  const size_t half = bytes.size() / 2;
  for (uint64_t begin = 0; begin < half; begin += 12) {
    ranges.Crc(begin, data + begin, half);
  }
  const uint64_t ranges_asked = half / 12;
  EXPECT_LE(ranges.work(), bytes.size() + ranges_asked * 1024);
}

// Bytes between two ranges need not be there.
TEST(RangeCrc, ReadsNothingBeforeItsRange) {
  testing::GuardedBytes guarded(8 << 10);
  std::string bytes(20'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * i >> 5);
  }
  RangeCrc ranges;
  for (const size_t begin : {0u, 1000u, 7000u, 7200u, 17'000u}) {
    const std::string_view range =
        guarded.PlaceAtStart(std::string_view(bytes).substr(begin, 2000));
    const auto* const data = reinterpret_cast<const uint8_t*>(range.data());
    ASSERT_EQ(ranges.Crc(begin, data, range.size()),
              ScalarCrc32c(data, range.size()))
        << begin;
  }
}

// Of a long stream no more is kept than of a short one.
TEST(RangeCrc, ForgetsWhatIsBehind) {
  const std::string bytes(4096, 'x');
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes.data());
  RangeCrc ranges;
  const size_t before = testing::HeapBytes();
  for (uint64_t begin = 0; begin < uint64_t{16} << 20; begin += 3000) {
    ranges.Crc(begin, data, bytes.size());
  }
  // 4 bytes for each 128 of the stream would be 512 KiB.
  EXPECT_LE(testing::HeapBytes(), before + (16 << 10));
}

}  // namespace
}  // namespace headrace::record
