// Rules I14 and I15: plans of a schema.

#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "headrace/schema.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

Schema Parsed(const std::string& text) {
  return OrThrow(Schema::FromText(text));
}

// "name kind", feature lists with a star.
std::vector<std::string> Columns(const std::string& text,
                                 MessageType message = MessageType::kAuto) {
  const auto plan = Plan::ForColumnsOf(Parsed(text), message);
  if (!plan.ok()) return {plan.status().ToString()};
  std::vector<std::string> columns;
  for (const ColumnField& column : plan->columns()) {
    columns.push_back(column.name + " " + std::string(KindName(column.kind)) +
                      (column.in_sequence ? "*" : ""));
  }
  return columns;
}

constexpr char kSequence[] = R"(
  feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
    feature { name: "x" type: INT } feature { name: "x" type: FLOAT } } }
  feature { name: "x" type: FLOAT }
  feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
    feature { name: "y" type: BYTES } } }
)";

TEST(SchemaColumns, AreTheFeaturesInOrderFirstDefinitionsOnly) {
  EXPECT_THAT(Columns(R"(feature { name: "b" type: BYTES deprecated: true }
                         feature { name: "a" type: INT }
                         feature { name: "b" type: STRUCT })"),
              ElementsAre("b bytes", "a int64"));
}

TEST(SchemaColumns, OfSequenceExamplesHaveTheListsLast) {
  EXPECT_THAT(Columns(kSequence),
              ElementsAre("x float", "x int64*", "y bytes*"));
  EXPECT_EQ(Plan::ForColumnsOf(Parsed(kSequence))->message(),
            MessageType::kSequence);
}

TEST(SchemaColumns, WithoutChildrenHaveNoStruct) {
  const auto plan =
      Plan::ForColumnsOf(Parsed(R"(feature { name: "##SEQUENCE##" type: STRUCT }
                                 feature { name: "a" type: INT })"));
  ASSERT_THAT(plan, IsOk());
  EXPECT_FALSE(plan->has_sequence_struct());
  EXPECT_EQ(plan->message(), MessageType::kSequence);
}

TEST(SchemaColumns, NeedTypesThatTheMessageHas) {
  EXPECT_THAT(Columns(R"(feature { name: "a" })"),
              ElementsAre(HasSubstr("\"a\" has type TYPE_UNKNOWN")));
  EXPECT_THAT(Columns(kSequence, MessageType::kExample),
              ElementsAre(HasSubstr("STRUCT")));
  EXPECT_THAT(Columns(R"(feature { name: "##SEQUENCE##" type: INT })",
                      MessageType::kSequence),
              ElementsAre(HasSubstr("is not a STRUCT")));
  EXPECT_THAT(Columns(R"(feature { name: "##SEQUENCE##" type: INT })"),
              ElementsAre("##SEQUENCE## int64"));
  EXPECT_THAT(Columns(R"(feature { name: "\377" type: INT })"),
              ElementsAre(HasSubstr("not UTF-8")));
}

std::string WithTensor(const std::string& features, const std::string& kind) {
  return features +
         "tensor_representation_group { key: \"\" value { "
         "tensor_representation { key: \"t\" value { " +
         kind + " } } } }";
}

std::string Refusal(const std::string& text) {
  const auto plan = Plan::Compile(Parsed(text));
  EXPECT_THAT(plan, HasCode(ErrorCode::kBadSpec));
  return plan.ok() ? "" : plan.status().ToString();
}

constexpr char kColumns[] = R"(
  feature { name: "i" type: INT } feature { name: "f" type: FLOAT }
  feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
    feature { name: "n" type: INT } feature { name: "x" type: INT } } }
)";

