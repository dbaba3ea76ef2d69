#include "src/stats/sketch/quantile_sketch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "src/stats/sketch/block_sample.h"
#include "tests/random/random_example.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using stats::QuantileSketch;

template <class T>
QuantileSketch<T> SketchOf(const std::vector<T>& values, size_t at_once) {
  QuantileSketch<T> sketch;
  for (size_t i = 0; i < values.size(); i += at_once) {
    sketch.Add(
        std::span(values).subspan(i, std::min(at_once, values.size() - i)));
  }
  return sketch;
}

// The share of ranks that are wrong by more than the stated error.
struct Errors {
  size_t ranks = 0;
  size_t beyond = 0;
  double worst = 0;

  void Judge(const Distribution<float>& found, std::vector<float> values) {
    std::sort(values.begin(), values.end());
    const auto total = static_cast<double>(values.size());
    for (int percent = 3; percent < 100; percent += 5) {
      const float value =
          values[values.size() * static_cast<size_t>(percent) / 100];
      const auto below = std::lower_bound(values.begin(), values.end(), value);
      const double error =
          std::abs(static_cast<double>(found.Rank(value, false)) -
                   static_cast<double>(below - values.begin())) /
          total;
      ++ranks;
      beyond += error > found.rank_error;
      worst = std::max(worst, error);
    }
  }
};

const std::vector<std::function<float(Random*, size_t)>> kShapes = {
    [](Random* random, size_t) {
      return static_cast<float>(random->Below(1000000));
    },
    // Few distinct values, many of one.
    [](Random* random, size_t) {
      return static_cast<float>(random->Below(random->Below(20) + 1));
    },
    // Magnitudes of all sorts.
    [](Random* random, size_t) {
      return std::ldexp(static_cast<float>(random->Below(1000)),
                        static_cast<int>(random->Below(60)) - 30);
    },
    [](Random*, size_t i) { return static_cast<float>(i); },
    [](Random*, size_t i) { return -static_cast<float>(i); },
    [](Random*, size_t i) { return static_cast<float>(i % 777); },
};

TEST(QuantileSketch, RanksAreWithinTheStatedError) {
  for (size_t shape = 0; shape < kShapes.size(); ++shape) {
    SCOPED_TRACE(shape);
    for (const size_t size :
         {5000u, 13000u, 30000u, 100000u, 300000u, 700000u}) {
      if (kInstrumented && size > 100000) continue;
      SCOPED_TRACE(size);
      Errors errors;
      for (uint64_t seed = 0; seed < (size < 100000 ? 20u : 4u); ++seed) {
        Random random(seed);
        std::vector<float> values(size);
        for (size_t i = 0; i < size; ++i) {
          values[i] = kShapes[shape](&random, i);
        }
        const auto found =
            SketchOf(values, 1 + random.Below(600)).ToDistribution<float>();
        EXPECT_EQ(found.total, size);
        errors.Judge(found, std::move(values));
      }
      // A confidence of 99 % leaves 1 %, and these are few ranks.
      EXPECT_LE(errors.beyond * 50, errors.ranks);
      EXPECT_LE(errors.worst, 1.5 * stats::kRankError);
    }
  }
}

// Sketches of parts, however the data is cut, have the error of a whole one.
TEST(QuantileSketch, MergedOnesKeepTheError) {
  for (const size_t parts : {2u, 7u, 100u}) {
    Errors errors;
    for (uint64_t seed = 0; seed < 5; ++seed) {
      Random random(seed);
      std::vector<float> values(kInstrumented ? 50000 : 200000);
      for (float& value : values) {
        value = static_cast<float>(random.Below(1 << 20));
      }
      QuantileSketch<float> merged;
      size_t begin = 0;
      for (size_t part = 0; part < parts; ++part) {
        const size_t left = values.size() - begin;
        const size_t size = part + 1 == parts ? left : random.Below(left / 2);
        merged.Merge(
            SketchOf(std::vector<float>(
                         values.begin() + static_cast<int64_t>(begin),
                         values.begin() + static_cast<int64_t>(begin + size)),
                     256));
        begin += size;
      }
      const auto found = merged.ToDistribution<float>();
      EXPECT_EQ(found.total, values.size());
      errors.Judge(found, values);
    }
    EXPECT_LE(errors.beyond * 50, errors.ranks) << parts;
  }
}

