// Rules I1 to I11: which tensors a schema means, and which specs. The golden
// files of tests/vectors hold many more cases.

#include <string>
#include <vector>

#include "headrace/schema.h"
#include "tests/golden/golden_schema.h"
#include "tests/schema/schema_texts.h"
#include "tests/support/matchers.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::SchemaOf;

std::string Group(const std::string& tensors) {
  return "tensor_representation_group { key: \"\" value { " + tensors + " } }";
}

std::string Tensor(const std::string& name, const std::string& kind) {
  return "tensor_representation { key: \"" + name + "\" value { " + kind +
         " } }";
}

// One line a tensor.
std::vector<std::string> Tensors(const std::string& text,
                                 const SchemaOptions& options = {}) {
  const auto tensors = SchemaOf(text).Representations(options);
  if (!tensors.ok()) return {tensors.status().ToString()};
  std::vector<std::string> lines;
  for (const auto& tensor : *tensors) {
    lines.push_back(tensor.name + " " + testing::ToJson(tensor).dump());
  }
  return lines;
}

std::string ErrorOfTensors(const std::string& text,
                           const SchemaOptions& options = {}) {
  const auto tensors = SchemaOf(text).Representations(options);
  EXPECT_THAT(tensors, HasCode(ErrorCode::kBadSpec));
  return tensors.status().ToString();
}

std::string SpecOf(const std::string& text) {
  const auto spec = SchemaOf(text).ExampleSpec();
  return spec.ok() ? spec->ToJson() : spec.status().ToString();
}

std::string SpecWith(const FeatureConfig& config, const std::string& name) {
  return FeatureSpec().Add(name, config).ToJson();
}

// The four examples of TensorFlow's page about schema interpretation.

TEST(DocumentedExample, RaggedWithoutPartition) {
  EXPECT_EQ(
      SpecOf(R"(feature { name: "varlen" type: BYTES })" +
             Group(Tensor("varlen", R"(ragged_tensor {
                     feature_path { step: "varlen" }
                     row_partition_dtype: INT64 })"))),
      SpecWith(Ragged(DType::kBytes, {}, "varlen", DType::kInt64), "varlen"));
}

TEST(DocumentedExample, RaggedWithRowLength) {
  EXPECT_EQ(SpecOf(R"(feature { name: "value" type: BYTES }
                feature { name: "row_length" type: INT })" +
                   Group(Tensor("ragged", R"(ragged_tensor {
               feature_path { step: "value" }
               partition { row_length: "row_length" }
               row_partition_dtype: INT64 })"))),
            SpecWith(Ragged(DType::kBytes,
                            {{PartitionType::kRowLengths, "row_length"}},
                            "value", DType::kInt64),
                     "ragged"));
}

TEST(DocumentedExample, SparseWithTwoIndices) {
  EXPECT_EQ(SpecOf(R"(feature { name: "value" type: FLOAT }
                      feature { name: "index0" type: INT }
                      feature { name: "index1" type: INT })" +
                   Group(Tensor("sparse", R"(sparse_tensor {
                     index_column_names: ["index0", "index1"]
                     value_column_name: "value"
                     dense_shape { dim { size: 10 } dim { size: 20 } }
                     already_sorted: true })"))),
            SpecWith(Sparse({"index0", "index1"}, "value", DType::kFloat,
                            {10, 20}, /*already_sorted=*/true),
                     "sparse"));
}

TEST(DocumentedExample, SequenceExampleWithSequenceStruct) {
  const Schema schema = SchemaOf(
      R"(feature {
           name: "##SEQUENCE##" type: STRUCT
           struct_domain {
             feature { name: "int_feature" type: INT
                       value_count { min: 0 max: 2 } }
             feature { name: "string_feature" type: BYTES
                       value_count { min: 0 max: 2 } }
           }
         })" +
      Group(Tensor("strings", R"(ragged_tensor { feature_path {
                step: "##SEQUENCE##" step: "string_feature" } })") +
            Tensor("ints", R"(ragged_tensor { feature_path {
                step: "##SEQUENCE##" step: "int_feature" } })")));
  const auto spec = testing::OrThrow(schema.SequenceExampleSpec());
  EXPECT_EQ(spec.ToJson(),
            FeatureSpec()
                .AddSequence("strings", Ragged(DType::kBytes, {},
                                               "string_feature", DType::kInt64))
                .AddSequence("ints", Ragged(DType::kInt64, {}, "int_feature",
                                            DType::kInt64))
                .ToJson());
  EXPECT_THAT(schema.ExampleSpec(), HasCode(ErrorCode::kBadSpec));
}

