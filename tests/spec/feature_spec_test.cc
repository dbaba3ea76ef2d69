#include "headrace/feature_spec.h"

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Int64s = std::vector<int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

TEST(FeatureSpecTest, Names) {
  EXPECT_EQ(LayoutName(Layout::kFixedLen), "fixed_len");
  EXPECT_EQ(LayoutName(Layout::kFixedLenSequence), "fixed_len_sequence");
  EXPECT_EQ(LayoutName(Layout::kVarLen), "var_len");
  EXPECT_EQ(LayoutName(Layout::kSparse), "sparse");
  EXPECT_EQ(LayoutName(Layout::kRagged), "ragged");
  EXPECT_EQ(PartitionTypeName(PartitionType::kRowLengths), "row_lengths");
  EXPECT_EQ(PartitionTypeName(PartitionType::kRowSplits), "row_splits");
  EXPECT_EQ(PartitionTypeName(PartitionType::kRowStarts), "row_starts");
  EXPECT_EQ(PartitionTypeName(PartitionType::kRowLimits), "row_limits");
  EXPECT_EQ(PartitionTypeName(PartitionType::kValueRowids), "value_rowids");
  EXPECT_EQ(PartitionTypeName(PartitionType::kUniformRowLength),
            "uniform_row_length");
}

TEST(FeatureSpecTest, WhatIsNoneHasAName) {
  EXPECT_EQ(LayoutName(static_cast<Layout>(99)), "unknown");
  EXPECT_EQ(PartitionTypeName(static_cast<PartitionType>(99)), "unknown");
}

TEST(FeatureSpecTest, BuildersSetWhatTheyAreGivenAndNothingElse) {
  EXPECT_EQ(FixedLen(DType::kFloat, {2, 3}),
            (FeatureConfig{.layout = Layout::kFixedLen,
                           .dtype = DType::kFloat,
                           .shape = {2, 3}}));
  EXPECT_EQ(FixedLenSequence(DType::kBytes, {4}, false),
            (FeatureConfig{.layout = Layout::kFixedLenSequence,
                           .dtype = DType::kBytes,
                           .shape = {4},
                           .allow_missing = false}));
  EXPECT_FALSE(FixedLenSequence(DType::kInt64).allow_missing);
  EXPECT_EQ(VarLen(DType::kBytes),
            (FeatureConfig{.layout = Layout::kVarLen, .dtype = DType::kBytes}));
  EXPECT_EQ(Sparse({"i0", "i1"}, "v", DType::kFloat, {10, 20}, true),
            (FeatureConfig{.layout = Layout::kSparse,
                           .dtype = DType::kFloat,
                           .index_keys = {"i0", "i1"},
                           .size = {10, 20},
                           .already_sorted = true,
                           .value_key = "v"}));
  EXPECT_EQ(Ragged(DType::kInt64, {{PartitionType::kRowSplits, "s"}}, "v",
                   DType::kInt64),
            (FeatureConfig{.layout = Layout::kRagged,
                           .dtype = DType::kInt64,
                           .value_key = "v",
                           .partitions = {{PartitionType::kRowSplits, "s"}},
                           .row_splits_dtype = DType::kInt64}));
  EXPECT_EQ(Ragged(DType::kInt64).row_splits_dtype, DType::kInt32);
}

TEST(FeatureSpecTest, ADefaultHasTheTypeOfTheFeature) {
  EXPECT_EQ(FixedLen(DType::kInt64).Default(-1).default_values,
            DefaultValues(Int64s{-1}));
  EXPECT_EQ(FixedLen(DType::kFloat).Default(2).default_values,
            DefaultValues(Floats{2.0f}));
  // A mistake, which the plan sees because the types differ.
  EXPECT_EQ(FixedLen(DType::kBytes).Default(0).default_values,
            DefaultValues(Int64s{0}));
  EXPECT_EQ(FixedLen(DType::kBytes).Default(Strings{"a"}).default_values,
            DefaultValues(Strings{"a"}));

  FeatureConfig config = FixedLen(DType::kFloat, {2});
  FeatureConfig& same = config.Default(Floats{0.5f, 1.5f});
  EXPECT_EQ(&same, &config);
  EXPECT_EQ(config.default_values, DefaultValues(Floats({0.5f, 1.5f})));
  EXPECT_EQ(&config.Default(7), &config);
  EXPECT_EQ(config.default_values, DefaultValues(Floats{7.0f}));
}

