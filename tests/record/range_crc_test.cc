#include "src/record/range_crc.h"

#include <random>
#include <string>

#include "gtest/gtest.h"
#include "src/base/record_header.h"
#include "tests/support/each_target.h"

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

}  // namespace
}  // namespace headrace::record
