#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"
#include "tests/report/summaries.h"
#include "tests/support/or_throw.h"

namespace headrace::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Each with its feature before it: "age INT_TYPE_BIG_INT".
std::vector<std::string> Found(const StatsSummary& stats,
                               std::string_view schema,
                               const std::string& environment = {},
                               const StatsSummary* previous = nullptr,
                               const StatsSummary* serving = nullptr) {
  std::vector<std::string> found;
  for (const Anomaly& anomaly :
       FindAnomalies(stats, OrThrow(Schema::FromText(schema)), environment,
                     previous, serving)) {
    EXPECT_FALSE(anomaly.short_text.empty());
    EXPECT_FALSE(anomaly.text.empty());
    found.push_back(anomaly.feature + " " + anomaly.type);
  }
  return found;
}

// The types, of a feature whose schema has these fields.
std::vector<std::string> TypesOf(const FeatureSummary& feature,
                                 const std::string& fields) {
  std::vector<std::string> types;
  const std::string schema =
      "feature { name: '" + feature.name + "' " + fields + " }";
  for (const std::string& found :
       Found(DatasetSummary(10, {feature}), schema)) {
    types.push_back(found.substr(found.find(' ') + 1));
  }
  return types;
}

std::string AnomalyText(const FeatureSummary& feature,
                        const std::string& fields) {
  const auto schema = OrThrow(Schema::FromText(
      "feature { name: '" + feature.name + "' " + fields + " }"));
  const auto anomalies = FindAnomalies(DatasetSummary(10, {feature}), schema);
  return anomalies.empty() ? "" : anomalies.front().text;
}

const FeatureSummary kInts = IntSummary("i", {-3, 0, 5});
const FeatureSummary kWords =
    BytesSummary("w", {{"red", 5}, {"green", 2}, {"blue", 1}});

TEST(Anomalies, FeaturesComeAndGo) {
  const StatsSummary stats = DatasetSummary(10, {kInts});
  EXPECT_THAT(Found(stats, "feature { name: 'i' type: INT }"), IsEmpty());
  EXPECT_THAT(Found(stats, ""), ElementsAre("i SCHEMA_NEW_COLUMN"));
  EXPECT_THAT(
      Found(stats,
            "feature { name: 'i' type: INT }"
            "feature { name: 'a' type: INT presence { min_count: 1 } }"
            "feature { name: 'b' type: INT presence { min_fraction: .1 } }"
            "feature { name: 'c' type: INT presence { min_count: 0 } }"
            "feature { name: 'd' type: INT presence { min_count: 1 }"
            " lifecycle_stage: ALPHA }"),
      ElementsAre("a SCHEMA_MISSING_COLUMN", "b SCHEMA_MISSING_COLUMN"));
  // What is deprecated is not looked at.
  EXPECT_THAT(
      Found(stats, "feature { name: 'i' type: BYTES deprecated: true }"),
      IsEmpty());
}

TEST(Anomalies, NothingOfNoRecords) {
  EXPECT_THAT(Found(DatasetSummary(0, {}),
                    "feature { name: 'a' type: INT "
                    "presence { min_count: 1 } }"),
              ElementsAre(" NO_DATA_IN_SPAN"));
}

TEST(Anomalies, Presence) {
  EXPECT_THAT(TypesOf(kInts, "type: INT presence { min_count: 3 }"), IsEmpty());
  EXPECT_THAT(TypesOf(kInts, "type: INT presence { min_count: 4 }"),
              ElementsAre("FEATURE_TYPE_LOW_NUMBER_PRESENT"));
  EXPECT_THAT(TypesOf(kInts, "type: INT presence { min_fraction: 0.3 }"),
              IsEmpty());
  EXPECT_THAT(TypesOf(kInts, "type: INT presence { min_fraction: 0.31 }"),
              ElementsAre("FEATURE_TYPE_LOW_FRACTION_PRESENT"));
  EXPECT_EQ(AnomalyText(kInts, "type: INT presence { min_fraction: 0.5 }"),
            "the feature is in 3 of 10 records, and the schema wants it in at "
            "least 50%");
  const FeatureSummary never{.name = "n", .missing = 4, .unset = 6};
  EXPECT_THAT(TypesOf(never, "type: INT presence { min_count: 1 }"),
              ElementsAre("FEATURE_TYPE_NOT_PRESENT"));
  EXPECT_THAT(TypesOf(never, "type: INT shape {}"), IsEmpty());
}

