// Shapes of ragged rows: what becomes row splits and what the shape of items,
// and which rows do not fit.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "tests/naive/batch_tensors.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Dims = std::vector<int64_t>;
using Levels = std::vector<Dims>;

constexpr int64_t kMaxInt64 = INT64_MAX;

FeatureConfig Shaped(Dims shape, std::vector<Partition> partitions = {}) {
  FeatureConfig config = Ragged(DType::kInt64, std::move(partitions));
  config.shape = std::move(shape);
  return config;
}

const Partition kByLengths = {.key = "n"};
const Partition kByOuterLengths = {.key = "m"};
const Partition kBySplits = {.type = PartitionType::kRowSplits, .key = "n"};
const Partition kByStarts = {.type = PartitionType::kRowStarts, .key = "n"};
const Partition kByLimits = {.type = PartitionType::kRowLimits, .key = "n"};
const Partition kByRowids = {.type = PartitionType::kValueRowids, .key = "n"};

Partition Uniformly(int64_t length) {
  return {.type = PartitionType::kUniformRowLength,
          .uniform_row_length = length};
}

// A record has so many values, and these partitions.
std::string ShapedRow(int64_t count, Dims n = {}, Dims m = {}) {
  Dims values;
  for (int64_t i = 0; i < count; ++i) values.push_back(i);
  return ExampleBuilder()
      .Int64s("x", values)
      .Int64s("n", n)
      .Int64s("m", m)
      .Build();
}

Result<Batch> DecodeShaped(const FeatureConfig& config,
                           const std::vector<std::string>& records) {
  auto plan = Plan::Compile(FeatureSpec().Add("x", config));
  if (!plan.ok()) return plan.status();
  Decoder decoder(*plan);
  const std::vector<std::string_view> views(records.begin(), records.end());
  return decoder.Decode(views);
}

struct Wanted {
  Levels splits;
  Dims item;
};

void CheckShaped(const FeatureConfig& config,
                 const std::vector<std::string>& records,
                 const Wanted& wanted) {
  const auto batch = DecodeShaped(config, records);
  ASSERT_THAT(batch, IsOk());
  EXPECT_EQ(BrokenTensors(*batch), "");
  const NaiveTensor tensor = TensorsOf(*batch).tensors[0];
  EXPECT_EQ(tensor.row_splits, wanted.splits);
  EXPECT_EQ(tensor.shape, wanted.item);
}

TEST(RaggedShapeTest, OfTheCountAlone) {
  CheckShaped(Shaped({-1, 3}), {ShapedRow(6), "", ShapedRow(3)},
              {{{0, 2, 2, 3}}, {3}});
  CheckShaped(Shaped({2, -1}), {ShapedRow(6), "", ShapedRow(2)},
              {{{0, 2, 4, 6}, {0, 3, 6, 6, 6, 7, 8}}, {}});
  CheckShaped(Shaped({2, 1, -1, 2}), {ShapedRow(8), ShapedRow(4)},
              {{{0, 2, 4}, {0, 1, 2, 3, 4}, {0, 2, 4, 5, 6}}, {2}});
  CheckShaped(Shaped({3, 2}), {ShapedRow(6), ShapedRow(6)}, {{{0, 3, 6}}, {2}});
  CheckShaped(Shaped({-1}), {ShapedRow(2), ShapedRow(1)}, {{{0, 2, 3}}, {}});
}

TEST(RaggedShapeTest, OfPartitions) {
  CheckShaped(Shaped({-1, 3}, {kByLengths}),
              {ShapedRow(6, {3, 3}), ShapedRow(0)}, {{{0, 2, 2}}, {3}});
  CheckShaped(Shaped({2, -1}, {kByLengths}), {ShapedRow(3, {3, 0})},
              {{{0, 2}, {0, 3, 3}}, {}});
  CheckShaped(Shaped({-1, -1, 2}, {kByLengths}), {ShapedRow(6, {1, 2})},
              {{{0, 2}, {0, 1, 3}}, {2}});
  CheckShaped(Shaped({-1, 2, 2}, {kByOuterLengths, kByLengths}),
              {ShapedRow(8, {2, 2, 2, 2}, {2, 2})}, {{{0, 2}}, {2, 2}});
  CheckShaped(Shaped({-1, 2, -1}, {kByOuterLengths, kByLengths}),
              {ShapedRow(3, {2, 1}, {2})}, {{{0, 1}, {0, 2}, {0, 2, 3}}, {}});
  // All before the last one is known.
  CheckShaped(Shaped({1, 2, -1}, {kByLengths}),
              {ShapedRow(6, {2}), ShapedRow(0, {2})},
              {{{0, 1, 2}, {0, 2, 4}, {0, 3, 6, 6, 6}}, {}});
  CheckShaped(Shaped({2, 3}, {Uniformly(3)}), {ShapedRow(6)}, {{{0, 2}}, {3}});
  CheckShaped(Shaped({2, -1, -1}, {Uniformly(3)}), {ShapedRow(12)},
              {{{0, 2}, {0, 3, 6}, {0, 2, 4, 6, 8, 10, 12}}, {}});
}

