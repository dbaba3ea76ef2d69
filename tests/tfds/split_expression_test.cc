// Expressions of splits, beside lists of records that are cut as Python cuts
// lists.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/tfds/folder/metadata.h"
#include "tests/random/random_example.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using tfds::ParseSplits;
using tfds::Split;
using tfds::SplitRange;

Split SplitOf(std::string name, std::vector<uint64_t> lengths) {
  Split split = {.name = std::move(name), .shard_lengths = std::move(lengths)};
  for (const uint64_t length : split.shard_lengths) {
    split.num_examples += length;
  }
  return split;
}

std::vector<Split> TrainAndTest() {
  return {SplitOf("train", {10, 0, 20, 70}), SplitOf("test-2", {7})};
}

// "train[3, 5) test-2[0, 7)"
std::string RangesText(const std::string& expression) {
  const std::vector<Split> splits = TrainAndTest();
  const Result<std::vector<SplitRange>> ranges =
      ParseSplits(expression, splits);
  if (!ranges.ok()) return std::string(ranges.status().message());
  std::string text;
  for (const SplitRange& range : *ranges) {
    if (!text.empty()) text += " ";
    text += splits[range.split].name + "[" + std::to_string(range.begin) +
            ", " + std::to_string(range.end) + ")";
  }
  return text;
}

TEST(SplitExpressionTest, Wholes) {
  EXPECT_EQ(RangesText("train"), "train[0, 100)");
  EXPECT_EQ(RangesText("all"), "train[0, 100) test-2[0, 7)");
  EXPECT_EQ(RangesText("test-2+train"), "test-2[0, 7) train[0, 100)");
  EXPECT_EQ(RangesText("train \t+\n all"),
            "train[0, 100) train[0, 100) test-2[0, 7)");
}

TEST(SplitExpressionTest, Slices) {
  EXPECT_EQ(RangesText("train[:10]"), "train[0, 10)");
  EXPECT_EQ(RangesText("train[-3:]"), "train[97, 100)");
  EXPECT_EQ(RangesText("train[1_0:-2_0]"), "train[10, 80)");
  EXPECT_EQ(RangesText("train[1:50%]"), "train[1, 50)");
  EXPECT_EQ(RangesText("test-2[50%:]"), "test-2[4, 7)");  // 3.5 is a tie
  EXPECT_EQ(
      RangesText("test-2[12.5%:-.5e%]"),
      "split \"test-2[12.5%:-.5e%]\": [12.5%:-.5e%] is not a slice; these "
      "are: [10:20], [:10%], [-1shard:] (S2)");
  EXPECT_EQ(RangesText("train[5:2]"), "train[5, 5)");
}

TEST(SplitExpressionTest, Shards) {
  EXPECT_EQ(RangesText("train[0shard]"), "train[0, 10)");
  EXPECT_EQ(RangesText("train[1shard]"), "train[10, 10)");
  EXPECT_EQ(RangesText("train[-1shard]"), "train[30, 100)");
  EXPECT_EQ(RangesText("train[2:3shard]"), "train[10, 30)");
  EXPECT_EQ(RangesText("train[:-1shard]"), "train[0, 30)");
  EXPECT_EQ(RangesText("train[7shard:]"), "train[100, 100)");
}

TEST(SplitExpressionTest, Errors) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "neither a name"},
      {" train", "neither a name"},
      {"train ", "neither a name"},
      {"train+", "neither a name"},
      {"train[", "neither a name"},
      {"train]", "neither a name"},
      {"train[]", "is not a slice"},
      {"train[:]", "is not a slice"},
      {"train[1:2:3]", "is not a slice"},
      {"train[ 1:2]", "is not a slice"},
      {"train[--1:]", "is not a slice"},
      {"train[1shards:]", "is not a slice"},
      {"train[5]", "is one bound"},
      {"train[5%]", "is one bound"},
      {"train[1.5:]", "is not a whole number"},
      {"train[1__0:]", "is not a whole number"},
      {"train[_1:]", "is not a whole number"},
      {"train[1_:]", "is not a whole number"},
      {"train[1.5shard]", "is not the number of a shard"},
      {"train[1.5shard:]", "is not a whole number of shards"},
      {"train[.%:]", "is not a number"},
      {"train[1.2.3%:]", "is not a number"},
      {"train[101:]", "beyond the 100 records of \"train\" (S4)"},
      {"train[:-101]", "beyond the 100 records"},
      {"train[:99999999999999999999]", "beyond the 100 records"},
      {"train[9223372036854775807shard]", "is not the number of a shard"},
      {"train[:100.1%]", "beyond 100%"},
      {"train[-1e9%:]", "is not a slice"},
      {"all[:3]", "\"all\" cannot be sliced"},
      {"trian", "did you mean \"train\"?"},
      {"nothing", "the splits are \"all\", \"train\", \"test-2\""},
  };
  const std::vector<Split> splits = TrainAndTest();
  for (const auto& [expression, text] : cases) {
    EXPECT_THAT(ParseSplits(expression, splits),
                IsError(ErrorCode::kInvalidArgument, {.text = text}))
        << expression;
  }
}

