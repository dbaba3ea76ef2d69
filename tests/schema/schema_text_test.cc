// What libprotobuf or Python's parser reads, and what neither does.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "headrace/schema.h"
#include "tests/schema/schema_texts.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

std::vector<std::string> Names(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& feature : SchemaOf(text).features)
    names.push_back(feature.name);
  return names;
}

TEST(SchemaTextTest, NothingIsAnEmptySchema) {
  for (const char* text : {"", " \n\t\r\v\f", "# only a comment", "#\n#\n",
                           "\xEF\xBB\xBF", "\xEF\xBB\xBF# BOM\n"}) {
    EXPECT_EQ(SchemaOf(text), Schema()) << text;
    EXPECT_THAT(Schema::Parse(text), IsOk());
  }
  EXPECT_EQ(Schema::FromText(std::string_view()).ok(), true);
}

TEST(SchemaTextTest, Feature) {
  const Schema schema = SchemaOf(R"(
feature {
  name: "a"
  type: INT
  domain: "of strings"
  presence { min_fraction: 0.5 min_count: 3 }
  shape { dim { size: 2 name: "rows" } dim {} }
  lifecycle_stage: BETA
  deprecated: true
}
feature { name: "b" value_count { min: 1 max: 2 } int_domain { max: 9 } }
feature { name: "c" presence {} shape {} }
represent_variable_length_as_ragged: true)");
  ASSERT_EQ(schema.features.size(), 3u);
  EXPECT_TRUE(schema.represent_variable_length_as_ragged);
  EXPECT_EQ(schema.features[0],
            (tfmd::Feature{
                .name = "a",
                .type = tfmd::FeatureType::kInt,
                .deprecated = true,
                .lifecycle_stage = tfmd::LifecycleStage::kBeta,
                .presence =
                    tfmd::FeaturePresence{.min_fraction = 0.5, .min_count = 3},
                .shape = tfmd::FixedShape{{{.size = 2, .name = "rows"}, {}}},
                .domain = "of strings"}));
  EXPECT_EQ(schema.features[1],
            (tfmd::Feature{.name = "b",
                           .value_count = tfmd::ValueCount{.min = 1, .max = 2},
                           .int_domain = tfmd::IntDomain{.max = 9}}));
  // There and empty, which is not the same as absent.
  EXPECT_EQ(schema.features[2],
            (tfmd::Feature{.name = "c",
                           .presence = tfmd::FeaturePresence(),
                           .shape = tfmd::FixedShape()}));
}

TEST(SchemaTextTest, SparseAndStruct) {
  const Schema schema = SchemaOf(R"(
sparse_feature {
  name: "s" index_feature { name: "i" } index_feature { name: "j" }
  value_feature { name: "v" } is_sorted: true lifecycle_stage: DISABLED
  dense_shape { dim { size: 1 } } type: INT presence {}
}
feature {
  name: "##SEQUENCE##" type: STRUCT
  struct_domain {
    feature { name: "x" type: BYTES }
    sparse_feature { name: "t" }
  }
})");
  EXPECT_THAT(schema.sparse_features,
              ElementsAre(tfmd::SparseFeature{
                  .name = "s",
                  .lifecycle_stage = tfmd::LifecycleStage::kDisabled,
                  .index_features = {"i", "j"},
                  .value_feature = "v",
                  .is_sorted = true}));
  ASSERT_EQ(schema.features.size(), 1u);
  EXPECT_EQ(schema.features[0].name, kSequenceColumn);
  EXPECT_EQ(schema.features[0].type, tfmd::FeatureType::kStruct);
  EXPECT_THAT(schema.features[0].children,
              ElementsAre(tfmd::Feature{.name = "x",
                                        .type = tfmd::FeatureType::kBytes}));
  EXPECT_THAT(schema.features[0].sparse_children,
              ElementsAre(tfmd::SparseFeature{.name = "t"}));
}

