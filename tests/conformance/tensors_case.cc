// tensors-*.jsonl: records and a feature spec to tensors.

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/schema.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/decoders.h"
#include "tests/golden/golden.h"
#include "tests/golden/golden_tensors.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/batch_tensors.h"
#include "tests/naive/naive_lists.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::conformance {

using nlohmann::json;
using testing::Difference;
using testing::NaiveTensors;

namespace {

// A spec is refused before any record is looked at.
std::string CompareRefusal(const json& expect, const NaiveTensors& expected,
                           const Status& refusal) {
  std::string difference = Difference(expected, testing::TensorsOf(refusal));
  const ErrorInfo& info = *refusal.info();
  if (difference.empty() && info.record != kUnknown) {
    difference = "a refused spec names a record";
  }
  if (difference.empty() && expect.contains("feature") &&
      info.feature != testing::GoldenKey(expect["feature"])) {
    difference = "another feature than expected: " + refusal.ToString();
  }
  return Labelled("spec", difference);
}

// The tensors that a plan promises are those of the spec. (Specs with a NaN
// never equal themselves, so only names are compared.)
std::string ComparePlan(const FeatureSpec& spec, const Plan& plan) {
  std::vector<std::pair<std::string, bool>> expected, found;
  for (const NamedFeature& feature : spec.features()) {
    expected.emplace_back(feature.name, false);
  }
  for (const NamedFeature& feature : spec.sequence_features()) {
    expected.emplace_back(feature.name, true);
  }
  for (const NamedFeature& feature : spec.example_features()) {
    expected.emplace_back(feature.name, true);
  }
  for (const auto& name :
       {spec.lists().size_feature_name, spec.lists().mask_feature_name}) {
    if (name) expected.emplace_back(*name, false);
  }
  for (const TensorField& field : plan.tensors()) {
    found.emplace_back(field.feature.name, field.in_sequence);
  }
  if (found != expected) return "plan: other tensors than the spec's";
  if (!plan.columns().empty()) return "plan: columns beside tensors";
  if (plan.message() != spec.message()) return "plan: another message";
  return {};
}

// What one batch of all records, or the rows before an error, should be.
std::string CompareNext(const NaiveTensors& expected, Reader* reader) {
  const auto batch = reader->Next();
  if (!batch.ok()) return batch.status().ToString();
  if (!batch) {
    return expected.num_rows == 0 ? "" : "no batch";
  }
  return Difference(expected, Result<Batch>(*batch));
}

Result<Batch> TakeNext(Reader* reader) {
  const auto batch = reader->Next();
  if (!batch.ok()) return batch.status();
  return batch ? *batch : Batch();
}

// A file of the records, as one batch.
std::string CompareReader(const NaiveTensors& expected, const Plan& plan,
                          const std::vector<std::string>& bytes,
                          const Records& records, const Sorted& sorted) {
  const testing::TemporaryFile file(testing::RecordFile(bytes));
  ReadOptions options = {.message = plan.message(),
                         .batch_size = std::max<size_t>(records.size(), 1),
                         .verify_unselected = true};
  auto reader = Reader::Open({file.path()}, plan, options);
  if (!reader.ok()) return reader.status().ToString();

  if (expected.ok()) {
    std::string difference = CompareNext(expected, &*reader);
    if (!difference.empty()) return difference;
    const auto end = reader->Next();
    if (!end.ok()) return end.status().ToString();
    return end ? "a second batch" : "";
  }
  // Lists that are good one by one may not make a batch.
  if (sorted.bad.empty() && IsListOfExamples(plan.message())) {
    return Difference(expected, TakeNext(&*reader));
  }
  if (sorted.bad.empty()) return "no record is bad alone";
  Decoder decoder(plan, kStrict);
  const NaiveTensors before = testing::TensorsOf(
      decoder.Decode(std::span(records).first(sorted.bad.front())));
  if (before.num_rows > 0) {
    std::string difference = CompareNext(before, &*reader);
    if (!difference.empty()) return difference;
  }
  const auto failed = reader->Next();
  if (failed.ok()) return "no error";
  return Difference(expected, Result<Batch>(failed.status()));
}

std::string CompareAll(const NaiveTensors& expected, const Plan& plan,
                       const std::vector<std::string>& bytes,
                       const CaseContext& context) {
  const Records records(bytes.begin(), bytes.end());
  const Sorted sorted = Sort(plan, records);
  std::string difference =
      Labelled("reader", CompareReader(expected, plan, bytes, records, sorted));
  if (!difference.empty()) return difference;
  return DecoderCase<NaiveTensors>(plan, records, sorted, &testing::TensorsOf)
      .Compare(expected, context.threads);
}

// A stage that is not where the class belongs is not understood.
bool ExpectsRefusal(const json& expect) {
  if (!expect.contains("error")) return false;
  const bool refused = expect["error"] == "bad_spec";
  if (expect.at("stage") != (refused ? "spec" : "record")) {
    throw std::runtime_error("stage " + expect["stage"].dump());
  }
  return refused;
}

FeatureSpec SpecOf(const Plan& plan) {
  FeatureSpec spec(plan.message());
  for (const TensorField& field : plan.tensors()) {
    const auto& [name, config] = field.feature;
    field.in_sequence ? spec.AddSequence(name, config) : spec.Add(name, config);
  }
  return spec;
}

}  // namespace