TEST(SplitExpressionTest, ManyRecords) {
  constexpr uint64_t kMax = INT64_MAX;
  const std::vector<Split> splits = {SplitOf("train", {kMax - 1, 1})};
  const auto last = ParseSplits("train[100%:]+train[-1:]", splits);
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ((*last)[0].begin, kMax);
  EXPECT_EQ((*last)[1].begin, kMax - 1);
  EXPECT_EQ((*last)[1].end, kMax);
}

// Records are the list that Python would cut.
class SliceOracle {
 public:
  explicit SliceOracle(const Split& split) : split_(split) {
    for (uint64_t i = 0; i < split.num_examples; ++i) records_.push_back(i);
  }

  // The record number of a bound, as rule S3 has it.
  int64_t Number(int64_t quarters, const std::string& unit, bool is_end) const {
    const int64_t whole = quarters / 4;
    if (unit.empty()) return whole;
    if (unit == "shard") {
      int64_t shards = whole;
      if (is_end && shards <= 0) shards += NumShards();
      int64_t sum = 0;
      for (const uint64_t length : PythonSlice(split_.shard_lengths, shards)) {
        sum += static_cast<int64_t>(length);
      }
      return sum;
    }
    // Half of the divisor is a tie.
    const int64_t product =
        std::abs(quarters) * static_cast<int64_t>(records_.size());
    int64_t rounded = product / 400;
    const int64_t rest = product % 400;
    if (rest > 200 || (rest == 200 && rounded % 2 == 1)) ++rounded;
    return quarters < 0 ? -rounded : rounded;
  }

  int64_t NumShards() const {
    return static_cast<int64_t>(split_.shard_lengths.size());
  }
  bool IsInside(int64_t number) const {
    return std::abs(number) <= static_cast<int64_t>(records_.size());
  }
  std::vector<uint64_t> Cut(int64_t begin, int64_t end) const {
    const auto size = static_cast<int64_t>(records_.size());
    if (begin < 0) begin += size;
    if (end < 0) end += size;
    if (end <= begin) return {};
    return {records_.begin() + begin, records_.begin() + end};
  }

 private:
  // list[:end]
  static std::vector<uint64_t> PythonSlice(const std::vector<uint64_t>& list,
                                           int64_t end) {
    const auto size = static_cast<int64_t>(list.size());
    if (end < 0) end = std::max<int64_t>(end + size, 0);
    return {list.begin(), list.begin() + std::min(end, size)};
  }

  const Split& split_;
  std::vector<uint64_t> records_;
};

std::string QuartersText(int64_t quarters, bool is_fraction, Random* random) {
  std::string text = quarters < 0 ? "-" : "";
  const int64_t size = std::abs(quarters);
  text += std::to_string(size / 4);
  if (text.back() != '-' && size / 4 >= 10 && random->OneIn(3)) {
    text.insert(text.size() - 1, "_");
  }
  constexpr const char* kFractions[] = {"", ".25", ".5", ".75"};
  if (is_fraction) text += kFractions[size % 4];
  return text;
}

TEST(SplitExpressionTest, RandomSlicesAreThoseOfLists) {
  Random random(27);
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint64_t> lengths(1 + random.Below(5));
    for (uint64_t& length : lengths) length = random.Below(40);
    const std::vector<Split> splits = {SplitOf("s", lengths)};
    const SliceOracle oracle(splits[0]);
    const std::string units[] = {"", "%", "shard"};
    const std::string unit = units[random.Below(3)];
    const bool has_begin = random.OneIn(2);
    const bool has_end = !has_begin || random.OneIn(2);
    const int64_t reach = unit == "shard" ? 8 : 110;
    int64_t bounds[2] = {};
    for (int64_t& bound : bounds) {
      const auto steps = static_cast<size_t>(8 * reach + 1);
      bound = static_cast<int64_t>(random.Below(steps)) - 4 * reach;
      if (unit != "%") bound -= bound % 4;
    }
    std::string expression = "s[";
    if (has_begin) {
      expression += QuartersText(bounds[0], unit == "%", &random) + unit;
    }
    expression += ":";
    if (has_end) {
      expression += QuartersText(bounds[1], unit == "%", &random);
      if (!has_begin || random.OneIn(2)) expression += unit;
    }
    expression += "]";
    const auto size = static_cast<int64_t>(splits[0].num_examples);
    const int64_t begin = has_begin ? oracle.Number(bounds[0], unit, false) : 0;
    const int64_t end = has_end ? oracle.Number(bounds[1], unit, true) : size;
    const bool is_percent_over =
        unit == "%" && ((has_begin && std::abs(bounds[0]) > 400) ||
                        (has_end && std::abs(bounds[1]) > 400));
    const auto ranges = ParseSplits(expression, splits);
    if (is_percent_over || !oracle.IsInside(begin) || !oracle.IsInside(end)) {
      ASSERT_THAT(ranges, HasCode(ErrorCode::kInvalidArgument)) << expression;
      continue;
    }
    ASSERT_THAT(ranges, IsOk()) << expression;
    std::vector<uint64_t> found;
    for (uint64_t n = (*ranges)[0].begin; n < (*ranges)[0].end; ++n) {
      found.push_back(n);
    }
    ASSERT_EQ(found, oracle.Cut(begin, end))
        << expression << " of " << splits[0].num_examples;
  }
}

}  // namespace
}  // namespace headrace::testing
