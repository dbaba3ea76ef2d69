#include "src/stats/count/value_counter.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/stats/sketch/hyper_log_log.h"
#include "src/stats/sketch/value_sample.h"
#include "tests/random/random_example.h"
#include "tests/support/effort.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using stats::LookAt;
using stats::ValueCounter;

using Values = std::vector<std::string>;

ValueCounter CounterOf(const Values& values, size_t capacity) {
  ValueCounter counter;
  counter.SetCapacity(capacity);
  const std::vector<std::string_view> views(values.begin(), values.end());
  for (size_t i = 0; i < views.size(); i += 100) {
    counter.Add(
        std::span(views).subspan(i, std::min<size_t>(100, views.size() - i)),
        /*pictures=*/true);
  }
  return counter;
}

// Value i comes ever more rarely.
Values Skewed(uint64_t seed, size_t count, size_t distinct) {
  Random random(seed);
  Values values;
  for (size_t i = 0; i < count; ++i) {
    const size_t most = random.Below(distinct) + 1;
    values.push_back("value " + std::to_string(random.Below(most)));
  }
  return values;
}

std::map<std::string, uint64_t> CountsOf(const Values& values) {
  std::map<std::string, uint64_t> counts;
  for (const std::string& value : values) ++counts[value];
  return counts;
}

void ExpectWithinBounds(const BytesStats& found, const Values& values) {
  std::map<std::string, uint64_t> counts = CountsOf(values);
  uint64_t beyond = 0;
  for (const ValueCount& top : found.top) {
    const uint64_t count = counts[top.value];
    EXPECT_LE(top.count, count) << top.value;
    beyond += top.count + top.error < count;
    counts.erase(top.value);
  }
  for (const auto& [value, count] : counts) beyond += count > found.top_error;
  // All bounds hold with 99 % confidence.
  EXPECT_LE(beyond * 100, counts.size() + found.top.size());
}

TEST(ValueCounter, IsExactUpToItsCapacity) {
  const Values values = Skewed(1, 5000, 100);
  const BytesStats found = CounterOf(values, 100).ToStats();
  const auto counts = CountsOf(values);
  EXPECT_EQ(found.distinct, counts.size());
  EXPECT_EQ(found.distinct_error, 0);
  EXPECT_EQ(found.top_error, 0u);
  ASSERT_EQ(found.top.size(), counts.size());
  for (const ValueCount& top : found.top) {
    EXPECT_EQ(top.count, counts.at(top.value));
    EXPECT_EQ(top.error, 0u);
  }
}

TEST(ValueCounter, FrequentValuesAreWithinTheirBounds) {
  for (const size_t distinct : {101u, 1000u, 30000u}) {
    for (const size_t capacity : {16u, 100u}) {
      SCOPED_TRACE(distinct);
      SCOPED_TRACE(capacity);
      const Values values =
          Skewed(distinct, kInstrumented ? 20000 : 200000, distinct);
      const BytesStats found = CounterOf(values, capacity).ToStats();
      EXPECT_GT(found.top_error, 0u);
      EXPECT_LE(found.top.size(), capacity);
      // Twice the number of values over the capacity, and for what is left out.
      EXPECT_LE(found.top_error, 6 * values.size() / capacity);
      ExpectWithinBounds(found, values);
    }
  }
}

TEST(ValueCounter, EstimatesDistinctValues) {
  size_t beyond = 0;
  size_t tries = 0;
  for (const size_t distinct : {200u, 3000u, 50000u, 300000u}) {
    if (kInstrumented && distinct > 3000) continue;
    for (uint64_t seed = 0; seed < 10; ++seed) {
      Values values;
      for (size_t i = 0; i < distinct; ++i) {
        values.push_back(std::to_string(seed) + "-" + std::to_string(i));
      }
      const BytesStats found = CounterOf(values, 100).ToStats();
      EXPECT_EQ(found.distinct_error, stats::HyperLogLog::kError);
      const double error =
          static_cast<double>(found.distinct) / static_cast<double>(distinct) -
          1;
      ++tries;
      beyond += std::abs(error) > found.distinct_error;
      EXPECT_LE(std::abs(error), 1.6 * found.distinct_error);
    }
  }
  EXPECT_LE(beyond, 2 + tries / 100);
}

