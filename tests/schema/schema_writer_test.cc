// Schema::ToText against what protobuf's own printers write.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/schema.h"

namespace headrace::testing {
namespace {

using tfmd::FeatureType;
using tfmd::LifecycleStage;

// Which also reads as what was written. (A schema with a NaN never equals
// itself; its text does.)
std::string Written(const Schema& schema) {
  std::string text = schema.ToText();
  const auto again = Schema::FromText(text);
  EXPECT_EQ(again.ok() ? again->ToText() : again.status().ToString(), text);
  return text;
}

std::string TextOf(tfmd::Feature feature) {
  return Written(Schema{.features = {std::move(feature)}});
}

// The line of the name in a schema of one feature, from the quote on.
std::string Quoted(std::string_view name) {
  const std::string text = TextOf({.name = std::string(name)});
  constexpr std::string_view kBefore = "feature {\n  name: ";
  constexpr std::string_view kAfter = "\n}\n";
  EXPECT_TRUE(text.starts_with(kBefore) && text.ends_with(kAfter)) << text;
  return text.substr(kBefore.size(),
                     text.size() - kBefore.size() - kAfter.size());
}

std::string Fraction(double value) {
  const std::string text =
      TextOf({.presence = tfmd::FeaturePresence{.min_fraction = value}});
  const size_t start = text.find("min_fraction: ") + 14;
  return text.substr(start, text.find('\n', start) - start);
}

// In the group "", under the name "t"; without the lines around it.
std::string RepresentationText(tfmd::TensorRepresentation tensor) {
  tensor.name = "t";
  const Schema schema{.groups = {{.tensors = {std::move(tensor)}}}};
  std::string text = Written(schema);
  constexpr std::string_view kBefore = R"(tensor_representation_group {
  key: ""
  value {
    tensor_representation {
      key: "t"
      value {
)";
  constexpr std::string_view kAfter = "      }\n    }\n  }\n}\n";
  EXPECT_TRUE(text.starts_with(kBefore) && text.ends_with(kAfter)) << text;
  text =
      text.substr(kBefore.size(), text.size() - kBefore.size() - kAfter.size());
  std::string out;  // eight columns to the left
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at) + 1;
    out += text.substr(at + 8, end - at - 8);
    at = end;
  }
  return out;
}

std::string DefaultText(tfmd::DefaultValue value) {
  return RepresentationText(
      {.kind = tfmd::DenseTensor{.default_value = std::move(value)}});
}

TEST(SchemaWriter, AnEmptySchemaIsNoText) {
  EXPECT_EQ(Written(Schema()), "");
  EXPECT_EQ(Written(Schema{.represent_variable_length_as_ragged = true}),
            "represent_variable_length_as_ragged: true\n");
}

TEST(SchemaWriter, FieldsComeInTheOrderOfTheirNumbers) {
  EXPECT_EQ(TextOf({.name = "a",
                    .type = FeatureType::kInt,
                    .deprecated = true,
                    .lifecycle_stage = LifecycleStage::kBeta,
                    .presence = tfmd::FeaturePresence{0.5, 3},
                    .shape = tfmd::FixedShape{{{2, "rows"}, {-1, {}}, {}}},
                    .int_domain = tfmd::IntDomain{0, 9}}),
            R"(feature {
  name: "a"
  deprecated: true
  type: INT
  int_domain {
    min: 0
    max: 9
  }
  presence {
    min_fraction: 0.5
    min_count: 3
  }
  lifecycle_stage: BETA
  shape {
    dim {
      size: 2
      name: "rows"
    }
    dim {
      size: -1
    }
    dim {
    }
  }
}
)");
  EXPECT_EQ(TextOf({.name = "b",
                    .type = FeatureType::kFloat,
                    .value_count = tfmd::ValueCount{{}, 4}}),
            R"(feature {
  name: "b"
  value_count {
    max: 4
  }
  type: FLOAT
}
)");
}

TEST(SchemaWriter, WhatIsThereAndEmptyIsWritten) {
  EXPECT_EQ(TextOf({.presence = tfmd::FeaturePresence(),
                    .shape = tfmd::FixedShape(),
                    .int_domain = tfmd::IntDomain()}),
            R"(feature {
  name: ""
  int_domain {
  }
  presence {
  }
  shape {
  }
}
)");
}