TEST(QuantileSketch, KeepsFewValuesAsTheyAre) {
  const std::vector<int64_t> values = {5,
                                       -3,
                                       5,
                                       std::numeric_limits<int64_t>::max(),
                                       std::numeric_limits<int64_t>::min(),
                                       (int64_t{1} << 53) + 1};
  const auto found = SketchOf(values, 2).ToDistribution<int64_t>();
  EXPECT_EQ(found.rank_error, 0);
  std::vector<int64_t> kept;
  for (const auto& item : found.items) {
    kept.insert(kept.end(), item.weight, item.value);
  }
  std::vector<int64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(kept, sorted);
}

TEST(QuantileSketch, RepeatedValuesLoseNothing) {
  QuantileSketch<uint32_t> sketch;
  uint64_t total = 0;
  for (uint32_t i = 0; i < 3000; ++i) {
    sketch.AddRepeated(i % 3, 1000 + i);
    total += 1000 + i;
  }
  const auto found = sketch.ToDistribution<uint64_t>();
  EXPECT_EQ(found.total, total);
  ASSERT_EQ(found.items.size(), 3u);
  uint64_t weight = 0;
  for (const auto& item : found.items) weight += item.weight;
  EXPECT_EQ(weight, total);
}

TEST(QuantileSketch, ItsMemoryIsBounded) {
  Random random(1);
  QuantileSketch<int64_t> sketch;
  std::vector<int64_t> values(10000);
  for (int i = 0; i < (kInstrumented ? 30 : 1000); ++i) {
    for (int64_t& value : values) value = random.Int64();
    sketch.Add(values);
  }
  std::string bytes;
  sketch.Append(&bytes);
  EXPECT_LE(bytes.size(), size_t{40} << 10);
}

TEST(QuantileSketch, IsReadBack) {
  Random random(3);
  for (const size_t size : {0u, 1u, 700u, 20000u, 600001u}) {
    std::vector<int64_t> values(size);
    for (int64_t& value : values) value = random.Int64();
    const auto sketch = SketchOf(values, 300);
    std::string bytes;
    sketch.Append(&bytes);
    QuantileSketch<int64_t> again;
    std::string_view rest = bytes;
    ASSERT_TRUE(again.Parse(&rest));
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(again.ToDistribution<int64_t>(),
              sketch.ToDistribution<int64_t>());
    for (size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 200) {
      rest = std::string_view(bytes).substr(0, cut);
      EXPECT_FALSE(QuantileSketch<int64_t>().Parse(&rest));
    }
  }
}

// Every target keeps the same values, and of each column every second.
TEST(ThinBlock, IsTheSameForAllTargets) {
  for (size_t rounds = 1; rounds <= 4; ++rounds) {
    std::vector<std::vector<float>> kept;
    ForEachTarget([&] {
      Random random(rounds);
      std::vector<float> values(stats::kBlockValues);
      for (float& value : values) {
        value = static_cast<float>(random.Below(1000)) - 500;
      }
      std::vector<float> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      stats::ThinBlock(rounds, 0x123456789ABCDEF, values.data());
      values.resize(stats::kBlockValues >> rounds);
      for (const float value : values) {
        EXPECT_TRUE(std::binary_search(sorted.begin(), sorted.end(), value));
      }
      kept.push_back(values);
    });
    for (const auto& values : kept) EXPECT_EQ(values, kept[0]);
  }
}

}  // namespace
}  // namespace headrace::testing