TEST(FeatureSpecTest, ADefaultIsWrittenAsItIsMeant) {
  const DefaultValues x(Strings{"x"});
  EXPECT_EQ(FixedLen(DType::kBytes).Default("x").default_values, x);
  EXPECT_EQ(FixedLen(DType::kBytes).Default(std::string("x")).default_values,
            x);
  EXPECT_EQ(
      FixedLen(DType::kBytes).Default(std::string_view("x")).default_values, x);
  EXPECT_EQ(FixedLen(DType::kBytes, {2}).Default({"a", "bc"}).default_values,
            DefaultValues(Strings({"a", "bc"})));
  EXPECT_EQ(FixedLen(DType::kInt64, {2}).Default({1, 2}).default_values,
            DefaultValues(Int64s({1, 2})));
  EXPECT_EQ(FixedLen(DType::kInt64, {1}).Default({3}).default_values,
            DefaultValues(Int64s{3}));
  EXPECT_EQ(FixedLen(DType::kFloat, {2}).Default({1, 2}).default_values,
            DefaultValues(Floats({1.0f, 2.0f})));
  EXPECT_EQ(FixedLen(DType::kFloat, {2}).Default({0.5, 2.0}).default_values,
            DefaultValues(Floats({0.5f, 2.0f})));
  EXPECT_EQ(FixedLen(DType::kInt64).Default(true).default_values,
            DefaultValues(Int64s{1}));
  // Mistakes, as above.
  EXPECT_EQ(FixedLen(DType::kInt64).Default("x").default_values, x);
  EXPECT_EQ(FixedLen(DType::kInt64).Default(0.5).default_values,
            DefaultValues(Floats{0.5f}));
}

TEST(FeatureSpecTest, Key) {
  NamedFeature feature = {"name", VarLen(DType::kInt64)};
  EXPECT_EQ(feature.key(), "name");
  feature.config.value_key = "v";  // not a field of var_len
  EXPECT_EQ(feature.key(), "name");
  for (const FeatureConfig& config : {Sparse({"i"}, "v", DType::kInt64, {1}),
                                      Ragged(DType::kInt64, {}, "v")}) {
    feature.config = config;
    EXPECT_EQ(feature.key(), "v");
    feature.config.value_key.reset();
    EXPECT_EQ(feature.key(), "name");
    feature.config.column = "column";
    EXPECT_EQ(feature.key(), "column");
  }
  feature.config = FixedLen(DType::kInt64);
  feature.config.column = "";
  EXPECT_EQ(feature.key(), "");
}

TEST(FeatureSpecTest, TensorDType) {
  NamedFeature feature = {"a", VarLen(DType::kInt64)};
  EXPECT_EQ(feature.tensor_dtype(), DType::kInt64);
  feature.config.as = DType::kUint8;
  EXPECT_EQ(feature.tensor_dtype(), DType::kUint8);
}

TEST(FeatureSpecTest, KeepsTheOrder) {
  const auto spec = FeatureSpec()
                        .Add("b", VarLen(DType::kInt64))
                        .Add("a", VarLen(DType::kBytes));
  EXPECT_EQ(spec.message(), MessageType::kExample);
  ASSERT_EQ(spec.features().size(), 2u);
  EXPECT_EQ(spec.features()[0].name, "b");
  EXPECT_EQ(spec.features()[1].name, "a");
  EXPECT_TRUE(spec.sequence_features().empty());

  const auto sequence = FeatureSpec()
                            .Add("c", VarLen(DType::kInt64))
                            .AddSequence("s", VarLen(DType::kFloat));
  EXPECT_EQ(sequence.message(), MessageType::kSequence);
  EXPECT_EQ(sequence.features().size(), 1u);
  ASSERT_EQ(sequence.sequence_features().size(), 1u);
  EXPECT_EQ(sequence.sequence_features()[0].name, "s");
  EXPECT_NE(spec, sequence);
}

TEST(FeatureSpecTest, ShapesArraysAndGroups) {
  FeatureConfig wanted = Ragged(DType::kBytes, {}, "v");
  wanted.shape = {2, -1};
  wanted.as = DType::kBool;
  wanted.encoding = Encoding::kZlib;
  wanted.item_shape = {-1, -1};
  wanted.item_shape_key = "s";
  wanted.group = "steps";
  const auto spec = FeatureSpec().Add("x", wanted);
  EXPECT_EQ(spec.ToJson(), R"({"message": "example",
 "features": [
  {"name": "x", "kind": "ragged", "dtype": "bytes", "shape": [2, -1], "value_key": "v", "partitions": [], "row_splits_dtype": "int32", "as": "bool", "encoding": "zlib", "item_shape": [-1, -1], "item_shape_key": "s", "group": "steps"}
 ]}
)");
  EXPECT_EQ(*FeatureSpec::FromJson(spec.ToJson()), spec);
  const auto error = [](std::string_view field) {
    return std::string(
        FeatureSpec::FromJson("{\"features\": [{\"name\": \"x\", \"kind\": "
                              "\"fixed_len\", \"dtype\": \"bytes\", "
                              "\"shape\": [], " +
                              std::string(field) + "}]}")
            .status()
            .message());
  };
  EXPECT_THAT(error(R"("encoding": "zip")"),
              HasSubstr("\"encoding\" is \"zip\"; the encodings are"));
  EXPECT_THAT(error(R"("group": "g")"),
              HasSubstr("field \"group\" belongs to ragged, not to fixed_len"));
  EXPECT_THAT(error(R"("as_bits": 1)"), HasSubstr("it takes true or false"));
}

}  // namespace
}  // namespace headrace::testing
