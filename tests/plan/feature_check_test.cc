// How many values a row of a feature has.

#include "src/plan/feature_check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace headrace::plan {
namespace {

size_t ElementsOf(const FeatureConfig& config, FeaturePlace place = {}) {
  size_t elements = 0;
  const Status status = CheckFeature({"x", config}, place, &elements);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return elements;
}

TEST(FeatureCheckTest, Elements) {
  const FeaturePlace list = {.message = MessageType::kSequence,
                             .in_sequence = true};
  EXPECT_EQ(ElementsOf(FixedLen(DType::kInt64)), 1u);
  EXPECT_EQ(ElementsOf(FixedLen(DType::kInt64, {2, 3, 4})), 24u);
  EXPECT_EQ(ElementsOf(FixedLen(DType::kInt64, {2, 0})), 0u);
  EXPECT_EQ(ElementsOf(FixedLenSequence(DType::kInt64, {5}, true)), 5u);
  EXPECT_EQ(ElementsOf(FixedLenSequence(DType::kInt64, {5}), list), 5u);
  EXPECT_EQ(ElementsOf(VarLen(DType::kInt64)), 1u);
  EXPECT_EQ(ElementsOf(Sparse({"i"}, "v", DType::kInt64, {7})), 1u);
  EXPECT_EQ(ElementsOf(Ragged(DType::kInt64, {}, "v")), 1u);
}

TEST(FeatureCheckTest, WhatIsReadAsNumbers) {
  FeatureConfig config = VarLen(DType::kBytes);
  EXPECT_FALSE(Reinterprets(config));
  for (const DType as : {DType::kBytes, DType::kFloat, DType::kUint8}) {
    config.as = as;
    EXPECT_EQ(Reinterprets(config), as != DType::kBytes);
  }
  config.dtype = DType::kInt64;
  EXPECT_FALSE(Reinterprets(config));
}

TEST(FeatureCheckTest, CountsDefaults) {
  EXPECT_EQ(CountDefaults(std::vector<int64_t>(3)), 3u);
  EXPECT_EQ(CountDefaults(std::vector<float>()), 0u);
  EXPECT_EQ(CountDefaults(std::vector<std::string>(2)), 2u);
}

}  // namespace
}  // namespace headrace::plan
