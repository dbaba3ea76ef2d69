// Kinds that records of one file have, and numbers that become of another kind.

#include "headrace/feature_kinds.h"

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/example_encoder.h"
#include "headrace/message.h"
#include "headrace/plan.h"
#include "tests/encode/foreign_array.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

Feature OfKind(Kind kind) { return {.kind = kind}; }

Plan PlanOf(const std::vector<ColumnField>& columns) {
  return OrThrow(Plan::ForColumns(columns));
}

auto IsOtherKind(const std::string& feature, const std::string& text) {
  return IsError(ErrorCode::kWrongKind, {.feature = feature, .text = text});
}

TEST(FeatureKindsTest, TheFirstKindCounts) {
  FeatureKinds kinds;
  EXPECT_TRUE(kinds.learns());
  EXPECT_THAT(kinds.Add({.features = {{"a", OfKind(Kind::kNull)}}}), IsOk());
  EXPECT_EQ(kinds.KindOf("a", false), std::nullopt);
  EXPECT_THAT(kinds.Add({.features = {{"a", OfKind(Kind::kFloat)}}}), IsOk());
  EXPECT_EQ(kinds.KindOf("a", false), Kind::kFloat);
  EXPECT_EQ(kinds.KindOf("a", true), std::nullopt);
  EXPECT_THAT(kinds.Add({.features = {{"a", OfKind(Kind::kInt64)}}}),
              IsOtherKind("a", "expected float, as in an earlier record"));
  EXPECT_THAT(kinds.Add("a", true, Kind::kInt64), IsOk());
  EXPECT_THAT(kinds.Add("a", false, Kind::kNull), IsOk());
}

TEST(FeatureKindsTest, AfterAnErrorNothingOfTheMessageIsKnown) {
  FeatureKinds kinds;
  ASSERT_THAT(kinds.Add("b", false, Kind::kBytes), IsOk());
  const Message bad = {
      .features = {{"a", OfKind(Kind::kFloat)}, {"b", OfKind(Kind::kInt64)}}};
  EXPECT_THAT(kinds.Add(bad), IsOtherKind("b", "found int64"));
  EXPECT_THAT(kinds.Add("a", false, Kind::kInt64), IsOk());
}

TEST(FeatureKindsTest, StepsAndExamplesOfOneMessage) {
  FeatureKinds kinds;
  const Message steps = {
      .type = MessageType::kSequence,
      .feature_lists = {{"s", {OfKind(Kind::kInt64), OfKind(Kind::kFloat)}}}};
  EXPECT_THAT(kinds.Add(steps),
              IsOtherKind("s",
                          "feature list \"s\": expected int64, as before in "
                          "this record, found float"));
  Message list = {.type = MessageType::kElwc};
  for (const Kind kind : {Kind::kInt64, Kind::kFloat}) {
    list.examples.push_back({.features = {{"e", OfKind(kind)}}});
  }
  EXPECT_THAT(kinds.Add(list), IsOtherKind("e",
                                           "expected int64, as before in this "
                                           "record, found float"));
  // What failed is forgotten, so the next record is not compared with it.
  ASSERT_THAT(kinds.Add("s", true, Kind::kFloat), IsOk());
  EXPECT_THAT(kinds.Add(steps),
              IsOtherKind("s", "expected float, as in an earlier record"));
}

TEST(FeatureKindsTest, APlanSaysWhichThereAre) {
  FeatureKinds kinds(PlanOf({{"age", Kind::kInt64}, {"none", Kind::kNull}}));
  EXPECT_FALSE(kinds.learns());
  EXPECT_EQ(kinds.KindOf("age", false), Kind::kInt64);
  EXPECT_EQ(kinds.KindOf("none", false), std::nullopt);
  EXPECT_THAT(kinds.Add("age", false, Kind::kInt64), IsOk());
  EXPECT_THAT(kinds.Add("age", false, Kind::kFloat),
              IsOtherKind("age", "expected int64, found float"));
  EXPECT_THAT(kinds.Add("ages", false, Kind::kNull),
              IsError(ErrorCode::kInvalidArgument,
                      {.feature = "ages", .text = "did you mean \"age\"?"}));
  EXPECT_THAT(kinds.Add("age", true, Kind::kInt64),
              IsError(ErrorCode::kInvalidArgument, {.text = "feature list"}));
}

