// Floats of all widths, bit by bit.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "headrace/example_encoder.h"
#include "headrace/message.h"
#include "tests/encode/foreign_array.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

std::vector<float> FloatsOf(const Foreign& column) {
  const Foreign batch = Struct(column->array.length, {{"x", column}});
  auto encoded =
      EncodeExamples(batch->schema, batch->array, {.allow_narrowing = true});
  EXPECT_THAT(encoded, IsOk());
  std::vector<float> floats;
  for (const std::string& bytes : *encoded) {
    const auto message = ParseMessage(bytes, MessageType::kExample);
    floats.push_back(message->features.at("x").floats.at(0));
  }
  return floats;
}

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(EncodeFloatsTest, EveryHalfIsAFloat) {
  std::vector<uint16_t> halves;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    halves.push_back(static_cast<uint16_t>(bits));
  }
  const std::vector<float> floats = FloatsOf(Numbers("e", halves));
  for (const uint16_t half : halves) {
    // By its definition, in doubles.
    const int exponent = half >> 10 & 31;
    const int fraction = half & 1023;
    if (exponent == 31) {
      const uint32_t expected = (half & 0x8000u) << 16 | 0x7f800000u |
                                static_cast<uint32_t>(fraction) << 13;
      ASSERT_EQ(Bits(floats[half]), expected) << half;
      continue;
    }
    const double size = exponent == 0
                            ? std::ldexp(fraction, -24)
                            : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(Bits(floats[half]),
              Bits(static_cast<float>(half & 0x8000 ? -size : size)))
        << half;
  }
}

TEST(EncodeFloatsTest, FloatsKeepTheirBits) {
  const std::vector<uint32_t> bits = {0x7fc12345, 0xffc00000, 0x80000000,
                                      0x00000001, 0x7f800000};
  const std::vector<float> floats = FloatsOf(Numbers("f", bits));
  for (size_t i = 0; i < bits.size(); ++i) EXPECT_EQ(Bits(floats[i]), bits[i]);
}

TEST(EncodeFloatsTest, DoublesAreRoundedToEven) {
  const double tie = 1 + std::ldexp(1.0, -24);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<float> floats = FloatsOf(Numbers<double>(
      "g", {0.1, tie, std::nextafter(tie, 2.0), -infinity, 1e-60, -0.0}));
  EXPECT_THAT(floats, ElementsAreArray({0.1f, 1.0f, std::nextafter(1.0f, 2.0f),
                                        -std::numeric_limits<float>::infinity(),
                                        0.0f, -0.0f}));
  EXPECT_EQ(Bits(floats[5]), 0x80000000u);
  EXPECT_TRUE(std::isnan(FloatsOf(
      Numbers<double>("g", {std::numeric_limits<double>::quiet_NaN()}))[0]));
}

}  // namespace
}  // namespace headrace::testing