TEST(SchemaTextTest, TensorRepresentations) {
  const Schema schema = SchemaOf(R"(
tensor_representation_group { key: "" value {
  tensor_representation { key: "d" value { dense_tensor {
    column_name: "c" shape { dim { size: 1 } } default_value { int_value: 7 }
  } } }
  tensor_representation { key: "v" value {
    varlen_sparse_tensor { column_name: "c" } } }
  tensor_representation { key: "s" value { sparse_tensor {
    dense_shape {} index_column_names: ["i", "j"] value_column_name: "v"
    already_sorted: false } } }
  tensor_representation { key: "r" value { ragged_tensor {
    feature_path { step: "a" step: "b" } row_partition_dtype: INT32
    partition { uniform_row_length: 2 } partition { row_length: "l" }
    partition {} } } }
  tensor_representation { key: "none" }
} })");
  ASSERT_EQ(schema.groups.size(), 1u);
  EXPECT_EQ(schema.groups[0].name, "");
  using Representation = tfmd::TensorRepresentation;
  EXPECT_THAT(
      schema.groups[0].tensors,
      ElementsAre(
          Representation{"d",
                         tfmd::DenseTensor{"c", tfmd::FixedShape{{{1}}},
                                           tfmd::DefaultValue{int64_t{7}}}},
          Representation{"v", tfmd::VarLenSparseTensor{"c"}},
          Representation{
              "s",
              tfmd::SparseTensor{tfmd::FixedShape(), {"i", "j"}, "v", false}},
          Representation{"r",
                         tfmd::RaggedTensor{
                             std::vector<std::string>{"a", "b"},
                             {int64_t{2}, std::string("l"), std::monostate()},
                             tfmd::RowPartitionDType::kInt32}},
          Representation{"none", {}}));
}

// The default of a dense tensor.
tfmd::DefaultValue DefaultOf(const std::string& field) {
  const Schema schema = SchemaOf(
      "tensor_representation_group { value { tensor_representation { value { "
      "dense_tensor { default_value { " +
      field + " } } } } } }");
  const auto* tensor =
      std::get_if<tfmd::DenseTensor>(&schema.groups.at(0).tensors.at(0).kind);
  return tensor == nullptr ? tfmd::DefaultValue() : *tensor->default_value;
}

TEST(SchemaTextTest, Defaults) {
  EXPECT_EQ(DefaultOf("").value.index(), 0u);
  EXPECT_EQ(DefaultOf("float_value: - 2.5").value.index(), 1u);
  EXPECT_EQ(std::get<double>(DefaultOf("float_value: - 2.5").value), -2.5);
  EXPECT_EQ(std::get<int64_t>(DefaultOf("int_value: -1").value), -1);
  EXPECT_EQ(std::get<std::string>(DefaultOf("bytes_value: '\\377\\x00'").value),
            std::string("\xFF\0", 2));
  EXPECT_EQ(
      std::get<uint64_t>(DefaultOf("uint_value: 18446744073709551615").value),
      ~uint64_t{0});
  EXPECT_EQ(std::get<uint64_t>(DefaultOf("uint_value: -0").value), 0u);
}

TEST(SchemaTextTest, AnErrorSaysWhatTheFieldTakes) {
  const auto in_default = [](const std::string& field) {
    return ErrorOf(
        "tensor_representation_group { key: '' value { tensor_representation { "
        "key: 't' value { dense_tensor { default_value { " +
        field + " } } } } } }");
  };
  EXPECT_THAT(in_default("int_value: x"), HasSubstr("a whole number (int64)"));
  EXPECT_THAT(in_default("uint_value: x"),
              HasSubstr("a whole number (uint64)"));
  EXPECT_THAT(in_default("float_value: x"), HasSubstr("a decimal number"));
  EXPECT_THAT(in_default("bytes_value: 5"), HasSubstr("a string in quotes"));
  EXPECT_THAT(ErrorOf("feature { deprecated: 2 }"),
              HasSubstr("expected true or false"));
  EXPECT_THAT(ErrorOf("feature { shape: 2 }"),
              HasSubstr("expected \"{\" or \"<\""));
  EXPECT_THAT(ErrorOf("feature { type: 'INT' }"),
              HasSubstr("expected a value of the enum "));
}