TEST(SchemaWriter, ChildrenAreInTheStructDomain) {
  const tfmd::Feature child{.name = "x", .type = FeatureType::kBytes};
  const tfmd::Feature inner{
      .name = "y", .type = FeatureType::kStruct, .children = {child}};
  EXPECT_EQ(TextOf({.name = "##SEQUENCE##",
                    .type = FeatureType::kStruct,
                    .children = {child, inner},
                    .sparse_children = {{.name = "z"}}}),
            R"(feature {
  name: "##SEQUENCE##"
  type: STRUCT
  struct_domain {
    feature {
      name: "x"
      type: BYTES
    }
    feature {
      name: "y"
      type: STRUCT
      struct_domain {
        feature {
          name: "x"
          type: BYTES
        }
      }
    }
    sparse_feature {
      name: "z"
    }
  }
}
)");
}

TEST(SchemaWriter, SparseFeatures) {
  const Schema schema{
      .features = {{.name = "v"}},
      .sparse_features = {{.name = "s",
                           .deprecated = true,
                           .lifecycle_stage = LifecycleStage::kDisabled,
                           .index_features = {"i", ""},
                           .value_feature = "v",
                           .is_sorted = true}}};
  EXPECT_EQ(Written(schema), R"(feature {
  name: "v"
}
sparse_feature {
  name: "s"
  deprecated: true
  index_feature {
    name: "i"
  }
  index_feature {
    name: ""
  }
  lifecycle_stage: DISABLED
  is_sorted: true
  value_feature {
    name: "v"
  }
}
)");
}

TEST(SchemaWriter, Enums) {
  EXPECT_EQ(tfmd::FeatureTypeName(FeatureType::kUnknown), "TYPE_UNKNOWN");
  EXPECT_EQ(tfmd::FeatureTypeName(FeatureType::kStruct), "STRUCT");
  const std::vector<std::pair<LifecycleStage, std::string>> stages = {
      {LifecycleStage::kPlanned, "PLANNED"},
      {LifecycleStage::kAlpha, "ALPHA"},
      {LifecycleStage::kBeta, "BETA"},
      {LifecycleStage::kProduction, "PRODUCTION"},
      {LifecycleStage::kDeprecated, "DEPRECATED"},
      {LifecycleStage::kDebugOnly, "DEBUG_ONLY"},
      {LifecycleStage::kDisabled, "DISABLED"},
      {LifecycleStage::kValidationDerived, "VALIDATION_DERIVED"}};
  for (const auto& [stage, name] : stages) {
    EXPECT_EQ(TextOf({.name = "a", .lifecycle_stage = stage}),
              "feature {\n  name: \"a\"\n  lifecycle_stage: " + name + "\n}\n");
  }
}

TEST(SchemaWriter, Strings) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("a b~"), R"("a b~")");
  EXPECT_EQ(Quoted("\"'\\\n\r\t"), R"("\"\'\\\n\r\t")");
  EXPECT_EQ(Quoted({"\0\x01\x1f\x7f", 4}), R"("\000\001\037\177")");
  EXPECT_EQ(Quoted("\a\b1"), R"("\007\0101")");
  EXPECT_EQ(Quoted("é李😀"), "\"é李😀\"");
  // U+0080, U+009F and U+00A0: terminals obey the first two.
  EXPECT_EQ(Quoted("\xc2\x80\xc2\x9f\xc2\xa0"),
            "\"\\302\\200\\302\\237\xc2\xa0\"");
  EXPECT_EQ(Quoted("\xe2\x82\x80"), "\"\xe2\x82\x80\"");
  // Not UTF-8.
  EXPECT_EQ(Quoted("é\xff"), R"("\303\251\377")");
  EXPECT_EQ(Quoted("\xc2"), R"("\302")");
}

TEST(SchemaWriter, Doubles) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<double, std::string>> cases = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1, "1.0"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {1.0 / 3, "0.3333333333333333"},
      {100000, "100000.0"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},
      {123456789012345680.0, "1.2345678901234568e+17"},
      {0.0001, "0.0001"},
      {0.00001, "1e-05"},
      {-2.5e-300, "-2.5e-300"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
      {std::numeric_limits<double>::denorm_min(), "5e-324"},
      {infinity, "inf"},
      {-infinity, "-inf"},
      {nan, "nan"},
      {-nan, "nan"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(Fraction(value), text);
}

TEST(SchemaWriter, DenseTensors) {
  EXPECT_EQ(RepresentationText({.kind = tfmd::DenseTensor()}),
            "dense_tensor {\n}\n");
  EXPECT_EQ(
      RepresentationText(
          {.kind = tfmd::DenseTensor{.column_name = "c",
                                     .shape = tfmd::FixedShape{{{1, {}}}},
                                     .default_value =
                                         tfmd::DefaultValue{int64_t{-1}}}}),
      R"(dense_tensor {
  column_name: "c"
  shape {
    dim {
      size: 1
    }
  }
  default_value {
    int_value: -1
  }
}
)");
}

