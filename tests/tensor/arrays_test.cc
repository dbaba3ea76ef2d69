// Values of bytes that hold arrays, raw or as zlib streams.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "tests/naive/batch_tensors.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/zlib_stream.h"
#include "tests/tensor/one_feature.h"

namespace headrace::testing {
namespace {

using Numbers = std::vector<int64_t>;
using ArraySplits = std::vector<Numbers>;

std::string Shorts(std::vector<int16_t> values) {
  std::string bytes;
  for (const int16_t value : values) {
    bytes.push_back(static_cast<char>(value & 0xFF));
    bytes.push_back(static_cast<char>(value >> 8));
  }
  return bytes;
}

FeatureConfig Arrays(Numbers item_shape, Numbers shape = {},
                     DType as = DType::kInt16,
                     std::vector<Partition> partitions = {}) {
  FeatureConfig config = Ragged(DType::kBytes, std::move(partitions));
  config.as = as;
  config.shape = std::move(shape);
  config.item_shape = std::move(item_shape);
  if (std::count(config.item_shape->begin(), config.item_shape->end(), -1) >
      1) {
    config.item_shape_key = "s";
  }
  return config;
}

FeatureConfig Inflated(FeatureConfig config) {
  config.encoding = Encoding::kZlib;
  return config;
}

std::string ArrayRow(std::vector<std::string> values, Numbers shapes = {},
                     Numbers lengths = {}) {
  return ExampleBuilder()
      .Bytes("x", std::move(values))
      .Int64s("s", std::move(shapes))
      .Int64s("n", std::move(lengths))
      .Build();
}

TEST(ArraysTest, OneValuePerRow) {
  NaiveTensor tensor = TensorOfFeature(
      Arrays({-1, 2}),
      {ArrayRow({Shorts({1, 2, 3, 4})}), ArrayRow({Shorts({})})});
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 2, 2}}));
  EXPECT_EQ(tensor.shape, Numbers{2});
  EXPECT_EQ(tensor.values.int64s, (Numbers{1, 2, 3, 4}));

  tensor = TensorOfFeature(Arrays({2, -1}), {ArrayRow({Shorts({1, 2, 3, 4})})});
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 2}, {0, 2, 4}}));

  tensor = TensorOfFeature(Arrays({2, 1}), {ArrayRow({Shorts({1, 2})})});
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 2}}));
  EXPECT_EQ(tensor.shape, Numbers{1});

  tensor = TensorOfFeature(
      Arrays({-1, -1, 1}),
      {ArrayRow({Shorts({1, 2, 3})}, {1, 3, 1}), ArrayRow({""}, {2, 0, 1})});
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 1, 3}, {0, 3, 3, 3}}));
  EXPECT_EQ(tensor.shape, Numbers{1});
}

TEST(ArraysTest, ManyValuesPerRow) {
  NaiveTensor tensor = TensorOfFeature(
      Arrays({2}, {-1}), {ArrayRow({Shorts({1, 2}), Shorts({3, 4})}), ""});
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 2, 2}}));
  EXPECT_EQ(tensor.shape, Numbers{2});
  // Arrays of one row differ in size.
  tensor = TensorOfFeature(Arrays({-1}, {-1}),
                           {ArrayRow({Shorts({1}), Shorts({2, 3}), ""})});
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 3}, {0, 1, 3, 3}}));
  tensor =
      TensorOfFeature(Arrays({-1, -1}, {-1}),
                      {ArrayRow({Shorts({1, 2}), Shorts({3})}, {2, 1, 1, 1})});
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 2}, {0, 2, 3}, {0, 1, 2, 3}}));
  tensor =
      TensorOfFeature(Arrays({2}, {}, DType::kInt16, {{.key = "n"}}),
                      {ArrayRow({Shorts({1, 2}), Shorts({3, 4})}, {}, {0, 2})});
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 2}, {0, 0, 2}}));
  EXPECT_EQ(tensor.shape, Numbers{2});
  // Scalars.
  tensor =
      TensorOfFeature(Arrays({}, {-1}), {ArrayRow({Shorts({1}), Shorts({2})})});
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 2}}));
  EXPECT_EQ(tensor.values.int64s, (Numbers{1, 2}));
}