TEST(Anomalies, NumbersOfValues) {
  FeatureSummary feature = kInts;
  feature.values = {.count = 3, .min = 1, .max = 4, .total = 6};
  EXPECT_THAT(TypesOf(feature, "type: INT value_count { min: 1 max: 4 }"),
              IsEmpty());
  EXPECT_THAT(TypesOf(feature, "type: INT value_count { min: 2 max: 3 }"),
              ElementsAre("FEATURE_TYPE_LOW_NUMBER_VALUES",
                          "FEATURE_TYPE_HIGH_NUMBER_VALUES"));
  EXPECT_THAT(TypesOf(feature,
                      "type: INT value_counts { value_count {} "
                      "value_count {} }"),
              ElementsAre("VALUE_NESTEDNESS_MISMATCH"));
  EXPECT_THAT(TypesOf(feature, "type: INT shape { dim { size: 1 } }"),
              ElementsAre("INVALID_FEATURE_SHAPE"));
}

TEST(Anomalies, Shapes) {
  FeatureSummary feature = IntSummary("i", std::vector<int64_t>(10, 7));
  feature.values = {.count = 10, .min = 6, .max = 6, .total = 60};
  EXPECT_THAT(
      TypesOf(feature, "type: INT shape { dim { size: 2 } dim { size: 3 } }"),
      IsEmpty());
  EXPECT_THAT(TypesOf(feature, "type: INT shape { dim { size: 5 } }"),
              ElementsAre("INVALID_FEATURE_SHAPE"));
  EXPECT_THAT(TypesOf(feature, "type: INT shape {}"),
              ElementsAre("INVALID_FEATURE_SHAPE"));
  // More than any number is not 6, though it is modulo 2^64.
  EXPECT_THAT(TypesOf(feature,
                      "type: INT shape { dim { size: 4611686018427387904 } "
                      "dim { size: 4 } dim { size: 6 } }"),
              ElementsAre("INVALID_FEATURE_SHAPE"));
  feature.present = 9;
  EXPECT_THAT(TypesOf(feature, "type: INT shape { dim { size: 6 } }"),
              ElementsAre("INVALID_FEATURE_SHAPE"));
}

TEST(Anomalies, Types) {
  EXPECT_THAT(TypesOf(kInts, "type: FLOAT"),
              ElementsAre("UNEXPECTED_DATA_TYPE"));
  EXPECT_THAT(TypesOf(kInts, ""), ElementsAre("FEATURE_MISSING_TYPE"));
  EXPECT_THAT(TypesOf(kWords,
                      "string_domain { value: 'red' value: 'green' "
                      "value: 'blue' }"),
              ElementsAre("FEATURE_MISSING_TYPE"));
  // A domain is of the values that are there, whatever the schema's type is.
  EXPECT_THAT(TypesOf(kWords, "type: INT int_domain {}"),
              ElementsAre("UNEXPECTED_DATA_TYPE", "INT_TYPE_NOT_INT_STRING"));
}

