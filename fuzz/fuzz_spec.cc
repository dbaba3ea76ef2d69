// Any bytes are the JSON of a spec; a valid one is compiled and decodes
// records.

#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "fuzz/spec_check.h"
#include "fuzz/text_input.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "tests/random/random_groups.h"
#include "tests/random/random_tensors.h"

namespace headrace::fuzzing {
namespace {

void RequireBadSpec(const Status& status) {
  Require(status.code() == ErrorCode::kBadSpec, status.ToString());
  Require(!status.message().empty(), "an error without a message");
}

}  // namespace

void CheckInput(std::string_view input) {
  const Result<FeatureSpec> spec = FeatureSpec::FromJson(input);
  if (!spec.ok()) return RequireBadSpec(spec.status());
  const std::string json = spec->ToJson();
  const Result<FeatureSpec> again = FeatureSpec::FromJson(json);
  Require(again.ok(), json);
  // Specs with a NaN are not equal to themselves.
  Require(again->ToJson() == json, json);
  const Result<Plan> plan = Plan::Compile(*spec);
  if (!plan.ok()) return RequireBadSpec(plan.status());
  Require(!plan->ToString().empty() || plan->tensors().empty(), "no text");
  CheckSpec(*spec, *plan, input.size());
}

std::string NewInput(Random* random) {
  if (random->OneIn(3)) {
    return testing::RandomGroupSpecs(random->Bits()).Next().ToJson();
  }
  const MessageType message =
      random->OneIn(2) ? MessageType::kExample : MessageType::kSequence;
  return testing::RandomTensors(random->Bits()).NextSpec(message).ToJson();
}

std::string ChangeInput(std::string_view input, Random* random) {
  return ChangeText(input, random);
}

}  // namespace headrace::fuzzing
