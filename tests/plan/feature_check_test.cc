// What is checked of one feature, and the errors of specs.

#include "src/plan/compile/feature_check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "wire/utf8.h"

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

TEST(BadSpecTest, KeysAreUtf8) {
  for (const std::string& key : {std::string(), std::string("a\0b", 3),
                                 std::string("\xF0\x9F\x99\x82")}) {
    EXPECT_TRUE(wire::IsUtf8(key)) << key;
  }
  for (const char* key : {"\xFF", "a\xC3", "\xED\xA0\x80"}) {
    EXPECT_FALSE(wire::IsUtf8(key)) << key;
  }
}

TEST(BadSpecTest, NamesTheFeatureAndTheRule) {
  const Status status = BadFeature({"x\n", {}}, "is odd", "S9");
  EXPECT_EQ(status.code(), ErrorCode::kBadSpec);
  EXPECT_EQ(status.info()->feature, "x\n");
  EXPECT_EQ(status.message(), "feature \"x\\n\" is odd (S9)");
  EXPECT_EQ(BadSpec("group", "g", "is odd").message(), "group \"g\" is odd");
}

}  // namespace
}  // namespace headrace::plan