TEST(RaggedShapeTest, ZerosThatHaveAMeaning) {
  CheckShaped(Shaped({2, 0}), {"", ShapedRow(0)}, {{{0, 2, 4}}, {0}});
  CheckShaped(Shaped({0, 2}), {"", ShapedRow(0)}, {{{0, 0, 0}}, {2}});
  CheckShaped(Shaped({-1, 0}, {kByLengths}), {ShapedRow(0, {0, 0})},
              {{{0, 2}}, {0}});
  for (const Partition& partition :
       {kByLengths, kBySplits, kByLimits, kByRowids}) {
    Dims numbers = {2, 1};
    if (partition.type == PartitionType::kRowSplits) numbers = {0, 2, 3};
    if (partition.type == PartitionType::kRowLimits) numbers = {2, 3};
    if (partition.type == PartitionType::kValueRowids) numbers = {0, 0, 1};
    CheckShaped(Shaped({-1, -1, 0}, {partition}),
                {ShapedRow(0, numbers), ShapedRow(0)},
                {{{0, 2, 2}, {0, 2, 3}}, {0}});
  }
  EXPECT_THAT(DecodeShaped(Shaped({-1, -1, 0}, {kByStarts}), {}),
              HasCode(ErrorCode::kBadSpec));
}

TEST(RaggedShapeTest, StepsOfAFeatureListHaveShapes) {
  const auto list = [](std::vector<Dims> steps) {
    std::vector<std::string> features;
    for (const Dims& step : steps) features.push_back(Int64Feature(step));
    return FeatureListsField(EntryField("x", FeatureListOf(features)));
  };
  FeatureSpec spec(MessageType::kSequence);
  spec.AddSequence("x", Shaped({-1, 2}));
  Decoder decoder(*Plan::Compile(spec));
  const std::string good = list({{1, 2}, {}, {3, 4, 5, 6}});
  const std::string bad = list({{1, 2}, {3}});
  const std::string_view good_view = good;
  const auto batch = decoder.Decode({&good_view, 1});
  ASSERT_THAT(batch, IsOk());
  const NaiveTensor tensor = TensorsOf(*batch).tensors[0];
  EXPECT_EQ(tensor.row_splits, (Levels{{0, 3}, {0, 1, 1, 3}}));
  EXPECT_EQ(tensor.shape, Dims{2});
  const std::string_view bad_view = bad;
  EXPECT_THAT(
      decoder.Decode({&bad_view, 1}),
      IsError(ErrorCode::kWrongCount, {.feature = "x",
                                       .text = "step 1: expected a multiple of "
                                               "2 values, found 1"}));
}