TEST(SchemaTensors, RefuseWhatTheColumnsCannotGive) {
  const auto refusal = [](const std::string& kind) {
    return Refusal(WithTensor(kColumns, kind));
  };
  EXPECT_THAT(refusal(""), HasSubstr("does not say which kind"));
  EXPECT_THAT(refusal("varlen_sparse_tensor { column_name: \"nope\" }"),
              HasSubstr("\"nope\", which the schema does not have"));
  EXPECT_THAT(refusal("dense_tensor { column_name: \"##SEQUENCE##\" }"),
              HasSubstr("which the schema does not have"));
  EXPECT_THAT(refusal("dense_tensor { column_name: \"i\" "
                      "shape { dim { size: -1 } } }"),
              HasSubstr("(S4)"));
  EXPECT_THAT(refusal("sparse_tensor { dense_shape { dim { size: 3 } } "
                      "index_column_names: \"f\" value_column_name: \"i\" }"),
              HasSubstr("is FLOAT, not INT"));
  EXPECT_THAT(refusal("sparse_tensor { dense_shape {} "
                      "index_column_names: \"i\" value_column_name: \"f\" }"),
              HasSubstr("(S7)"));
  EXPECT_THAT(refusal("ragged_tensor { feature_path { step: \"i\" } "
                      "partition { row_length: \"f\" } }"),
              HasSubstr("row length column \"f\""));
  EXPECT_THAT(refusal("ragged_tensor { feature_path { step: \"##SEQUENCE##\" "
                      "step: \"x\" } partition { row_length: \"n\" } }"),
              HasSubstr("is a feature list"));
  EXPECT_THAT(refusal("ragged_tensor { feature_path { step: \"i\" } "
                      "partition { uniform_row_length: 0 } }"),
              HasSubstr("(S8)"));
  EXPECT_THAT(refusal("ragged_tensor { }"), HasSubstr("has no feature_path"));
  EXPECT_THAT(refusal("ragged_tensor { partition { row_length: \"i\" } }"),
              HasSubstr("has no feature_path"));
  EXPECT_THAT(refusal("varlen_sparse_tensor { column_name: \"a.b\" }"),
              HasSubstr("which the schema does not have"));
  EXPECT_THAT(refusal("ragged_tensor { feature_path { step: \"i\" step: \"i\" "
                      "step: \"i\" } }"),
              HasSubstr("which the schema does not have"));
}

// An empty list of values is a default of a schema (I15), not of a spec (T2).
TEST(SchemaTensors, MayHaveADefaultWithoutValues) {
  const auto plan = Plan::Compile(Parsed(
      WithTensor(kColumns,
                 "dense_tensor { column_name: \"i\" shape { dim { size: 0 } } "
                 "default_value { int_value: 1 } }")));
  ASSERT_THAT(plan, IsOk());
  const std::vector<std::string_view> records{""};
  const auto batch = OrThrow(Decoder(*plan).Decode(records));
  EXPECT_EQ(batch.tensors()[0].num_values, 0u);

  const auto strict = Plan::Compile(FeatureSpec().Add(
      "i", FixedLen(DType::kInt64, {0})
               .Default(DefaultValues(std::vector<int64_t>()))));
  ASSERT_THAT(strict, IsOk());
  EXPECT_THAT(Decoder(*strict).Decode(records),
              HasCode(ErrorCode::kMissingFeature));
}

TEST(SchemaTensors, OfAContextMaySparselyReadIt) {
  EXPECT_THAT(Plan::Compile(Parsed(WithTensor(kColumns,
                                              "sparse_tensor { dense_shape {} "
                                              "value_column_name: \"f\" }"))),
              IsOk());
}

// A column that no tensor reads is typed all the same; a projection drops it.
TEST(SchemaTensors, WantEveryColumnOfItsKind) {
  const Schema schema = Parsed(R"(
    feature { name: "a" type: INT }
    feature { name: "b" type: BYTES lifecycle_stage: DISABLED })");
  const std::string record =
      ExampleBuilder().Int64s("a", {1}).Int64s("b", {2}).Build();
  const std::vector<std::string_view> records{record};

  const auto all = Plan::Compile(schema);
  ASSERT_THAT(all, IsOk());
  EXPECT_THAT(Decoder(*all).Decode(records), HasCode(ErrorCode::kWrongKind));

  const auto projected = OrThrow(schema.Project({"a"}));
  const auto some = Plan::Compile(projected);
  ASSERT_THAT(some, IsOk());
  EXPECT_THAT(Decoder(*some).Decode(records), IsOk());
}

}  // namespace
}  // namespace headrace::testing
