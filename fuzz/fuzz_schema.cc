// Any bytes are a Schema, text or serialized; a valid one is interpreted in
// every way, its plans decode records, and statistics are compared with it.

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "fuzz/spec_check.h"
#include "fuzz/text_input.h"
#include "headrace/message.h"
#include "headrace/plan.h"
#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"
#include "tests/random/mutator.h"
#include "tests/random/random_summary.h"

namespace headrace::fuzzing {
namespace {

void RequireBadSpec(const Status& status) {
  Require(status.code() == ErrorCode::kBadSpec, status.ToString());
  Require(!status.message().empty(), "an error without a message");
}

void CheckPlan(const Result<Plan>& plan, uint64_t seed) {
  if (plan.ok()) {
    CheckSomeRecords(*plan, seed);
  } else {
    RequireBadSpec(plan.status());
  }
}

void CheckRepresentations(const Schema& schema, const SchemaOptions& options) {
  const auto tensors = schema.Representations(options);
  if (!tensors.ok()) return RequireBadSpec(tensors.status());
  std::vector<std::string> names;
  for (const auto& tensor : *tensors) {
    if (names.size() < 2) names.push_back(tensor.name);
  }
  const auto projected = schema.Project(names, options);
  if (!projected.ok()) RequireBadSpec(projected.status());
}

void CheckSpecs(const Schema& schema, const SchemaOptions& options,
                uint64_t seed) {
  for (const auto& spec :
       {schema.ExampleSpec(options), schema.SequenceExampleSpec(options)}) {
    if (!spec.ok()) {
      RequireBadSpec(spec.status());
    } else {
      CheckPlan(Plan::Compile(*spec), seed);
    }
  }
}

// The statistics are of features that the schema has.
void CheckAnomalies(const Schema& schema) {
  static const auto* const made = new StatsSummary(
      testing::RandomSummary(1, {.features = 16, .records = 60}));
  StatsSummary stats = *made;
  for (size_t i = 0; i < stats.features.size() && !schema.features.empty();
       ++i) {
    stats.features[i].name = schema.features[i % schema.features.size()].name;
  }
  for (const std::string& environment : {std::string(), std::string("a")}) {
    for (const Anomaly& anomaly :
         FindAnomalies(stats, schema, environment, made, &stats)) {
      Require(!anomaly.type.empty(), "an anomaly without a type");
      Require(!anomaly.short_text.empty(), anomaly.type);
      Require(!anomaly.text.empty() && IsUtf8(anomaly.text), anomaly.type);
    }
  }
}

}  // namespace

void CheckInput(std::string_view input) {
  const Result<Schema> schema = Schema::Parse(input);
  if (!schema.ok()) return RequireBadSpec(schema.status());
  const std::string text = schema->ToText();
  const Result<Schema> again = Schema::FromText(text);
  Require(again.ok(), text);
  Require(again->ToText() == text, text);
  // A schema with a NaN differs from itself.
  const bool equals_itself = Schema(*schema) == *schema;
  Require((*again == *schema) == equals_itself, text);
  for (const MessageType message :
       {MessageType::kAuto, MessageType::kExample, MessageType::kSequence}) {
    CheckPlan(Plan::ForColumnsOf(*schema, message), input.size());
    CheckPlan(Plan::Compile(*schema, {}, message), input.size());
  }
  for (const bool legacy : {false, true}) {
    SchemaOptions options;
    options.legacy = legacy;
    CheckRepresentations(*schema, options);
    CheckSpecs(*schema, options, input.size());
    static_cast<void>(schema->Warnings(options));
    static_cast<void>(schema->Validate(options));
  }
  CheckAnomalies(*schema);
}

std::string NewInput(Random* random) {
  static const auto* const schemas = new std::vector<std::string>{
      R"(feature { name: "a" type: INT presence { min_fraction: 1 }
           shape { dim { size: 2 } } })",
      R"(feature { name: "b" type: BYTES value_count { min: 0 max: 3 } }
         represent_variable_length_as_ragged: true)",
      R"(feature { name: "i" type: INT int_domain { min: 0 max: 9 } }
         feature { name: "v" type: FLOAT }
         sparse_feature { name: "s" index_feature { name: "i" }
           value_feature { name: "v" } is_sorted: true })",
      R"(feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
           feature { name: "a" type: INT } } }
         tensor_representation_group { key: "" value {
           tensor_representation { key: "t" value { ragged_tensor {
             feature_path { step: "##SEQUENCE##" step: "a" }
             row_partition_dtype: INT32 } } } } })",
      R"(feature { name: "d" type: BYTES domain: "s"
           distribution_constraints { min_domain_mass: 0.9 }
           unique_constraints { min: 1 max: 2 }
           drift_comparator { infinity_norm { threshold: 0.1 } } }
         feature { name: "f" type: FLOAT in_environment: "a"
           float_domain { min: 0 max: 1 disallow_nan: true }
           skew_comparator { jensen_shannon_divergence { threshold: 0
             source { type: QUANTILES } } } }
         feature { name: "l" type: INT bool_domain {}
           value_counts { value_count { min: 1 } value_count {} } }
         string_domain { name: "s" value: "x" value: "y" }
         default_environment: "b"
         dataset_constraints { min_examples_count: 100 })",
      R"(feature { name: "x" type: FLOAT }
         feature { name: "n" type: INT }
         tensor_representation_group { key: "" value {
           tensor_representation { key: "d" value { dense_tensor {
             column_name: "x" shape { dim { size: 1 } }
             default_value { float_value: 1.5 } } } }
           tensor_representation { key: "r" value { ragged_tensor {
             feature_path { step: "x" } partition { row_length: "n" }
             partition { uniform_row_length: 2 } } } } } })"};
  return random->Pick(*schemas);
}

std::string ChangeInput(std::string_view input, Random* random) {
  if (!input.empty() && static_cast<uint8_t>(input[0]) < 0x20) {
    return testing::Mutator(random->Bits()).Mutate(input);
  }
  return ChangeText(input, random);
}

}  // namespace headrace::fuzzing
