// Any bytes are records, decoded into matrices and jagged groups, with
// functions, by a plan that the input chooses.

#include <string>
#include <string_view>

#include "fuzz/decode_check.h"
#include "fuzz/fuzzing.h"
#include "fuzz/group_check.h"
#include "fuzz/rows_input.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "tests/naive/naive_groups.h"
#include "tests/random/random_groups.h"

namespace headrace::fuzzing {
namespace {

FeatureSpec SpecOf(const RowsInput& input) {
  return testing::RandomGroupSpecs(input.plan_seed()).Next();
}

}  // namespace

void CheckInput(std::string_view text) {
  const RowsInput input = RowsInput::Parse(text);
  const FeatureSpec spec = SpecOf(input);
  const Result<Plan> plan = Plan::Compile(spec);
  if (!testing::NaiveGroupsFit(spec)) {
    Require(plan.status().code() == ErrorCode::kBadSpec,
            "a map that does not suit its group");
    return;
  }
  Require(plan.ok(), plan.status().ToString());
  CheckGroups(spec, *plan, input.rows, static_cast<uint8_t>(input.choices[2]));
  CheckArrow(*plan, input.rows);
}

std::string NewInput(Random* random) {
  RowsInput input;
  input.choices = random->Bytes(RowsInput::kChoices);
  testing::RandomGroupRecords records(SpecOf(input), random->Bits());
  const bool calm = random->OneIn(2);
  for (size_t rows = 1 + random->Below(6); rows > 0; --rows) {
    input.rows.push_back(records.Next(calm));
  }
  return input.Write();
}

std::string ChangeInput(std::string_view input, Random* random) {
  return ChangeRows(input, random);
}

}  // namespace headrace::fuzzing
