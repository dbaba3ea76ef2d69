#include "src/plan/infer/infer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "headrace/schema.h"
#include "tests/infer/census_of.h"
#include "tests/random/random_example.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using tfmd::FeatureType;

tfmd::FixedShape Shape(int64_t size) {
  return tfmd::FixedShape{{{.size = size}}};
}

tfmd::FeaturePresence Always() { return {.min_fraction = 1, .min_count = 1}; }

tfmd::FeaturePresence Sometimes() { return {.min_count = 1}; }

std::string ListsRecord(
    const std::vector<std::pair<std::string, std::string>>& lists) {
  std::string entries;
  for (const auto& [key, list] : lists) entries += EntryField(key, list);
  return FeatureListsField(entries);
}

TEST(Infer, NothingFromNothing) {
  EXPECT_EQ(infer::InferSchema(FeatureCensus()), Schema());
  EXPECT_EQ(infer::InferSpec(FeatureCensus()), FeatureSpec());
  // SequenceExamples have their struct, even without any list.
  const tfmd::Feature lists{.name = std::string(kSequenceColumn),
                            .type = tfmd::FeatureType::kStruct};
  const struct {
    MessageType message;
    Schema schema;
  } cases[] = {{MessageType::kExample, {}},
               {MessageType::kSequence, {.features = {lists}}}};
  for (const auto& [message, schema] : cases) {
    const FeatureCensus census = CensusOf({"", ""}, message);
    EXPECT_EQ(infer::InferSchema(census), schema);
    EXPECT_EQ(infer::InferSpec(census), FeatureSpec(message));
  }
}

TEST(Infer, FixedWhereEveryRecordHasAsManyValues) {
  const FeatureCensus census = CensusOf(
      {ExampleBuilder().Int64s("", {1}).Floats("b", {1, 2, 3}).Build(),
       ExampleBuilder().Int64s("", {2}).Floats("b", {4, 5, 6}).Build()});
  EXPECT_EQ(infer::InferSchema(census),
            (Schema{.features = {{.name = "",
                                  .type = FeatureType::kInt,
                                  .presence = Always(),
                                  .shape = Shape(1)},
                                 {.name = "b",
                                  .type = FeatureType::kFloat,
                                  .presence = Always(),
                                  .shape = Shape(3)}}}));
  EXPECT_EQ(infer::InferSpec(census),
            FeatureSpec()
                .Add("", FixedLen(DType::kInt64))
                .Add("b", FixedLen(DType::kFloat, {3})));
}

// One feature that a record may lack, leave unset, or have `lengths` of.
struct Occurrences {
  std::vector<int> lengths;  // -1: absent, -2: unset
  tfmd::FeaturePresence presence;
  tfmd::ValueCount value_count;
};

TEST(Infer, VariableWhereAnyRecordDiffers) {
  for (const Occurrences& o :
       std::vector<Occurrences>{{{1, 2}, Always(), {1, 2}},
                                {{0, 0}, Always(), {0, 0}},
                                {{2, 0}, Always(), {0, 2}},
                                {{1, -1}, Sometimes(), {1, 1}},
                                {{-1, 1}, Sometimes(), {1, 1}},
                                {{1, -2}, Sometimes(), {1, 1}},
                                {{-2, 3, 3}, Sometimes(), {3, 3}},
                                {{-2, 0, -1, 4}, Sometimes(), {0, 4}}}) {
    std::vector<std::string> records;
    for (const int length : o.lengths) {
      ExampleBuilder builder;
      if (length == -2) builder.Unset("a");
      if (length >= 0) {
        builder.Bytes(
            "a", std::vector<std::string>(static_cast<size_t>(length), "x"));
      }
      records.push_back(builder.Build());
    }
    SCOPED_TRACE(::testing::PrintToString(o.lengths));
    const FeatureCensus census = CensusOf(records);
    EXPECT_EQ(infer::InferSchema(census),
              (Schema{.features = {{.name = "a",
                                    .type = FeatureType::kBytes,
                                    .presence = o.presence,
                                    .value_count = o.value_count}}}));
    EXPECT_EQ(infer::InferSpec(census),
              FeatureSpec().Add("a", VarLen(DType::kBytes)));
  }
}

// So that a schema knows all features of its own data.
TEST(Infer, WhatNeverHasAKindIsBytesOfNoRecord) {
  const FeatureCensus census =
      CensusOf({ExampleBuilder().Unset("a").Int64s("b", {}).Build()});
  EXPECT_EQ(
      infer::InferSchema(census),
      (Schema{.features = {{.name = "a",
                            .type = FeatureType::kBytes,
                            .presence = tfmd::FeaturePresence{.min_count = 0}},
                           {.name = "b",
                            .type = FeatureType::kInt,
                            .presence = Always(),
                            .value_count = tfmd::ValueCount{0, 0}}}}));
  EXPECT_EQ(infer::InferSpec(census),
            FeatureSpec().Add("b", VarLen(DType::kInt64)));
}