TEST(ArraysTest, ZlibIsInflated) {
  const std::vector<std::string> records = {
      ArrayRow({ZlibStream(Shorts({1, 2})), ZlibStream(""),
                ZlibStream(Shorts({3}), 0)}),
      ArrayRow({}),
      ArrayRow({ZlibStream(Shorts(std::vector<int16_t>(5000, 7)), 9)})};
  NaiveTensor tensor = TensorOfFeature(Inflated(Arrays({-1}, {-1})), records);
  EXPECT_EQ(tensor.row_splits, (ArraySplits{{0, 3, 3, 4}, {0, 2, 2, 3, 5003}}));
  EXPECT_EQ(tensor.values.int64s.back(), 7);

  // Each row has memory of its own.
  tensor = TensorOfFeature(Inflated(Arrays({-1}, {-1})),
                           {ArrayRow({ZlibStream(Shorts({1, 2}))}),
                            ArrayRow({ZlibStream(Shorts({3, 4}))}),
                            ArrayRow({ZlibStream(Shorts({5, 6}))})});
  EXPECT_EQ(tensor.values.int64s, (Numbers{1, 2, 3, 4, 5, 6}));

  FeatureConfig fixed = Inflated(FixedLen(DType::kBytes, {2}));
  fixed.as = DType::kBool;
  tensor = TensorOfFeature(fixed, {ArrayRow({ZlibStream("\x01\x80")}),
                                   ArrayRow({ZlibStream("ab")})});
  EXPECT_EQ(tensor.values.int64s, (Numbers{1, 1, 1, 1}));
}

TEST(ArraysTest, BytesOfBools) {
  FeatureConfig config = FixedLen(DType::kBytes, {3});
  config.as = DType::kBool;
  const NaiveTensor tensor =
      TensorOfFeature(config, {ArrayRow({std::string("\x00\x01\xFF", 3)})});
  EXPECT_EQ(tensor.values.int64s, (Numbers{0, 1, 1}));
}

struct BadArray {
  FeatureConfig config;
  std::string record;
  std::string text;
  ErrorCode code = ErrorCode::kWrongCount;
};

std::vector<BadArray> BadArrays() {
  const int64_t k40 = int64_t{1} << 40;
  const std::string good = ZlibStream(Shorts({1, 2}));
  std::string flipped = good;
  flipped.back() ^= 1;
  return {
      {Arrays({2}, {-1}), ArrayRow({Shorts({1, 2}), "x"}),
       "value 1: expected 4 bytes, found 1"},
      {Arrays({-1, 2}, {-1}), ArrayRow({Shorts({1})}),
       "value 0: expected a multiple of 4 bytes, found 2"},
      {Arrays({-1}), ArrayRow({}), "expected 1 value, found 0"},
      {Arrays({-1}), ArrayRow({"", ""}), "expected 1 value, found 2"},
      {Arrays({-1}), "", "missing", ErrorCode::kMissingFeature},
      {Arrays({-1, -1}), ArrayRow({""}),
       "expected 2 numbers, a shape per value"},
      {Arrays({-1, -1}), ArrayRow({""}, {0, 0, 1}), "found 3"},
      {Arrays({-1, -1}), ArrayRow({""}, {0, -1}),
       "expected a dimension of 0 or more, found -1"},
      {Arrays({-1, 2, -1}), ArrayRow({""}, {0, 3, 1}),
       "expected a dimension of 2, found 3"},
      {Arrays({-1, -1}), ArrayRow({"xx"}, {k40, k40}), "found 2"},
      {Arrays({-1, -1}), ArrayRow({"xx"}, {INT64_MAX, INT64_MAX}), "found 2"},
      {Arrays({-1, -1}), ArrayRow({"xx"}, {int64_t{1} << 62, 4}), "found 2"},
      {Arrays({-1, -1}), ArrayRow({""}, {k40, 0}), "", ErrorCode::kLimit},
      {Inflated(Arrays({2})), ArrayRow({"xx"}),
       "expected one whole zlib stream"},
      {Inflated(Arrays({2})), ArrayRow({""}), "expected one whole zlib stream"},
      {Inflated(Arrays({2})), ArrayRow({flipped}), "one whole zlib stream"},
      {Inflated(Arrays({2})), ArrayRow({good + "x"}), "one whole zlib stream"},
      {Inflated(Arrays({2})), ArrayRow({good.substr(0, good.size() - 1)}),
       "one whole zlib stream"},
      {Inflated(Arrays({2})), ArrayRow({good.substr(0, 3)}),
       "one whole zlib stream"},
      {Inflated(Arrays({3})), ArrayRow({good}),
       "expected 6 bytes inflated, found 4"},
      {Inflated(Arrays({1})), ArrayRow({good}),
       "expected 2 bytes inflated, found more"},
      {Inflated(Arrays({0})), ArrayRow({good}),
       "expected 0 bytes inflated, found more"},
      {Inflated(Arrays({-1, 3})), ArrayRow({good}),
       "expected a multiple of 6 bytes inflated, found 4"},
      {Inflated(Arrays({-1, -1})), ArrayRow({good}, {k40, k40}), "found 4"},
      {Inflated(Arrays({-1, -1})), ArrayRow({good}, {30000, 30000}), "found 4"},
  };
}