// Whether and what is exact does not depend on how the values were divided.
TEST(ValueCounter, MergesInAnyOrder) {
  for (const size_t distinct : {90u, 100u, 130u, 5000u}) {
    const Values values = Skewed(7, 20000, distinct);
    const BytesStats whole = CounterOf(values, 100).ToStats();
    for (uint64_t seed = 0; seed < 6; ++seed) {
      Random random(seed);
      std::vector<Values> parts(1 + random.Below(9));
      for (const std::string& value : values) {
        parts[random.Below(parts.size())].push_back(value);
      }
      ValueCounter merged;
      merged.SetCapacity(100);
      for (const Values& part : parts) merged.Merge(CounterOf(part, 100));
      const BytesStats found = merged.ToStats();
      EXPECT_EQ(found.count, whole.count);
      EXPECT_EQ(found.lengths, whole.lengths);
      EXPECT_EQ(found.utf8, whole.utf8);
      EXPECT_EQ(found.distinct, whole.distinct);
      EXPECT_EQ(found.distinct_error, whole.distinct_error);
      EXPECT_EQ(found.samples, whole.samples);
      EXPECT_EQ(found.top_error == 0, whole.top_error == 0);
      if (whole.top_error == 0) {
        EXPECT_EQ(found.top, whole.top);
      }
      ExpectWithinBounds(found, values);
    }
  }
}

// Long values take memory, too.
TEST(ValueCounter, LongValuesEndExactnessEarlier) {
  Values values;
  for (int i = 0; i < 50; ++i) {
    values.push_back(std::string(1000, 'x') + std::to_string(i));
  }
  EXPECT_GT(CounterOf(values, 100).ToStats().top_error, 0u);
  EXPECT_EQ(
      CounterOf({values[0], values[1], values[0]}, 100).ToStats().distinct, 2u);
}

TEST(ValueCounter, CountsUtf8AndSizes) {
  const BytesStats found =
      CounterOf({"", "a", "\xC3\xA4", "\xFF", std::string(40, 'b'),
                 std::string(39, 'b') + "\xFF"},
                100)
          .ToStats();
  EXPECT_EQ(found.count, 6u);
  EXPECT_EQ(found.utf8, 4u);
  EXPECT_EQ(found.lengths.min, 0u);
  EXPECT_EQ(found.lengths.max, 40u);
}

TEST(LookAt, KnowsWhatPeopleKeepInBytes) {
  const auto look = [](std::string_view value) { return LookAt(value).look; };
  EXPECT_EQ(look("some text"), BytesLook::kText);
  EXPECT_EQ(look(""), BytesLook::kText);
  EXPECT_EQ(look("-12.5e3"), BytesLook::kNumber);
  EXPECT_EQ(look("{\"a\": 1}\n"), BytesLook::kJson);
  EXPECT_EQ(look("\xFF\xFE garbage"), BytesLook::kOther);
  EXPECT_EQ(look(Hex("0a 03 61 62 63 10 01")), BytesLook::kProto);
  EXPECT_EQ(look(Hex("08 01 12 04 12 02 08 03 22 04 00 00 80 3f")),
            BytesLook::kTensor);
}

void ExpectPicture(const std::string& hex, BytesLook look, uint32_t width,
                   uint32_t height) {
  const std::string bytes = Hex(hex);
  const stats::Look found = LookAt(bytes);
  EXPECT_EQ(found.look, look);
  EXPECT_EQ(found.width, width);
  EXPECT_EQ(found.height, height);
  // A header may end anywhere.
  for (size_t size = 0; size < bytes.size(); ++size) {
    LookAt(std::string_view(bytes).substr(0, size));
  }
}

TEST(LookAt, ReadsSizesOfPictures) {
  ExpectPicture(
      "89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 00 00 02 80 00 00 01 e0 "
      "08 02 00 00 00",
      BytesLook::kPng, 640, 480);
  ExpectPicture("47 49 46 38 39 61 20 00 10 00 00", BytesLook::kGif, 32, 16);
  // Application data of 4 bytes, a fill byte, and the frame.
  ExpectPicture(
      "ff d8 ff e0 00 04 00 00 ff ff c2 00 11 08 00 e0 01 00 03 01 22 00 02",
      BytesLook::kJpeg, 256, 224);
  ExpectPicture(
      "52 49 46 46 24 00 00 00 57 45 42 50 56 50 38 58 0a 00 00 00 00 00 00 00 "
      "3f 00 00 1f 00 00",
      BytesLook::kWebp, 64, 32);
}

}  // namespace
}  // namespace headrace::testing