TEST(Anomalies, SchemasThatContradictThemselves) {
  const char* const kBad = "INVALID_SCHEMA_SPECIFICATION";
  EXPECT_THAT(TypesOf(kInts, "type: INT presence { min_fraction: -1 }"),
              ElementsAre(kBad));
  EXPECT_THAT(TypesOf(kInts, "type: INT presence { min_fraction: 2 }"),
              ElementsAre(kBad, "FEATURE_TYPE_LOW_FRACTION_PRESENT"));
  EXPECT_THAT(TypesOf(kInts, "type: INT value_count { min: -1 max: -2 }"),
              ElementsAre(kBad, kBad, "FEATURE_TYPE_HIGH_NUMBER_VALUES"));
  EXPECT_THAT(TypesOf(kInts,
                      "type: INT value_counts { value_count { min: 3 "
                      "max: 2 } }"),
              ElementsAre(kBad, "FEATURE_TYPE_LOW_NUMBER_VALUES"));
  EXPECT_THAT(TypesOf(kInts, "type: INT shape { dim {} }"), ElementsAre(kBad));
  EXPECT_THAT(TypesOf(kInts, "type: INT distribution_constraints {}"),
              ElementsAre(kBad));
  EXPECT_THAT(TypesOf(kInts, "type: INT image_domain {}"),
              ElementsAre("DOMAIN_INVALID_FOR_TYPE"));
  EXPECT_THAT(TypesOf(kWords, "type: BYTES domain: 'none'"),
              ElementsAre("INVALID_DOMAIN_SPECIFICATION"));
  EXPECT_THAT(TypesOf(kWords, "type: BYTES time_of_day_domain {}"),
              ElementsAre("INVALID_DOMAIN_SPECIFICATION"));
}

TEST(Anomalies, RangesOfInts) {
  EXPECT_THAT(TypesOf(kInts, "type: INT int_domain { min: -3 max: 5 }"),
              IsEmpty());
  EXPECT_THAT(TypesOf(kInts, "type: INT int_domain { min: -2 max: 4 }"),
              ElementsAre("INT_TYPE_SMALL_INT", "INT_TYPE_BIG_INT"));
  // Beyond 2^53, too.
  const FeatureSummary large = IntSummary("i", {INT64_MAX});
  const auto domain = [](int64_t max) {
    return "type: INT int_domain { max: " + std::to_string(max) + " }";
  };
  EXPECT_THAT(TypesOf(large, domain(INT64_MAX)), IsEmpty());
  EXPECT_THAT(TypesOf(large, domain(INT64_MAX - 1)),
              ElementsAre("INT_TYPE_BIG_INT"));
  const FeatureSummary text = BytesSummary("t", {{" +7", 1}, {"-12 ", 1}});
  EXPECT_THAT(TypesOf(text, "type: BYTES int_domain { min: -12 max: 7 }"),
              IsEmpty());
  EXPECT_THAT(TypesOf(text, "type: BYTES int_domain { min: 0 max: 6 }"),
              ElementsAre("INT_TYPE_SMALL_INT", "INT_TYPE_BIG_INT"));
  for (const char* other : {"", "1.5", "9223372036854775808", "+-1", "0x1"}) {
    EXPECT_THAT(
        TypesOf(BytesSummary("t", {{other, 1}}), "type: BYTES int_domain {}"),
        ElementsAre("INT_TYPE_NOT_INT_STRING"))
        << other;
  }
}

TEST(Anomalies, RangesOfFloats) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const FeatureSummary floats = FloatSummary("f", {-1, 2, kInfinite});
  EXPECT_THAT(TypesOf(floats, "type: FLOAT float_domain { min: -1 }"),
              IsEmpty());
  EXPECT_THAT(TypesOf(floats,
                      "type: FLOAT float_domain { min: 0 max: 3 "
                      "disallow_inf: true disallow_nan: true }"),
              ElementsAre("FLOAT_TYPE_SMALL_FLOAT", "FLOAT_TYPE_BIG_FLOAT",
                          "FLOAT_TYPE_HAS_INF"));
  // NaN is in no range.
  const FeatureSummary nan = FloatSummary("f", {std::nanf("")});
  EXPECT_THAT(TypesOf(nan, "type: FLOAT float_domain { min: 1 }"), IsEmpty());
  EXPECT_THAT(TypesOf(nan, "type: FLOAT float_domain { disallow_nan: true }"),
              ElementsAre("FLOAT_TYPE_HAS_NAN"));
  const FeatureSummary text = BytesSummary(
      "t", {{"1e999", 1}, {" nan", 1}, {"-2.5", 1}, {"1e-999", 1}});
  EXPECT_THAT(TypesOf(text,
                      "type: BYTES float_domain { min: -2 "
                      "disallow_inf: true disallow_nan: true }"),
              ElementsAre("FLOAT_TYPE_HAS_NAN", "FLOAT_TYPE_SMALL_FLOAT",
                          "FLOAT_TYPE_HAS_INF"));
  // Many digits are as large as an exponent.
  for (const std::string& large :
       {std::string("-1e39"), "-1" + std::string(400, '0'),
        "-1" + std::string(39, '0') + "e-0"}) {
    EXPECT_THAT(TypesOf(BytesSummary("t", {{large, 1}}),
                        "type: BYTES float_domain { disallow_inf: true }"),
                ElementsAre("FLOAT_TYPE_HAS_INF"))
        << large;
  }
  for (const char* other : {"", "0x1", "-0X1p3", "1.5f", "+-1"}) {
    EXPECT_THAT(
        TypesOf(BytesSummary("t", {{other, 1}}), "type: BYTES float_domain {}"),
        ElementsAre("FLOAT_TYPE_STRING_NOT_FLOAT"))
        << other;
  }
  EXPECT_THAT(TypesOf(kWords, "type: BYTES float_domain {}"),
              ElementsAre("FLOAT_TYPE_STRING_NOT_FLOAT"));
}