TEST(ArraysTest, WhatIsRefused) {
  for (const BadArray& bad : BadArrays()) {
    SCOPED_TRACE(bad.text);
    EXPECT_THAT(DecodeFeature(bad.config, {bad.record}),
                IsError(bad.code, {.text = bad.text}));
    // The good rows around it stay.
    const DecodeOptions skip = {.on_row_error = OnRowError::kSkip};
    if (bad.code == ErrorCode::kLimit) continue;
    const auto batch =
        DecodeFeature(bad.config, {bad.record, bad.record}, skip);
    ASSERT_THAT(batch, IsOk());
    EXPECT_EQ(batch->num_rows(), 0u);
  }
}

// A megabyte of zeros is a kilobyte of zlib.
TEST(ArraysTest, BombsStayWithinTheLimits) {
  const std::string bomb = ZlibStream(std::string(size_t{64} << 20, '\0'), 9);
  DecodeOptions options;
  options.limits.max_batch_bytes = size_t{4} << 20;
  for (const Numbers& shape : {Numbers{-1}, Numbers{1 << 25}}) {
    const auto batch =
        DecodeFeature(Inflated(Arrays(shape)), {ArrayRow({bomb})}, options);
    EXPECT_THAT(batch, HasCode(ErrorCode::kLimit));
  }
  // Where the size is known to be another one nothing is inflated for it.
  EXPECT_THAT(DecodeFeature(Inflated(Arrays({2})), {ArrayRow({bomb})}, options),
              HasCode(ErrorCode::kWrongCount));
}

TEST(ArraysTest, BadRowsTakeNoMemoryForGood) {
  const std::string large = ZlibStream(std::string(size_t{1} << 20, '\0'), 9);
  const std::string good = ZlibStream(Shorts({1}));
  std::vector<std::string> records;
  for (int i = 0; i < 200; ++i) {
    records.push_back(ArrayRow({large, "x"}));
    records.push_back(ArrayRow({good, good}));
  }
  DecodeOptions options = {.on_row_error = OnRowError::kSkip};
  options.limits.max_batch_bytes = size_t{8} << 20;
  const auto batch =
      DecodeFeature(Inflated(Arrays({-1}, {-1})), records, options);
  ASSERT_THAT(batch, IsOk());
  EXPECT_EQ(batch->num_rows(), 200u);
}

TEST(ArraysTest, SpecsThatAreRefused) {
  const auto code = [](const FeatureConfig& config) {
    return Plan::Compile(FeatureSpec().Add("x", config)).status().code();
  };
  EXPECT_EQ(code(Arrays({-1, 0})), ErrorCode::kBadSpec);
  EXPECT_EQ(code(Arrays({})), ErrorCode::kBadSpec);
  EXPECT_EQ(code(Arrays({int64_t{1} << 30, 4})), ErrorCode::kBadSpec);
  FeatureConfig config = Arrays({2});
  config.item_shape_key = "s";
  EXPECT_EQ(code(config), ErrorCode::kBadSpec);
  config = Arrays({-1, -1});
  config.item_shape_key.reset();
  EXPECT_EQ(code(config), ErrorCode::kBadSpec);
  config = Inflated(Arrays({2}));
  FeatureConfig other = VarLen(DType::kBytes);
  other.column = "x";
  const auto plan =
      Plan::Compile(FeatureSpec().Add("x", config).Add("y", other));
  EXPECT_THAT(plan, IsError(ErrorCode::kBadSpec, {.text = "(S13)"}));
}

}  // namespace
}  // namespace headrace::testing