TEST(SchemaWriter, Defaults) {
  const auto expect = [](tfmd::DefaultValue value, const std::string& line) {
    EXPECT_EQ(DefaultText(std::move(value)),
              "dense_tensor {\n  default_value {\n" + line + "  }\n}\n");
  };
  expect({}, "");
  expect({2.5}, "    float_value: 2.5\n");
  expect({std::numeric_limits<int64_t>::min()},
         "    int_value: -9223372036854775808\n");
  expect({std::numeric_limits<uint64_t>::max()},
         "    uint_value: 18446744073709551615\n");
  // Bytes are no text, not even where they are UTF-8.
  expect({std::string("é\0a", 4)}, "    bytes_value: \"\\303\\251\\000a\"\n");
}

TEST(SchemaWriter, VarLenAndSparseTensors) {
  EXPECT_EQ(RepresentationText({}), "");
  EXPECT_EQ(RepresentationText({.kind = tfmd::VarLenSparseTensor()}),
            "varlen_sparse_tensor {\n}\n");
  EXPECT_EQ(RepresentationText({.kind = tfmd::VarLenSparseTensor{""}}),
            "varlen_sparse_tensor {\n  column_name: \"\"\n}\n");
  EXPECT_EQ(RepresentationText({.kind = tfmd::SparseTensor()}),
            "sparse_tensor {\n}\n");
  EXPECT_EQ(RepresentationText(
                {.kind = tfmd::SparseTensor{.dense_shape =
                                                tfmd::FixedShape{{{7, "n"}}},
                                            .index_column_names = {"i", "j"},
                                            .value_column_name = "v",
                                            .already_sorted = false}}),
            R"(sparse_tensor {
  dense_shape {
    dim {
      size: 7
      name: "n"
    }
  }
  index_column_names: "i"
  index_column_names: "j"
  value_column_name: "v"
  already_sorted: false
}
)");
}

TEST(SchemaWriter, RaggedTensors) {
  using Partition = tfmd::RaggedTensor::Partition;
  EXPECT_EQ(RepresentationText({.kind = tfmd::RaggedTensor()}),
            "ragged_tensor {\n}\n");
  EXPECT_EQ(
      RepresentationText(
          {.kind =
               tfmd::RaggedTensor{
                   .feature_path =
                       std::vector<std::string>{"##SEQUENCE##", "x"},
                   .partitions = {Partition("rows"), Partition(int64_t{3}),
                                  Partition()},
                   .row_partition_dtype = tfmd::RowPartitionDType::kInt32}}),
      R"(ragged_tensor {
  feature_path {
    step: "##SEQUENCE##"
    step: "x"
  }
  row_partition_dtype: INT32
  partition {
    row_length: "rows"
  }
  partition {
    uniform_row_length: 3
  }
  partition {
  }
}
)");
  for (const auto& [dtype, name] :
       {std::pair(tfmd::RowPartitionDType::kUnspecified, "UNSPECIFIED"),
        std::pair(tfmd::RowPartitionDType::kInt64, "INT64")}) {
    EXPECT_EQ(RepresentationText(
                  {.kind = tfmd::RaggedTensor{.feature_path =
                                                  std::vector<std::string>(),
                                              .row_partition_dtype = dtype}}),
              std::string("ragged_tensor {\n  feature_path {\n  }\n"
                          "  row_partition_dtype: ") +
                  name + "\n}\n");
  }
}

TEST(SchemaWriter, GroupsKeepTheirOrder) {
  const Schema schema{
      .represent_variable_length_as_ragged = true,
      .groups = {{.name = "b"}, {.tensors = {{.name = "z"}, {.name = "'y'"}}}}};
  EXPECT_EQ(Written(schema), R"(tensor_representation_group {
  key: "b"
  value {
  }
}
tensor_representation_group {
  key: ""
  value {
    tensor_representation {
      key: "z"
      value {
      }
    }
    tensor_representation {
      key: "\'y\'"
      value {
      }
    }
  }
}
represent_variable_length_as_ragged: true
)");
}

}  // namespace
}  // namespace headrace::testing