TEST(Anomalies, Bools) {
  const std::string ints = "type: INT bool_domain {}";
  EXPECT_THAT(TypesOf(IntSummary("i", {0, 1, 1}), ints), IsEmpty());
  EXPECT_THAT(TypesOf(IntSummary("i", {-1, 2}), ints),
              ElementsAre("BOOL_TYPE_SMALL_INT"));
  EXPECT_THAT(TypesOf(IntSummary("i", {0, 2}), ints),
              ElementsAre("BOOL_TYPE_BIG_INT"));
  const std::string floats = "type: FLOAT bool_domain {}";
  EXPECT_THAT(TypesOf(FloatSummary("f", {0, 1}), floats), IsEmpty());
  for (const auto& values : std::vector<std::vector<float>>{
           {-1, 1}, {0, 2}, {0, .5, 1}, {0, 1, std::nanf("")}}) {
    EXPECT_THAT(TypesOf(FloatSummary("f", values), floats),
                ElementsAre("BOOL_TYPE_UNEXPECTED_FLOAT"));
  }
  const FeatureSummary text = BytesSummary("t", {{"yes", 2}, {"no", 1}});
  EXPECT_THAT(TypesOf(text,
                      "type: BYTES bool_domain { true_value: 'yes' "
                      "false_value: 'no' }"),
              IsEmpty());
  EXPECT_THAT(TypesOf(text, "type: BYTES bool_domain { true_value: 'yes' }"),
              ElementsAre("BOOL_TYPE_UNEXPECTED_STRING"));
}

TEST(Anomalies, DomainsOfStrings) {
  const std::string domain =
      "type: BYTES string_domain { value: 'red' value: 'blue' }";
  EXPECT_THAT(TypesOf(kWords, domain),
              ElementsAre("ENUM_TYPE_UNEXPECTED_STRING_VALUES"));
  EXPECT_EQ(AnomalyText(kWords, domain), "the domain lacks \"green\" (25.0%)");
  const auto mass = [&](const char* min) {
    return domain + " distribution_constraints { min_domain_mass: " + min +
           " }";
  };
  EXPECT_THAT(TypesOf(kWords, mass("0.75")), IsEmpty());
  EXPECT_THAT(TypesOf(kWords, mass("0.8")),
              ElementsAre("ENUM_TYPE_UNEXPECTED_STRING_VALUES"));
  EXPECT_THAT(Found(DatasetSummary(10, {kWords}),
                    "feature { name: 'w' type: BYTES domain: 'd' }"
                    "string_domain { name: 'd' value: 'red' value: 'green' "
                    "value: 'blue' }"),
              IsEmpty());
  FeatureSummary binary = kWords;
  binary.bytes->utf8 = 7;
  EXPECT_THAT(TypesOf(binary, domain), ElementsAre("ENUM_TYPE_INVALID_UTF8"));
}