TEST(RaggedShapeTest, RowsThatDoNotFit) {
  struct BadRow {
    FeatureConfig config;
    std::string record;
    ErrorCode code;
    std::string text;
  };
  const BadRow cases[] = {
      {Shaped({-1, 3}), ShapedRow(4), ErrorCode::kWrongCount,
       "expected a multiple of 3 values, found 4"},
      {Shaped({3, 2}), ShapedRow(12), ErrorCode::kWrongCount,
       "expected 6 values, found 12"},
      {Shaped({3, 2}), "", ErrorCode::kWrongCount,
       "expected 6 values, found 0"},
      {Shaped({2, 0}), ShapedRow(2), ErrorCode::kWrongCount,
       "expected 0 values, found 2"},
      {Shaped({2, 3}, {Uniformly(3)}), ShapedRow(3), ErrorCode::kBadPartition,
       "expected 6 values, found 3"},
      {Shaped({-1, 3}, {kByLengths}), ShapedRow(5, {3, 2}),
       ErrorCode::kBadPartition,
       "row_lengths \"n\": expected rows of length 3, found 2"},
      {Shaped({2, -1}, {kByLengths}), ShapedRow(3, {1, 1, 1}),
       ErrorCode::kBadPartition, "row_lengths \"n\": expected 2 rows, found 3"},
      {Shaped({2, -1}, {kByLengths}), ShapedRow(0), ErrorCode::kBadPartition,
       "expected 2 rows, found 0"},
      {Shaped({-1, -1, 2}, {kByLengths}), ShapedRow(3, {3}),
       ErrorCode::kBadPartition,
       "expected a multiple of the uniform row length 2, found 3"},
      {Shaped({-1, -1, 2}, {kByLengths}), ShapedRow(4, {3}),
       ErrorCode::kBadPartition, "expected lengths that sum to 2, found 3"},
      {Shaped({-1, -1, 0}, {kByLengths}), ShapedRow(0, {kMaxInt64, kMaxInt64}),
       ErrorCode::kBadPartition, "found 18446744073709551614"},
      {Shaped({-1, -1, 0}, {kByLengths}), ShapedRow(0, {1, -1}),
       ErrorCode::kBadPartition, "found -1"},
      {Shaped({-1, -1, 0}, {kBySplits}), ShapedRow(0, {0, -4}),
       ErrorCode::kBadPartition, "found -4 after 0"},
      // This is not found by counting two billion rows.
      {Shaped({-1, 1}, {kByRowids}), ShapedRow(1, {(int64_t{1} << 31) - 2}),
       ErrorCode::kBadPartition, "expected rows of length 1, found 0"},
      {Shaped({1, 2, -1}, {kByLengths}), ShapedRow(3, {2}),
       ErrorCode::kBadPartition,
       "expected a multiple of the uniform row length 2, found 3"},
  };
  for (const BadRow& c : cases) {
    SCOPED_TRACE(c.text);
    const auto batch = DecodeShaped(c.config, {c.record});
    EXPECT_THAT(batch, IsError(c.code, {.feature = "x", .text = c.text}));
  }
}

TEST(RaggedShapeTest, RowsOfNothingAreCounted) {
  // A batch has less than 2^31 rows of a level, whatever they hold.
  const FeatureConfig config = Shaped({int64_t{1} << 30, 0});
  EXPECT_THAT(DecodeShaped(config, {"", ""}), HasCode(ErrorCode::kLimit));
}

TEST(RaggedShapeTest, GroupsHaveOneLength) {
  FeatureSpec spec;
  const auto add = [&spec](std::string name, FeatureConfig config) {
    config.group = "steps";
    spec.Add(std::move(name), std::move(config));
  };
  add("a", Ragged(DType::kInt64));
  add("b", Shaped({-1, 2}));
  add("c", Ragged(DType::kInt64, {kByLengths}));
  Decoder decoder(*Plan::Compile(spec));
  const auto decode = [&decoder](Dims a, Dims b, Dims c, Dims n) {
    const std::string record = ExampleBuilder()
                                   .Int64s("a", std::move(a))
                                   .Int64s("b", std::move(b))
                                   .Int64s("c", std::move(c))
                                   .Int64s("n", std::move(n))
                                   .Build();
    const std::string_view view = record;
    return decoder.Decode({&view, 1});
  };
  EXPECT_THAT(decode({1, 2}, {1, 2, 3, 4}, {7}, {1, 0}), IsOk());
  EXPECT_THAT(decode({}, {}, {}, {}), IsOk());
  EXPECT_THAT(
      decode({1, 2}, {1, 2}, {7}, {1, 0}),
      IsError(ErrorCode::kWrongCount,
              {.feature = "b",
               .expected = "the length of feature \"a\" in its group, 2",
               .found = "1"}));
  EXPECT_THAT(decode({}, {}, {7}, {1, 0}),
              IsError(ErrorCode::kWrongCount, {.feature = "c", .found = "2"}));
  // What is broken in itself has no length.
  EXPECT_THAT(decode({1, 2}, {1, 2, 3, 4}, {7}, {2}),
              IsError(ErrorCode::kBadPartition, {.feature = "c"}));
  EXPECT_THAT(decode({1}, {1, 2, 3, 4}, {7}, {2}),
              IsError(ErrorCode::kWrongCount, {.feature = "b"}));
}

}  // namespace
}  // namespace headrace::testing
