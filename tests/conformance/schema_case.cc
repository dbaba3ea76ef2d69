// schema-*.jsonl: a Schema to its representations and specs.

#include <stdexcept>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "tests/conformance/cases.h"
#include "tests/golden/golden_schema.h"
#include "tests/golden/golden_tensors.h"

namespace headrace::conformance {

using nlohmann::json;

namespace {

bool IsError(const json& expected) {
  return expected.size() == 1 && expected.contains("error") &&
         expected["error"].is_string();
}

// The error names what is at fault.
std::string CompareError(const json& expected, const Status& status) {
  const auto part = expected["error"].get<std::string>();
  if (status.ok()) return "no error";
  if (status.code() != ErrorCode::kBadSpec) return status.ToString();
  if (status.info()->message.empty() ||
      status.info()->message.find('\n') != std::string::npos) {
    return "an error without one line of text";
  }
  if (status.ToString().find(part) != std::string::npos) return {};
  return "the error does not name " + part + ": " + status.ToString();
}

std::string CompareRepresentations(
    const json& expected,
    const std::vector<tfmd::TensorRepresentation>& tensors) {
  if (tensors.size() != expected.size()) {
    return std::to_string(tensors.size()) + " instead of " +
           std::to_string(expected.size());
  }
  for (const auto& tensor : tensors) {
    if (!expected.contains(tensor.name)) return tensor.name + " too many";
    const json found = testing::ToJson(tensor);
    if (found != expected[tensor.name]) {
      return tensor.name + " is " + found.dump() + ", not " +
             expected[tensor.name].dump();
    }
  }
  return {};
}

// The golden features in the order of those found. The text of a spec is
// canonical, and unlike a spec with a NaN equals itself.
std::string CompareSpec(const json& context, const json& sequence,
                        const FeatureSpec& spec) {
  if (context.size() != spec.features().size() ||
      sequence.size() != spec.sequence_features().size()) {
    return "another number of features: " + spec.ToJson();
  }
  FeatureSpec expected(spec.message());
  for (const NamedFeature& feature : spec.features()) {
    NamedFeature golden = testing::GoldenFeature(context.at(feature.name));
    expected.Add(std::move(golden.name), std::move(golden.config));
  }
  for (const NamedFeature& feature : spec.sequence_features()) {
    NamedFeature golden = testing::GoldenFeature(sequence.at(feature.name));
    expected.AddSequence(std::move(golden.name), std::move(golden.config));
  }
  if (expected.ToJson() == spec.ToJson()) return {};
  return spec.ToJson() + " instead of " + expected.ToJson();
}

std::string CheckRepresentations(const json& golden, const Schema& schema,
                                 const SchemaOptions& options) {
  const json& expected = golden.at("representations");
  const auto tensors = schema.Representations(options);
  if (IsError(expected)) return CompareError(expected, tensors.status());
  if (!tensors.ok()) return tensors.status().ToString();
  return CompareRepresentations(expected, *tensors);
}

std::string CheckExampleSpec(const json& golden, const Schema& schema,
                             const SchemaOptions& options) {
  if (!golden.contains("example_spec")) return {};
  const json& expected = golden["example_spec"];
  const auto spec = schema.ExampleSpec(options);
  if (IsError(expected)) return CompareError(expected, spec.status());
  if (!spec.ok()) return spec.status().ToString();
  return CompareSpec(expected, json::object(), *spec);
}

std::string CheckSequenceSpec(const json& golden, const Schema& schema,
                              const SchemaOptions& options) {
  if (!golden.contains("sequence_example_spec")) return {};
  const json& expected = golden["sequence_example_spec"];
  const auto spec = schema.SequenceExampleSpec(options);
  if (IsError(expected)) return CompareError(expected, spec.status());
  if (!spec.ok()) return spec.status().ToString();
  return CompareSpec(expected.at("context"), expected.at("sequence"), *spec);
}

// What the writer writes is the same schema.
std::string CheckText(const Schema& schema) {
  const std::string text = schema.ToText();
  const auto again = Schema::FromText(text);
  if (!again.ok()) return again.status().ToString() + " in\n" + text;
  return again->ToText() == text ? "" : "another schema from\n" + text;
}

}  // namespace

std::string RunSchemaCase(const json& golden, const CaseContext&) {
  const SchemaOptions options{.group = golden.at("group").get<std::string>(),
                              .legacy = golden.at("legacy").get<bool>()};
  const auto schema =
      Schema::Parse(golden.at("schema_pbtxt").get<std::string>());
  if (!schema.ok()) {
    const json& expected = golden.at("representations");
    if (!IsError(expected)) return schema.status().ToString();
    return CompareError(expected, schema.status());
  }
  std::string difference = Labelled(
      "representations", CheckRepresentations(golden, *schema, options));
  if (difference.empty()) {
    difference =
        Labelled("example_spec", CheckExampleSpec(golden, *schema, options));
  }
  if (difference.empty()) {
    difference = Labelled("sequence_example_spec",
                          CheckSequenceSpec(golden, *schema, options));
  }
  if (difference.empty()) difference = Labelled("text", CheckText(*schema));
  return difference;
}

}  // namespace headrace::conformance
