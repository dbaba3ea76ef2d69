#include "src/plan/infer/grouping.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "src/plan/infer/infer.h"
#include "tests/infer/census_of.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"

namespace headrace::testing {
namespace {

using infer::GroupGlobs;

std::vector<std::string> Records() {
  return {ExampleBuilder()
              .Int64s("I1", {1})
              .Int64s("I2", {2})
              .Floats("F1", {0.5f, 1})
              .Bytes("C1", {"a", "b"})
              .Int64s("C2", {7})
              .Floats("G1", {1, 2, 3})
              .Build(),
          ExampleBuilder()
              .Int64s("I1", {3})
              .Floats("F1", {1, 2})
              .Bytes("C1", {})
              .Floats("G1", {})
              .Bytes("S1", {"x"})
              .Build()};
}

Result<FeatureSpec> Proposed(const std::vector<std::string>& records,
                             const GroupGlobs& globs,
                             std::optional<uint64_t> num_distinct = 3) {
  return infer::InferSpec(CensusOf(records), globs,
                          [&](std::string_view, bool) { return num_distinct; });
}

FeatureSpec SpecOf(const GroupGlobs& globs) {
  return OrThrow(Proposed(Records(), globs));
}

FeatureConfig Zero(FeatureConfig config) { return config.Default(0); }

void ExpectRefused(const GroupGlobs& globs, const std::string& feature,
                   const std::string& text) {
  EXPECT_THAT(
      Proposed(Records(), globs),
      IsError(ErrorCode::kInvalidArgument, {.feature = feature, .text = text}));
}

TEST(Grouping, GroupsAreInFrontOfTheOtherFeatures) {
  const FeatureSpec spec = SpecOf({.matrices = {"[IF]*"}, .jagged = {"C*"}});
  EXPECT_EQ(spec,
            FeatureSpec()
                .AddMatrix("dense", DType::kFloat,
                           {{"F1", FixedLen(DType::kFloat, {2})},
                            {"I1", FixedLen(DType::kInt64)},
                            {"I2", Zero(FixedLen(DType::kInt64))}})
                .AddJagged("ids", DType::kInt64,
                           {{"C1", Ragged(DType::kBytes).Map(HashBucket{1024})},
                            {"C2", Ragged(DType::kInt64)}})
                .Add("G1", VarLen(DType::kFloat))
                .Add("S1", VarLen(DType::kBytes)));
  // What was counted fits the proposal.
  Decoder decoder(OrThrow(Plan::Compile(spec)));
  const std::vector<std::string> records = Records();
  const std::vector<std::string_view> views(records.begin(), records.end());
  EXPECT_THAT(decoder.Decode(views), IsOk());
}

TEST(Grouping, NothingAskedIsTheUsualSpec) {
  EXPECT_EQ(SpecOf({}), infer::InferSpec(CensusOf(Records())));
}

TEST(Grouping, NamesOfGroups) {
  const auto names = [](const GroupGlobs& globs) {
    const FeatureSpec spec = SpecOf(globs);
    std::vector<std::string> found;
    for (const NamedFeature& feature : spec.features()) {
      if (!IsGroup(feature.config.layout)) continue;
      found.push_back(feature.name + ":" +
                      std::to_string(feature.config.members.size()));
    }
    return found;
  };
  EXPECT_THAT(names({.matrices = {"I1", "n=I2", "F*"}}),
              ElementsAre("dense:1", "n:1", "dense2:1"));
  EXPECT_THAT(names({.matrices = {"n=I*", "n=F*"}}), ElementsAre("n:3"));
  // A glob of a named group may have the sign.
  ExpectRefused({.matrices = {"n=I=*"}}, "", "matches \"I=*\"");
  EXPECT_THAT(Proposed(Records(), {.matrices = {"G1=I*"}}),
              HasCode(ErrorCode::kBadSpec));
  EXPECT_THAT(Proposed(Records(), {.matrices = {"n=I*"}, .jagged = {"n=C*"}}),
              HasCode(ErrorCode::kBadSpec));
}

TEST(Grouping, TypesOfGroups) {
  const auto type = [](const GroupGlobs& globs) {
    return *SpecOf(globs).features()[0].config.as;
  };
  EXPECT_EQ(type({.matrices = {"I*"}}), DType::kInt64);
  EXPECT_EQ(type({.matrices = {"F*"}}), DType::kFloat);
  EXPECT_EQ(type({.jagged = {"C*"}}), DType::kInt64);
  EXPECT_EQ(type({.jagged = {"C1"}}), DType::kInt32);
  EXPECT_EQ(type({.jagged = {"G*"}}), DType::kFloat);
}

TEST(Grouping, Buckets) {
  const auto buckets = [](std::optional<uint64_t> num_distinct) {
    const FeatureSpec spec =
        OrThrow(Proposed(Records(), {.jagged = {"C1"}}, num_distinct));
    const FeatureConfig& group = spec.features()[0].config;
    const auto& hash =
        std::get<HashBucket>(group.members[0].config.map.front());
    EXPECT_EQ(*group.as,
              hash.buckets > int64_t{1} << 31 ? DType::kInt64 : DType::kInt32);
    return hash.buckets;
  };
  EXPECT_EQ(buckets(0), 1024);
  EXPECT_EQ(buckets(512), 1024);
  EXPECT_EQ(buckets(513), 2048);
  EXPECT_EQ(buckets(uint64_t{1} << 30), int64_t{1} << 31);
  EXPECT_EQ(buckets((uint64_t{1} << 30) + 1), int64_t{1} << 32);
  EXPECT_EQ(buckets(std::numeric_limits<uint64_t>::max()), int64_t{1} << 62);
  EXPECT_EQ(buckets(std::nullopt), 1 << 20);
}

TEST(Grouping, WhatIsRefused) {
  ExpectRefused({.matrices = {"dense_*"}}, "",
                "no feature that has values matches \"dense_*\"");
  ExpectRefused({.jagged = {"c1"}}, "", "did you mean \"C1\"");
  ExpectRefused({.matrices = {"C1"}}, "C1", "a matrix takes numbers");
  ExpectRefused({.matrices = {"G*"}}, "G1", "it has 0 to 3 values");
  ExpectRefused({.jagged = {"[CG]*"}}, "G1", "\"bucketize\"");
  ExpectRefused({.matrices = {"I1", "I*"}}, "I1", "it is in matrix \"dense\"");
  ExpectRefused({.matrices = {"I1"}, .jagged = {"I*"}}, "I1", "one group");
  ExpectRefused({.matrices = {""}}, "", "neither a GLOB");
  ExpectRefused({.jagged = {"=C*"}}, "", "neither a GLOB");
  ExpectRefused({.jagged = {"n="}}, "", "neither a GLOB");
  EXPECT_THAT(Proposed({ExampleBuilder().Int64s("a", {1}).Build(),
                        ExampleBuilder().Unset("a").Build()},
                       {.matrices = {"a"}}),
              IsError(ErrorCode::kInvalidArgument,
                      {.feature = "a", .text = "it has no kind in 1 record"}));
}

TEST(Grouping, FeatureLists) {
  FeatureCensus census(MessageType::kSequence);
  EXPECT_THAT(
      census.Add(ExampleBuilder().Int64s("user", {5}).Build() +
                     FeatureListsField(EntryField(
                         "films", FeatureListOf({Int64Feature({1, 2})}))),
                 0),
      IsOk());
  const auto none = [](std::string_view, bool) {
    return std::optional<uint64_t>();
  };
  const FeatureSpec spec =
      OrThrow(infer::InferSpec(census, {.jagged = {"*"}}, none));
  EXPECT_EQ(spec,
            FeatureSpec(MessageType::kSequence)
                .AddJagged("ids", DType::kInt64,
                           {{"user", Ragged(DType::kInt64)},
                            {"films", Ragged(DType::kInt64).Sequence()}}));
  EXPECT_THAT(infer::InferSpec(census, {.matrices = {"f*"}}, none),
              IsError(ErrorCode::kInvalidArgument,
                      {.feature = "films", .text = "no feature lists"}));
}

}  // namespace
}  // namespace headrace::testing