TEST(Representations, OfTheLastOfEqualNamesInTheFirstsPlace) {
  EXPECT_THAT(
      Tensors(R"(feature { name: "a" type: INT }
                 feature { name: "b" type: INT }
                 feature { name: "a" type: INT shape {}
                           presence { min_fraction: 1 } })"),
      ElementsAre(R"(a {"dense_tensor":{"column_name":"a","shape":{}}})",
                  R"(b {"varlen_sparse_tensor":{"column_name":"b"}})"));
}

TEST(Representations, OfSparseFeaturesTakeTheirParts) {
  EXPECT_THAT(
      Tensors(R"(feature { name: "i" type: INT int_domain { min: 0 max: 9 } }
                 feature { name: "v" type: INT }
                 feature { name: "w" type: INT }
                 sparse_feature { name: "s" index_feature { name: "i" }
                                  value_feature { name: "v" } })"),
      ElementsAre(
          R"(s {"sparse_tensor":{"dense_shape":{"dim":[{"size":"10"}]},)"
          R"("index_column_names":["i"],"value_column_name":"v"}})",
          R"(w {"varlen_sparse_tensor":{"column_name":"w"}})"));
}

TEST(Representations, OfSparseFeaturesNeedADomainFromZero) {
  const auto error = [](const std::string& domain) {
    return ErrorOfTensors("feature { name: \"i\" type: INT int_domain {" +
                          domain +
                          R"(} } feature { name: "v" type: INT }
                   sparse_feature { name: "s" index_feature { name: "i" }
                                    value_feature { name: "v" } })");
  };
  EXPECT_THAT(error("max: 9"), HasSubstr(R"("s" has index feature "i")"));
  EXPECT_THAT(error("min: 1 max: 9"), HasSubstr("begins at 1"));
  EXPECT_THAT(error("min: 0"), HasSubstr("has no max"));
  EXPECT_THAT(error("min: 0 max: 9223372036854775807"), HasSubstr("too large"));
}

TEST(Representations, OfAShapeNeedTheFeatureEverywhere) {
  for (const char* presence :
       {"", "presence { min_fraction: 0.99 }", "presence { min_count: 1 }",
        "presence { min_fraction: nan }",
        "group_presence { required: true }"}) {
    EXPECT_THAT(ErrorOfTensors(R"(feature { name: "f" type: INT shape {} )" +
                               std::string(presence) + "}"),
                HasSubstr("(I3)"))
        << presence;
  }
}

TEST(Representations, OfExcludedStagesAreNone) {
  for (const char* stage : {"PLANNED", "ALPHA", "DEPRECATED", "DEBUG_ONLY",
                            "DISABLED", "VALIDATION_DERIVED"}) {
    EXPECT_THAT(Tensors(R"(feature { name: "f" type: INT lifecycle_stage: )" +
                        std::string(stage) + "}"),
                IsEmpty())
        << stage;
  }
  EXPECT_EQ(Tensors(R"(feature { name: "f" lifecycle_stage: BETA })").size(),
            1u);
}

TEST(Representations, OfAnExplicitGroupHideWhatTheyRead) {
  EXPECT_THAT(
      Tensors(R"(feature { name: "x" type: INT }
                 feature { name: "y" type: INT }
                 feature { name: "value" type: FLOAT })" +
              Group(Tensor("y", R"(ragged_tensor {
                feature_path { step: "value" } })"))),
      ElementsAre(R"(y {"ragged_tensor":{"feature_path":{"step":["value"]}}})",
                  R"(x {"varlen_sparse_tensor":{"column_name":"x"}})"));
}