std::string RunTensorsCase(const json& golden, const CaseContext& context) {
  const std::vector<std::string> bytes =
      testing::GoldenRecords(golden.at("records"));
  const json& expect = golden.at("expect");
  const FeatureSpec spec = testing::GoldenSpec(golden);
  const NaiveTensors expected =
      testing::GoldenTensors(expect, spec, bytes.size());

  const auto plan = Plan::Compile(spec);
  if (ExpectsRefusal(expect)) {
    if (plan.ok()) return "the spec is not refused";
    return CompareRefusal(expect, expected, plan.status());
  }
  if (!plan.ok()) return plan.status().ToString();
  std::string difference = ComparePlan(spec, *plan);
  if (!difference.empty()) return difference;

  // The oracle of the other tests is held to the same expectations.
  const Records records(bytes.begin(), bytes.end());
  difference = Difference(expected, testing::NaiveDecodeTensors(records, spec));
  if (!difference.empty()) return Labelled("oracle", difference);
  return CompareAll(expected, *plan, bytes, context);
}

std::string RunListsCase(const json& golden, const CaseContext& context) {
  const std::vector<std::string> bytes =
      testing::GoldenRecords(golden.at("records"));
  const Records records(bytes.begin(), bytes.end());
  const FeatureSpec spec = testing::GoldenListSpec(golden);
  const auto plan = Plan::Compile(spec);
  if (!plan.ok()) return plan.status().ToString();
  std::string difference = ComparePlan(spec, *plan);
  if (!difference.empty()) return difference;
  const NaiveTensors oracle = testing::NaiveDecodeLists(records, spec);
  const NaiveTensors expected =
      testing::GoldenLists(golden.at("expect"), spec, bytes.size(), oracle);
  difference = Difference(expected, oracle);
  if (!difference.empty()) return Labelled("oracle", difference);
  return CompareAll(expected, *plan, bytes, context);
}

std::string RunSchemaTensorsCase(const json& golden,
                                 const CaseContext& context) {
  const std::vector<std::string> bytes =
      testing::GoldenRecords(golden.at("records"));
  const json& expect = golden.at("expect");
  const auto schema =
      Schema::Parse(golden.at("schema_pbtxt").get<std::string>());
  if (!schema.ok()) return schema.status().ToString();
  const MessageType message = MessageOf(golden);
  const auto plan = Plan::Compile(*schema, {}, message);
  if (ExpectsRefusal(expect)) {
    if (plan.ok()) return "the schema is not refused";
    return CompareRefusal(expect, testing::GoldenSchemaTensors(expect, {}, 0),
                          plan.status());
  }
  if (!plan.ok()) return plan.status().ToString();
  const auto columns = Plan::ForColumnsOf(*schema, message);
  if (!columns.ok()) return columns.status().ToString();

  const NaiveTensors expected =
      testing::GoldenSchemaTensors(expect, plan->tensors(), bytes.size());
  const Records records(bytes.begin(), bytes.end());
  const std::string difference = Difference(
      expected,
      testing::NaiveSchemaTensors(records, SpecOf(*plan), columns->columns()));
  if (!difference.empty()) return Labelled("oracle", difference);
  return CompareAll(expected, *plan, bytes, context);
}

}  // namespace headrace::conformance