TEST(SchemaTextTest, CommentsAndBrackets) {
  EXPECT_THAT(Names("feature # {\n { name # :\n : # \"\n 'a' }"),
              ElementsAre("a"));
  EXPECT_THAT(Names("feature{name:'a'}feature:{name:'b'}feature<name:'c'>"
                    "feature : < name : 'd' >"),
              ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(ErrorOf("feature {} // no"),
              "line 1, column 12: expected the name of a field, found \"/\"");
  EXPECT_THAT(ErrorOf("/* no */"), StartsWith("line 1, column 1: "));
  EXPECT_EQ(ErrorOf("feature <\n name: 'a' }"),
            "line 2, column 12: expected the name of a field or the \">\" of "
            "line 1, column 9, found \"}\"");
  EXPECT_EQ(ErrorOf("feature {"),
            "line 1, column 10: expected the name of a field or the \"}\" of "
            "line 1, column 9, found the end of the text");
  EXPECT_THAT(ErrorOf("feature {}}"), StartsWith("line 1, column 11: "));
  EXPECT_EQ(ErrorOf("feature 5"),
            "line 1, column 9: expected \"{\" or \"<\" for \"feature\", found "
            "\"5\"");
  EXPECT_EQ(ErrorOf("feature { name 'a' }"),
            "line 1, column 16: expected \":\" after \"name\", found the "
            "string \"a\"");
}

TEST(SchemaTextTest, Separators) {
  EXPECT_THAT(Names("feature { name: 'a'; type: INT, }, feature {};"),
              ElementsAre("a", ""));
  for (const char* text :
       {"feature {},;", "feature {};,", ",feature {}", "feature { , }",
        "feature { name: 'a',, }", "feature { ; name: 'a' }"}) {
    EXPECT_THAT(ErrorOf(text), StartsWith("line 1, column ")) << text;
  }
}

TEST(SchemaTextTest, Lists) {
  EXPECT_THAT(Names("feature: [ { name: 'a' }, < name: 'b' > ] feature []"
                    "feature [ { name: 'c' } ] feature { name: 'd' }"),
              ElementsAre("a", "b", "c", "d"));
  SchemaOf(
      "default_environment: ['a' \"b\", 'c'] default_environment: []"
      "annotation { tag: [] tag: 'x' }");
  EXPECT_EQ(ErrorOf("default_environment: ['a',]"),
            "line 1, column 27: expected a string in quotes for "
            "\"default_environment\", found \"]\"");
  EXPECT_EQ(ErrorOf("feature: [ {} {} ]"),
            "line 1, column 15: expected \",\" or \"]\" in the list of "
            "\"feature\", found \"{\"");
  EXPECT_EQ(ErrorOf("feature { name: ['a'] }"),
            "line 1, column 17: expected a string in quotes for \"name\", "
            "which is not repeated, found \"[\"");
  for (const char* text :
       {"feature: [,]", "feature: [", "feature [[{}]]", "feature [{},]",
        "default_environment ['a']", "annotation [{}]", "feature: [{}}"}) {
    EXPECT_THAT(ErrorOf(text), StartsWith("line 1, column ")) << text;
  }
}

TEST(SchemaTextTest, Twice) {
  EXPECT_EQ(ErrorOf("feature { name: 'a' name: 'b' }"),
            "line 1, column 21: a second \"name\" in one Feature");
  EXPECT_EQ(ErrorOf("feature { presence {} presence {} }"),
            "line 1, column 23: a second \"presence\" in one Feature");
  EXPECT_EQ(ErrorOf("feature { shape {} value_count {} }"),
            "line 1, column 20: \"value_count\" and \"shape\" in one Feature, "
            "which has only one of them");
  for (const char* text :
       {"feature { presence {} group_presence {} }",
        "feature { domain: 'a' int_domain {} }",
        "feature { value_counts {} shape {} }",
        "feature { time_domain { string_format: '' integer_format: 1 } }",
        "feature { deprecated: false deprecated: false }",
        "tensor_representation_group { key: '' key: '' }"}) {
    EXPECT_THAT(ErrorOf(text), StartsWith("line 1, column ")) << text;
  }
  SchemaOf("feature { presence {} shape {} domain: 'a' }");
}

TEST(SchemaTextTest, Maps) {
  const Schema schema = SchemaOf(
      "tensor_representation_group: [ { value {} key: 'a' }, { key: 'b' } ]"
      "tensor_representation_group { value { tensor_representation {"
      "  value { varlen_sparse_tensor { column_name: 'c' } } key: 't' } } }"
      "tensor_representation_group { key: 'a' value {"
      "  tensor_representation { key: 'u' }"
      "  tensor_representation { key: 'v' }"
      "  tensor_representation { key: 'u' value { dense_tensor {} } } } }");
  ASSERT_EQ(schema.groups.size(), 3u);
  EXPECT_EQ(schema.groups[0].name, "a");  // the later value
  EXPECT_THAT(schema.groups[0].tensors,
              ElementsAre(tfmd::TensorRepresentation{"u", tfmd::DenseTensor()},
                          tfmd::TensorRepresentation{"v", {}}));
  EXPECT_EQ(schema.groups[1].name, "b");
  EXPECT_THAT(schema.groups[1].tensors, IsEmpty());
  EXPECT_EQ(schema.groups[2].name, "");
  EXPECT_EQ(schema.groups[2].tensors.at(0).name, "t");
}

TEST(SchemaTextTest, Any) {
  const auto with = [](const std::string& body) {
    return "annotation { extra_metadata { " + body + " } }";
  };
  for (const char* body :
       {"", "type_url: 'a/b' value: '\\xff'", "[type.googleapis.com/x.Y] {}",
        "[a.com/b-c/x.Y]: < odd { [] : 08 'x' # }\n } @ >",
        "[a/x.Y] { a: [1, <>] b { c: \"}\" } }"}) {
    EXPECT_EQ(SchemaOf(with(body)), Schema()) << body;
  }
  for (const char* body :
       {"[a/b] {", "[a/b] { ( } > }", "[a/b] { < } >", "[a/b] { [ }", "[a/b]",
        "[x.Y] {}", "[] {}", "[a/] {}", "[/a] {}", "[a/'b'] {}", "[a/b] 5",
        "[a/b] { 'x }", "type_url: 5", "[a/b {} ]"}) {
    EXPECT_THAT(ErrorOf(with(body)), StartsWith("line 1, column ")) << body;
  }
  EXPECT_THAT(ErrorOf("feature { [a.b]: 1 }"),
              StartsWith("line 1, column 11: expected the name of a field"));
  EXPECT_THAT(ErrorOf("[a/b] {}"), StartsWith("line 1, column 1: "));
  EXPECT_THAT(ErrorOf("1: 'a'"), StartsWith("line 1, column 1: "));
}

TEST(SchemaTextTest, UnknownFields) {
  EXPECT_EQ(ErrorOf("feature {}\n  featur {}"),
            "line 2, column 3: unknown field \"featur\" of Schema; did you "
            "mean \"feature\"?");
  EXPECT_EQ(ErrorOf("FEATURE {}"),
            "line 1, column 1: unknown field \"FEATURE\" of Schema; did you "
            "mean \"feature\"?");
  // What is not kept is checked all the same.
  EXPECT_EQ(ErrorOf("feature { annotation { zzz: 1 } }"),
            "line 1, column 24: unknown field \"zzz\" of Annotation; its "
            "fields are \"tag\", \"comment\", \"extra_metadata\"");
  EXPECT_EQ(ErrorOf("feature { url_domain { x: 1 } }"),
            "line 1, column 24: unknown field \"x\" of URLDomain, which has "
            "none");
  EXPECT_THAT(
      ErrorOf("string_domain { utf8_encoded: true }"),
      StartsWith(
          "line 1, column 17: unknown field \"utf8_encoded\" of StringDomain"));
  EXPECT_EQ(ErrorOf("feature @ {}"),
            "line 1, column 9: expected \"{\" or \"<\" for \"feature\", found "
            "\"@\"");
  EXPECT_EQ(ErrorOf("f\xC3\xA9 {}").substr(0, 17), "line 1, column 1:");
}

TEST(SchemaTextTest, Anomalies) {
  EXPECT_EQ(ErrorOf("baseline { feature { name: 'a' } }"),
            "line 1, column 1: \"baseline\" is a field of Anomalies, which a "
            "validation reports; expected a Schema");
}

TEST(SchemaTextTest, FieldsOfThePast) {
  EXPECT_EQ(
      SchemaOf(
          "generate_legacy_feature_spec: false\n"
          "sequence { name: 'x' feature < > length_constraint { min: 1 } }\n"
          "sequence: [ {}, < a [ ] > ]\n"
          "feature { name: 'a' comment: 'c' derived_source { x: \"}\" } }\n"
          "sparse_feature { name: 's' comment: 'c' domain { ints {} } }"),
      SchemaOf("feature { name: 'a' } sparse_feature { name: 's' }"));
  for (const char* text :
       {"generate_legacy_feature_spec: 5", "sequence { ]", "sequence 5",
        "feature { comment: c }", "sequence { {",
        "generate_legacy_feature_spec: true generate_legacy_feature_spec: true",
        "feature { natural_language_domain { location_constraint_regex: '' } "
        "}"}) {
    EXPECT_THAT(ErrorOf(text), StartsWith("line 1, column ")) << text;
  }
}

TEST(SchemaTextTest, EverythingThatIsNotKept) {
  EXPECT_EQ(SchemaOf(R"(
annotation { tag: "t" comment: "c" }
tensor_representation_group {})"),
            SchemaOf("tensor_representation_group { key: '' }"));
  EXPECT_EQ(SchemaOf(R"(
feature {
  name: "a"
  natural_language_domain {
    vocabulary: "v"
    coverage { min_coverage: 1 excluded_int_tokens: [1, -2] }
    token_constraints { int_value: 1 min_per_sequence: 2 }
    sequence_length_constraints { excluded_string_value: "x" }
  }
  skew_comparator {
    infinity_norm {}
    jensen_shannon_divergence { source { type: DEFAULT } }
    normalized_abs_difference {}
  }
  validation_derived_source {
    deriver_name: "d" source_path { step: "s" }
    config { allowlist { allowed_bytes_value: ["\xff"] } }
  }
  sequence_metadata { sequential_status: SEQUENTIAL_YES joint_group: "g" }
})"),
            SchemaOf("feature { name: 'a' natural_language_domain {} "
                     "skew_comparator {} }"));
}

}  // namespace
}  // namespace headrace::testing