TEST(Representations, OfLegacyRulesHeedValueCounts) {
  const SchemaOptions legacy{.legacy = true};
  EXPECT_THAT(
      Tensors(R"(feature { name: "a" type: INT value_count { min: 3 max: 3 } }
                 feature { name: "b" type: INT value_count { min: 1 max: 2 } }
                 feature { name: "c" type: FLOAT shape {} })",
              legacy),
      ElementsAre(R"(a {"dense_tensor":{"column_name":"a",)"
                  R"("default_value":{"int_value":"-1"},)"
                  R"("shape":{"dim":[{"size":"3"}]}}})",
                  R"(b {"varlen_sparse_tensor":{"column_name":"b"}})",
                  R"(c {"varlen_sparse_tensor":{"column_name":"c"}})"));
  EXPECT_THAT(
      ErrorOfTensors(R"(feature { name: "a" value_count { min: 1 max: 1 } })",
                     legacy),
      HasSubstr("(I6)"));
}

TEST(ExampleSpec, RefusesDefaultsOfAnotherType) {
  const auto spec = [](const std::string& value) {
    return SpecOf(R"(feature { name: "c" type: INT })" +
                  Group(Tensor("t",
                               "dense_tensor { column_name: \"c\" "
                               "shape { dim { size: 2 } } "
                               "default_value { " +
                                   value + " } }")));
  };
  EXPECT_THAT(spec("int_value: 7"), HasSubstr("\"default\": [7, 7]"));
  for (const char* value :
       {"", "uint_value: 7", "float_value: 7", "bytes_value: \"7\""}) {
    EXPECT_THAT(spec(value), HasSubstr("(I9)")) << value;
  }
}

TEST(ExampleSpec, RefusesADefaultForTooManyValues) {
  EXPECT_THAT(SpecOf(R"(feature { name: "c" type: INT })" +
                     Group(Tensor("t", R"(dense_tensor { column_name: "c"
                       shape { dim { size: 4611686018427387904 }
                               dim { size: 8 } }
                       default_value { int_value: 1 } })"))),
              HasSubstr("(I9)"));
}

TEST(ExampleSpec, NamesTheColumnThatIsMissing) {
  EXPECT_THAT(SpecOf(Group(Tensor("t", R"(varlen_sparse_tensor {
                             column_name: "nope" })"))),
              HasSubstr(R"(tensor "t" is made of column "nope")"));
}

TEST(ExampleSpec, RefusesRaggedTensorsOfNothing) {
  EXPECT_THAT(SpecOf(Group(Tensor("t", "ragged_tensor { }"))),
              HasSubstr("has no feature_path (I10)"));
  EXPECT_THAT(SpecOf(Group(Tensor(
                  "t", "ragged_tensor { partition { row_length: \"n\" } }"))),
              HasSubstr("has no feature_path (I10)"));
}

TEST(SequenceExampleSpec, RefusesSparseFeaturesOfAnInnerStruct) {
  const auto spec = SchemaOf(R"(feature { name: "s" type: STRUCT struct_domain {
                      feature { name: "t" type: STRUCT struct_domain {
                        feature { name: "i" type: INT }
                        sparse_feature { name: "p" index_feature { name: "i" }
                          value_feature { name: "i" } } } } } })" +
                             Group(""))
                        .SequenceExampleSpec();
  EXPECT_THAT(spec, HasCode(ErrorCode::kBadSpec));
  EXPECT_THAT(spec.status().ToString(), HasSubstr("(I4)"));
}

TEST(SequenceExampleSpec, NeedsAnExplicitGroup) {
  const auto spec =
      SchemaOf(R"(feature { name: "a" type: INT })").SequenceExampleSpec();
  EXPECT_THAT(spec, HasCode(ErrorCode::kBadSpec));
}

}  // namespace
}  // namespace headrace