TEST(Infer, FeatureListsAreChildrenOfTheStruct) {
  const std::string one = Int64Feature({1});
  const std::string context = ExampleBuilder().Floats("~", {1}).Build();
  const FeatureCensus census = CensusOf(
      {context + ListsRecord({{"all", FeatureListOf({one, one})},
                              {"some", FeatureListOf({one})},
                              {"two", FeatureListOf({Int64Feature({1, 2})})},
                              {"unset", FeatureListOf({one, ""})},
                              {"untyped", FeatureListOf({""})}}),
       context + ListsRecord({{"all", FeatureListOf({})},
                              {"two", FeatureListOf({Int64Feature({3})})},
                              {"unset", FeatureListOf({})}})},
      MessageType::kSequence);
  const auto child = [](std::string name, tfmd::FeaturePresence presence,
                        tfmd::ValueCount steps, tfmd::ValueCount values) {
    tfmd::Feature feature{.name = std::move(name),
                          .type = FeatureType::kInt,
                          .presence = presence};
    feature.value_counts = {steps, values};
    return feature;
  };
  tfmd::Feature untyped = child("untyped", Sometimes(), {1, 1}, {});
  untyped.type = FeatureType::kBytes;
  EXPECT_EQ(
      infer::InferSchema(census),
      (Schema{
          .features = {{.name = "~",
                        .type = FeatureType::kFloat,
                        .presence = Always(),
                        .shape = Shape(1)},
                       {.name = std::string(kSequenceColumn),
                        .type = FeatureType::kStruct,
                        .children = {child("all", Always(), {0, 2}, {1, 1}),
                                     child("some", Sometimes(), {1, 1}, {1, 1}),
                                     child("two", Always(), {1, 1}, {1, 2}),
                                     child("unset", Always(), {0, 2}, {1, 1}),
                                     untyped}}}}));
  EXPECT_EQ(infer::InferSpec(census),
            FeatureSpec()
                .Add("~", FixedLen(DType::kFloat))
                .AddSequence("all", FixedLenSequence(DType::kInt64))
                .AddSequence("some", FixedLenSequence(DType::kInt64, {}, true))
                .AddSequence("two", VarLen(DType::kInt64))
                .AddSequence("unset", VarLen(DType::kInt64)));
}

// A bad record shows nothing.
TEST(Infer, NothingOfStepsOfTwoKinds) {
  FeatureCensus census(MessageType::kSequence);
  const std::string list =
      FeatureListOf({Int64Feature({1}), FloatFeature({1})});
  EXPECT_THAT(census.Add(ListsRecord({{"a", list}}), 0),
              HasCode(ErrorCode::kWrongKind));
  EXPECT_EQ(infer::InferSchema(census), Schema());
  EXPECT_EQ(infer::InferSpec(census), FeatureSpec(MessageType::kSequence));
}

size_t NumFixed(const std::vector<NamedFeature>& features) {
  size_t count = 0;
  for (const NamedFeature& feature : features) {
    if (feature.config.layout != Layout::kVarLen) ++count;
  }
  return count;
}

// That what was inferred from the records reads them.
void ExpectDecodes(const Result<Plan>& plan,
                   const std::vector<std::string>& records,
                   const std::string& what) {
  ASSERT_THAT(plan, IsOk()) << what;
  Decoder decoder(*plan);
  EXPECT_THAT(decoder.Decode(std::vector<std::string_view>(records.begin(),
                                                           records.end())),
              IsOk())
      << what;
}

TEST(Infer, TheRecordsFitTheSpecAndTheSchema) {
  RandomExample random(/*seed=*/43, {.max_features = 3, .max_values = 3});
  size_t num_fixed = 0;
  for (const MessageType message :
       {MessageType::kExample, MessageType::kSequence}) {
    for (size_t i = 0; i < 600; ++i) {
      std::vector<std::string> records;
      while (records.size() < 1 + i % 4) {
        records.push_back(message == MessageType::kExample
                              ? random.Next()
                              : random.NextSequence());
      }
      const FeatureCensus census = CensusOf(records, message);
      const FeatureSpec spec = infer::InferSpec(census);
      num_fixed += NumFixed(spec.features());
      num_fixed += NumFixed(spec.sequence_features());
      ExpectDecodes(Plan::Compile(spec), records, spec.ToJson());

      const Schema schema = infer::InferSchema(census);
      const std::string text = schema.ToText();
      const auto again = OrThrow(Schema::FromText(text));
      EXPECT_EQ(again, schema) << text;
      ExpectDecodes(Plan::ForColumnsOf(schema, message), records, text);
      ExpectDecodes(Plan::Compile(schema, {}, message), records, text);
    }
  }
  EXPECT_GT(num_fixed, 500u);
}

}  // namespace
}  // namespace headrace::testing