TEST(Anomalies, ValuesOfWhichTheFirstBytesAreKept) {
  const std::string known(300, 'x');
  FeatureSummary feature = BytesSummary("w", {{known, 1}});
  feature.bytes->top[0].value.resize(kTopBytes);
  const std::string domain =
      "type: BYTES string_domain { value: '" + known + "' }";
  EXPECT_THAT(TypesOf(feature, domain), IsEmpty());
  feature.bytes->top[0].size = 301;
  EXPECT_THAT(TypesOf(feature, domain),
              ElementsAre("ENUM_TYPE_UNEXPECTED_STRING_VALUES"));
}

TEST(Anomalies, SizesOfPictures) {
  FeatureSummary feature = kWords;
  feature.bytes->lengths.max = 100;
  EXPECT_THAT(
      TypesOf(feature, "type: BYTES image_domain { max_image_byte_size: 100 }"),
      IsEmpty());
  EXPECT_THAT(
      TypesOf(feature, "type: BYTES image_domain { max_image_byte_size: 99 }"),
      ElementsAre("MAX_IMAGE_BYTE_SIZE_EXCEEDED"));
}

TEST(Anomalies, DistinctValues) {
  EXPECT_THAT(TypesOf(kWords, "type: BYTES unique_constraints { min: 3 }"),
              IsEmpty());
  EXPECT_THAT(TypesOf(kWords, "type: BYTES unique_constraints { min: 4 }"),
              ElementsAre("FEATURE_TYPE_LOW_UNIQUE"));
  EXPECT_THAT(TypesOf(kWords, "type: BYTES unique_constraints { max: 2 }"),
              ElementsAre("FEATURE_TYPE_HIGH_UNIQUE"));
  EXPECT_THAT(TypesOf(kInts, "type: INT unique_constraints {}"),
              ElementsAre("FEATURE_TYPE_NO_UNIQUE"));
}

TEST(Anomalies, Environments) {
  const StatsSummary stats = DatasetSummary(10, {kInts});
  const char* const schema =
      "feature { name: 'i' type: INT not_in_environment: 'SERVING' }"
      "feature { name: 'label' type: INT presence { min_count: 1 }"
      " not_in_environment: 'SERVING' }"
      "feature { name: 'extra' type: INT presence { min_count: 1 }"
      " in_environment: 'SERVING' not_in_environment: 'TRAINING' }"
      "default_environment: 'TRAINING' default_environment: 'SERVING'";
  EXPECT_THAT(Found(stats, schema, "TRAINING"),
              ElementsAre("label SCHEMA_MISSING_COLUMN"));
  EXPECT_THAT(
      Found(stats, schema, "SERVING"),
      ElementsAre("extra SCHEMA_MISSING_COLUMN", "i SCHEMA_NEW_COLUMN"));
  EXPECT_THAT(Found(stats, schema), ElementsAre("extra SCHEMA_MISSING_COLUMN",
                                                "label SCHEMA_MISSING_COLUMN"));
}

TEST(Anomalies, DistancesFromOtherData) {
  const StatsSummary stats = DatasetSummary(10, {kWords});
  const StatsSummary other =
      DatasetSummary(10, {BytesSummary("w", {{"red", 1}, {"green", 1}})});
  const char* const schema =
      "feature { name: 'w' type: BYTES drift_comparator { "
      "infinity_norm { threshold: 0.2 } "
      "normalized_abs_difference { threshold: 0.3 } "
      "jensen_shannon_divergence { threshold: 0.09 } } "
      "skew_comparator { infinity_norm { threshold: 0.3 } } }";
  EXPECT_THAT(Found(stats, schema), IsEmpty());
  EXPECT_THAT(Found(stats, schema, "", &other),
              ElementsAre("w COMPARATOR_L_INFTY_HIGH",
                          "w COMPARATOR_NORMALIZED_ABSOLUTE_DIFFERENCE_HIGH",
                          "w COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH"));
  EXPECT_THAT(Found(stats, schema, "", nullptr, &other), IsEmpty());
  const StatsSummary without = DatasetSummary(10, {});
  EXPECT_THAT(Found(stats, schema, "", nullptr, &without),
              ElementsAre("w COMPARATOR_CONTROL_DATA_MISSING"));
  const auto texts =
      FindAnomalies(stats, OrThrow(Schema::FromText(schema)), "", &other);
  EXPECT_EQ(texts[0].text,
            "the L-infinity distance from the previous data is 0.25, above "
            "0.2; \"green\" differs most");
}

