// Functions of numbers against loops over values, on every target, with the
// values and the results flush against guard pages.

#include "src/plan/function/number_functions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/cast.h"
#include "tests/naive/naive_functions.h"
#include "tests/support/each_target.h"
#include "tests/support/guarded_bytes.h"

namespace headrace::testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float OfBits(uint32_t bits) { return std::bit_cast<float>(bits); }

// Special values, then random ones of all exponents.
std::vector<float> SomeFloats(size_t count, uint32_t seed) {
  std::vector<float> floats = {0.0f,
                               -0.0f,
                               1.0f,
                               -1.0f,
                               0.5f,
                               -0.5f,
                               kInfinity,
                               -kInfinity,
                               1e-42f,
                               -1e-42f,
                               2.0f,
                               -2.0f,
                               OfBits(0x7fc00000),
                               OfBits(0xffc12345),
                               OfBits(0x7f800001),
                               OfBits(0xbf7fffff),
                               OfBits(0x7f7fffff)};
  std::mt19937 random(seed);
  while (floats.size() < count) {
    const auto bits = static_cast<uint32_t>(random());
    const float value = OfBits(bits);
    floats.push_back(floats.size() % 2 == 0 ? value : std::fmod(value, 8.0f));
  }
  return floats;
}

// Calls function(values, out) with exactly as much memory as there are values,
// and compares bits.
template <class In, class Out, class Function, class Naive>
void Compare(const std::vector<In>& all, const Function& function,
             const Naive& naive) {
  GuardedBytes in(all.size() * sizeof(In));
  GuardedBytes out(all.size() * sizeof(Out));
  for (size_t skipped = 0; skipped < 40; ++skipped) {
    const std::span<const In> values(
        all.data() + skipped,
        skipped < 20 ? all.size() - skipped : 40 - skipped);
    const std::string_view placed = in.PlaceAtEnd(
        {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    const std::string_view room =
        out.PlaceAtEnd(std::string(values.size() * sizeof(Out), 'x'));
    auto* const results =
        reinterpret_cast<Out*>(const_cast<char*>(room.data()));
    function(std::span<const In>(reinterpret_cast<const In*>(placed.data()),
                                 values.size()),
             results);
    for (size_t i = 0; i < values.size(); ++i) {
      const Out wanted = naive(values[i]);
      ASSERT_EQ(std::memcmp(&results[i], &wanted, sizeof(Out)), 0)
          << values[i] << " becomes " << results[i] << " and not " << wanted;
    }
  }
}

TEST(NumberFunctions, RoundToFloat) {
  std::mt19937_64 random(1);
  std::vector<int64_t> values = {0,
                                 -1,
                                 16777217,
                                 16777219,
                                 std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::max()};
  // The second is above the middle of two floats by less than a float64 has
  // bits for.
  values.push_back((int64_t{1} << 61) + (int64_t{1} << 37));
  values.push_back((int64_t{1} << 61) + (int64_t{1} << 37) + 1);
  for (int i = 0; i < 2000; ++i) {
    values.push_back(static_cast<int64_t>(random()) >> (i % 64));
  }
  ForEachTarget([&] {
    Compare<int64_t, float>(
        values,
        [](auto in, float* out) { RoundToFloat(in.data(), in.size(), out); },
        [](int64_t value) { return static_cast<float>(value); });
  });
}

TEST(NumberFunctions, Bucketize) {
  const std::vector<float> values = SomeFloats(2000, 2);
  std::vector<std::vector<float>> all_boundaries = {
      {}, {0.0f}, {-kInfinity, -1.0f, 0.0f, 0.0f, 0.5f, kInfinity}};
  for (const size_t size : {2u, 63u, 64u, 65u, 100u, 1000u}) {
    std::vector<float> boundaries;
    for (const float value : SomeFloats(2 * size + 40, 3)) {
      if (!std::isnan(value)) boundaries.push_back(value);
    }
    boundaries.resize(size);
    std::sort(boundaries.begin(), boundaries.end());
    all_boundaries.push_back(boundaries);
  }
  ForEachTarget([&] {
    for (const std::vector<float>& boundaries : all_boundaries) {
      Compare<float, int64_t>(
          values,
          [&](auto in, int64_t* out) {
            function::BucketizeFloats(in, boundaries, out);
          },
          [&](float value) { return NaiveBucketize(value, boundaries); });
    }
  });
}

TEST(NumberFunctions, ClipKeepsBits) {
  const std::vector<float> values = SomeFloats(2000, 4);
  ForEachTarget([&] {
    for (const auto& bounds :
         {std::pair(0.0f, 1.0f), std::pair(-0.5f, 0.5f),
          std::pair(-kInfinity, kInfinity), std::pair(2.0f, 2.0f)}) {
      Compare<float, uint32_t>(
          values,
          [&](auto in, uint32_t* out) {
            function::ClipFloats(in, bounds.first, bounds.second,
                                 reinterpret_cast<float*>(out));
          },
          [&](float value) {
            return std::bit_cast<uint32_t>(value < bounds.first ? bounds.first
                                           : value > bounds.second
                                               ? bounds.second
                                               : value);
          });
    }
  });
}

TEST(NumberFunctions, ClipInts) {
  std::mt19937_64 random(5);
  std::vector<int64_t> values;
  for (int i = 0; i < 500; ++i) {
    values.push_back(static_cast<int64_t>(random()) >> (i % 64));
  }
  ForEachTarget([&] {
    Compare<int64_t, int64_t>(
        values,
        [](auto in, int64_t* out) { function::ClipInts(in, -9, 1000, out); },
        [](int64_t value) { return std::clamp<int64_t>(value, -9, 1000); });
  });
}

TEST(NumberFunctions, ScaleRoundsTwice) {
  const std::vector<float> values = SomeFloats(2000, 6);
  ForEachTarget([&] {
    for (const auto& by : {std::pair(0.3f, 0.7f), std::pair(-1e30f, 3.0f),
                           std::pair(0.0f, 1e-40f), std::pair(5.0f, -2.0f)}) {
      Compare<float, float>(
          values,
          [&](auto in, float* out) {
            function::ScaleFloats(in, by.first, by.second, out);
          },
          [&](float value) {
            volatile float difference = value - by.first;
            return difference / by.second;
          });
    }
  });
}

TEST(NumberFunctions, Log1p) {
  std::vector<float> values = SomeFloats(20000, 7);
  // The results nearest to the middle of two floats.
  for (const uint32_t bits :
       {0x3710001bu, 0x3770004bu, 0x3efd81adu, 0x41078febu, 0x55185f82u,
        0x65d890d3u, 0x66a8c860u, 0x6f31a8ecu, 0xb70fffe5u, 0xb76fffb5u,
        0xbb0ec8c4u, 0x36dedaceu, 0x3ddbfec3u, 0x3ebe9143u, 0x464d572bu,
        0x4665a5a6u, 0x5ee8984eu, 0x62b467bau, 0x66abbd63u, 0x6d1f23ebu,
        0x79e7ec37u, 0x35400003u, 0xb53ffffdu, 0x39800000u, 0x397fffffu}) {
    values.push_back(OfBits(bits));
  }
  // Between 0 and where the results are as large as can be, and down to -1.
  for (uint32_t bits = 0; bits < 0x7f800000; bits += 999983) {
    values.push_back(OfBits(bits));
    values.push_back(OfBits(bits | 0x80000000));
  }
  ForEachTarget([&] {
    Compare<float, float>(
        values, [](auto in, float* out) { function::Log1pFloats(in, out); },
        [](float value) { return NaiveLog1p(value); });
  });
}

TEST(NumberFunctions, WorkInPlace) {
  const std::vector<float> values = SomeFloats(100, 8);
  std::vector<float> log = values;
  function::Log1pFloats(log, log.data());
  std::vector<float> apart(values.size());
  function::Log1pFloats(values, apart.data());
  EXPECT_EQ(std::memcmp(log.data(), apart.data(), 400), 0);
}

}  // namespace
}  // namespace headrace::testing