std::vector<std::string> Encode(const Foreign& column, FeatureKinds* kinds) {
  const Foreign batch = BatchOf(column);
  return OrThrow(EncodeExamples(batch->schema, batch->array, {.kinds = kinds}));
}

Status StatusOf(const Foreign& column, FeatureKinds* kinds) {
  const Foreign batch = BatchOf(column);
  return EncodeExamples(batch->schema, batch->array, {.kinds = kinds}).status();
}

TEST(FeatureKindsTest, ColumnsOfArrow) {
  FeatureKinds kinds;
  Encode(MakeForeign("n", 2), &kinds);
  EXPECT_EQ(kinds.KindOf("x", false), std::nullopt);
  Encode(Numbers<int64_t>("l", {1, 2}), &kinds);
  EXPECT_EQ(kinds.KindOf("x", false), Kind::kInt64);
  EXPECT_THAT(StatusOf(Numbers<float>("f", {1, 2}), &kinds),
              IsOtherKind("x", "row 0"));
  // Rows without a value have no kind.
  Encode(Numbers<float>("f", {}), &kinds);
}

template <class T>
std::vector<float> FloatsOf(const char* format, const std::vector<T>& values) {
  FeatureKinds kinds(PlanOf({{"x", Kind::kFloat}}));
  std::vector<float> floats;
  for (const auto& record : Encode(Numbers<T>(format, values), &kinds)) {
    const auto message = OrThrow(ParseMessage(record, MessageType::kExample));
    floats.push_back(message.features.at("x").floats.at(0));
  }
  return floats;
}

TEST(FeatureKindsTest, IntegersBecomeFloats) {
  const std::vector<float> expected = {1, 2, 100};
  EXPECT_EQ(FloatsOf<int8_t>("c", {1, 2, 100}), expected);
  EXPECT_EQ(FloatsOf<uint8_t>("C", {1, 2, 100}), expected);
  EXPECT_EQ(FloatsOf<int64_t>("l", {1, 2, 100}), expected);
  EXPECT_EQ(FloatsOf<uint64_t>("L", {1, 2, 100}), expected);
  EXPECT_EQ(FloatsOf<double>("g", {1, 2, 100}), expected);
  EXPECT_EQ(FloatsOf<int64_t>("l", {-1, (int64_t{1} << 24) + 1}),
            (std::vector<float>{-1, 1 << 24}));
  FeatureKinds kinds(PlanOf({{"x", Kind::kFloat}}));
  EXPECT_THAT(StatusOf(Numbers<double>("g", {1e300}), &kinds),
              IsError(ErrorCode::kInvalidArgument, {.text = "range"}));
  EXPECT_THAT(StatusOf(ByteArrays<int32_t>("u", {"1"}), &kinds),
              IsOtherKind("x", "expected float, found bytes"));
}

TEST(FeatureKindsTest, WholeFloatsBecomeIntegers) {
  FeatureKinds kinds(PlanOf({{"x", Kind::kInt64}}));
  const auto records =
      Encode(Numbers<double>("g", {1, -2, 9007199254740992.0}), &kinds);
  std::vector<int64_t> values;
  for (const auto& record : records) {
    const auto message = OrThrow(ParseMessage(record, MessageType::kExample));
    values.push_back(message.features.at("x").int64s.at(0));
  }
  EXPECT_EQ(values, (std::vector<int64_t>{1, -2, int64_t{1} << 53}));
  for (const double bad : {0.5, 0x1p63, -0x1.8p63, 0.0 / 0.0}) {
    EXPECT_THAT(StatusOf(Numbers<double>("g", {bad}), &kinds),
                IsError(ErrorCode::kInvalidArgument,
                        {.feature = "x", .text = "whole numbers"}));
  }
  EXPECT_THAT(StatusOf(Numbers<float>("f", {0.5f}), &kinds),
              IsError(ErrorCode::kInvalidArgument, {.text = "0.5"}));
}

}  // namespace
}  // namespace headrace::testing