TEST(Anomalies, NumbersOfRecords) {
  const StatsSummary stats = DatasetSummary(10, {});
  const StatsSummary twenty = DatasetSummary(20, {});
  const StatsSummary none = DatasetSummary(0, {});
  EXPECT_THAT(Found(stats, "dataset_constraints { min_examples_count: 11 }"),
              ElementsAre(" DATASET_LOW_NUM_EXAMPLES"));
  EXPECT_THAT(Found(stats, "dataset_constraints { max_examples_count: 9 }"),
              ElementsAre(" DATASET_HIGH_NUM_EXAMPLES"));
  const char* const drift =
      "dataset_constraints { num_examples_drift_comparator { "
      "min_fraction_threshold: 0.6 max_fraction_threshold: 2 } }";
  EXPECT_THAT(Found(stats, drift), IsEmpty());
  EXPECT_THAT(Found(stats, drift, "", &twenty),
              ElementsAre(" COMPARATOR_LOW_NUM_EXAMPLES"));
  EXPECT_THAT(Found(twenty, drift, "", &stats), IsEmpty());
  EXPECT_THAT(Found(stats, drift, "", &none),
              ElementsAre(" COMPARATOR_HIGH_NUM_EXAMPLES"));
}

TEST(Anomalies, NamesOfSeveralFeatures) {
  const StatsSummary stats = DatasetSummary(10, {kInts});
  EXPECT_THAT(Found(stats,
                    "feature { name: 'i' type: INT } "
                    "sparse_feature { name: 'i' }"),
              ElementsAre("i SPARSE_FEATURE_NAME_COLLISION"));
  EXPECT_THAT(Found(stats,
                    "feature { name: 'i' type: INT } "
                    "weighted_feature { name: 'i' }"),
              ElementsAre("i WEIGHTED_FEATURE_NAME_COLLISION"));
  EXPECT_THAT(Found(stats, "sparse_feature { name: 'i' }"), IsEmpty());
}

TEST(Anomalies, FeatureLists) {
  FeatureSummary frames = IntSummary("a.b", {1, 2, 3, 4, 5});
  frames.in_sequence = true;
  frames.steps = {.count = 5, .min = 2, .max = 2, .total = 10};
  frames.step_values = {.count = 9, .min = 0, .max = 1, .total = 5};
  frames.unset_steps = 1;
  StatsSummary stats = DatasetSummary(5, {frames});
  stats.message = MessageType::kSequence;
  const auto schema = [](const std::string& fields) {
    return "feature { name: '##SEQUENCE##' type: STRUCT struct_domain { "
           "feature { name: 'a.b' type: INT " +
           fields + " } } }";
  };
  EXPECT_THAT(Found(stats, ""), ElementsAre("##SEQUENCE## SCHEMA_NEW_COLUMN"));
  EXPECT_THAT(Found(stats, schema("")), IsEmpty());
  EXPECT_THAT(Found(stats, schema("value_count {}")),
              ElementsAre("##SEQUENCE##.'a.b' VALUE_NESTEDNESS_MISMATCH"));
  EXPECT_THAT(Found(stats, schema("value_counts { value_count { max: 1 } "
                                  "value_count { min: 1 } }")),
              ElementsAre("##SEQUENCE##.'a.b' FEATURE_TYPE_HIGH_NUMBER_VALUES",
                          "##SEQUENCE##.'a.b' FEATURE_TYPE_LOW_NUMBER_VALUES"));
  EXPECT_THAT(Found(stats, schema("shape { dim { size: 2 } }")),
              ElementsAre("##SEQUENCE##.'a.b' INVALID_FEATURE_SHAPE"));
  // A struct of another type hides what is in it.
  EXPECT_THAT(Found(stats, "feature { name: '##SEQUENCE##' type: INT }"),
              ElementsAre("##SEQUENCE## UNEXPECTED_DATA_TYPE"));
}

}  // namespace
}  // namespace headrace::testing
