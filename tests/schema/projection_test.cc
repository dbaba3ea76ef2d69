// Rules I12 and I13, and warnings.

#include <string>
#include <vector>

#include "headrace/schema.h"
#include "tests/schema/schema_texts.h"
#include "tests/support/matchers.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::OrThrow;
using testing::SchemaOf;

constexpr char kWide[] = R"(
  feature { name: "a" type: INT }
  feature { name: "i" type: INT int_domain { min: 0 max: 9 } }
  feature { name: "v" type: FLOAT }
  feature { name: "b" type: BYTES }
  feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
    feature { name: "x" type: INT } feature { name: "y" type: INT } } }
  sparse_feature { name: "s" index_feature { name: "i" }
                   value_feature { name: "v" } }
)";

std::vector<std::string> FeatureNames(const Schema& schema) {
  std::vector<std::string> names;
  for (const tfmd::Feature& feature : schema.features) {
    names.push_back(feature.name);
    for (const tfmd::Feature& child : feature.children) {
      names.push_back(feature.name + "." + child.name);
    }
  }
  return names;
}

std::vector<std::string> TensorNames(const Schema& schema) {
  std::vector<std::string> names;
  const auto tensors = schema.Representations();
  EXPECT_THAT(tensors, IsOk());
  if (!tensors.ok()) return names;
  for (const auto& tensor : *tensors) names.push_back(tensor.name);
  return names;
}

TEST(Project, KeepsTheColumnsOfTheTensors) {
  const auto schema =
      OrThrow(SchemaOf(kWide).Project({"b", "s", "##SEQUENCE##.y", "b"}));
  EXPECT_THAT(FeatureNames(schema),
              ElementsAre("i", "v", "b", "##SEQUENCE##", "##SEQUENCE##.y"));
  EXPECT_THAT(TensorNames(schema), ElementsAre("b", "s", "##SEQUENCE##.y"));
  EXPECT_THAT(schema.sparse_features, IsEmpty());
}

TEST(Project, OnNothingIsLegal) {
  const auto schema = OrThrow(SchemaOf(kWide).Project({}));
  EXPECT_THAT(FeatureNames(schema), IsEmpty());
  EXPECT_THAT(TensorNames(schema), IsEmpty());
}

TEST(Project, RefusesNamesThatAreNone) {
  const auto schema = SchemaOf(kWide).Project({"##SEQUENCE##.z"});
  ASSERT_THAT(schema, HasCode(ErrorCode::kBadSpec));
  EXPECT_THAT(schema.status().ToString(),
              HasSubstr("did you mean \"##SEQUENCE##.x\"?"));
}

TEST(Project, RefusesTensorsOfMissingColumns) {
  const auto schema = SchemaOf(R"(
    feature { name: "v" type: INT }
    tensor_representation_group { key: "" value { tensor_representation {
      key: "t" value { sparse_tensor { dense_shape { dim { size: 1 } }
        index_column_names: "nope" value_column_name: "v" } } } } }
  )")
                          .Project({"t"});
  ASSERT_THAT(schema, HasCode(ErrorCode::kBadSpec));
  EXPECT_THAT(schema.status().ToString(), HasSubstr("nope"));
}

std::string Validated(const std::string& text,
                      const SchemaOptions& options = {}) {
  const Status status = SchemaOf(text).Validate(options);
  return status.ok() ? "" : status.ToString();
}

std::string ReadingColumn(const std::string& column) {
  return "tensor_representation_group { key: \"\" value { "
         "tensor_representation { key: \"t\" value { varlen_sparse_tensor { "
         "column_name: \"" +
         column + "\" } } } } }";
}

TEST(Validate, WantsEveryFeatureUsedAndNoOther) {
  EXPECT_THAT(Validated(R"(feature { name: "a" type: INT })"),
              HasSubstr("does not exist"));
  EXPECT_EQ(
      Validated(R"(feature { name: "a" type: INT })" + ReadingColumn("a")), "");
  EXPECT_THAT(Validated(R"(feature { name: "a" type: INT }
                           feature { name: "b" type: INT })" +
                        ReadingColumn("a")),
              HasSubstr("\"b\" is part of no tensor"));
  EXPECT_THAT(Validated(ReadingColumn("a")), HasSubstr("column \"a\""));
}

TEST(Validate, WantsTheChildrenOfAStruct) {
  constexpr char kStruct[] = R"(feature { name: "##SEQUENCE##" type: STRUCT
      struct_domain { feature { name: "x" type: INT } } })";
  EXPECT_THAT(Validated(kStruct + ReadingColumn("x")),
              HasSubstr("column \"x\""));
  EXPECT_THAT(Validated(std::string(kStruct) +
                        R"(tensor_representation_group { key: "" value { } })"),
              HasSubstr("\"##SEQUENCE##.x\" is part of no tensor"));
}

// A tensor that is made of nothing.
TEST(Validate, RefusesRowLengthsBesideNothing) {
  constexpr char kRagged[] = R"(tensor_representation_group { key: "" value {
      tensor_representation { key: "t" value { ragged_tensor {
        partition { row_length: "n" } } } } } })";
  EXPECT_THAT(Validated(kRagged), HasSubstr("has no feature_path"));
  EXPECT_THAT(SchemaOf(kRagged).Warnings(), IsEmpty());
}

TEST(Warnings, NameFeaturesDefinedTwiceAndHidden) {
  EXPECT_THAT(SchemaOf(kWide).Warnings(), IsEmpty());
  EXPECT_THAT(SchemaOf(R"(feature { name: "a" type: INT }
                        feature { name: "a" type: BYTES })")
                  .Warnings(),
              ElementsAre(HasSubstr("\"a\" is defined more than once")));
  EXPECT_THAT(SchemaOf(R"(feature { name: "t" type: INT }
                        feature { name: "a" type: INT })" +
                       ReadingColumn("a"))
                  .Warnings(),
              ElementsAre(HasSubstr("tensor \"t\" hides the feature")));
  EXPECT_THAT(
      SchemaOf(R"(feature { name: "t" type: INT })" + ReadingColumn("t"))
          .Warnings(),
      IsEmpty());
}

// The parts of ##SEQUENCE## may come in several.
TEST(Warnings, LetTheSequenceComeTwice) {
  constexpr char kStruct[] = R"(feature { name: "##SEQUENCE##" type: STRUCT
      struct_domain { feature { name: "x" type: INT } } })";
  EXPECT_THAT(SchemaOf(std::string(kStruct) + kStruct).Warnings(), IsEmpty());
}

}  // namespace
}  // namespace headrace
