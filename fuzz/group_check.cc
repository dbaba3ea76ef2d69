#include "fuzz/group_check.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "headrace/decoder.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/naive/naive_groups.h"
#include "tests/support/target_sweep.h"

namespace headrace::fuzzing {
namespace {

using Place = testing::GuardedRecords::Place;

void CheckFailing(const testing::NaiveGroups& expected,
                  const Result<Batch>& batch) {
  size_t bad = 0;
  while (bad < expected.rows.size() && expected.rows[bad].ok()) ++bad;
  if (bad == expected.rows.size()) {
    Require(batch.ok(), batch.status().ToString());
    return Require(Difference(expected, *batch));
  }
  Require(!batch.ok(), "a bad row is in a batch");
  Require(batch.status().info()->record == bad, batch.status().ToString());
  Require(Difference(expected, bad, batch.status()));
}

void CheckSkipping(const testing::NaiveGroups& expected, const Decoder& decoder,
                   const Result<Batch>& batch) {
  Require(batch.ok(), batch.status().ToString());
  auto skipped = decoder.skipped().begin();
  for (size_t i = 0; i < expected.rows.size(); ++i) {
    if (expected.rows[i].ok()) continue;
    Require(skipped != decoder.skipped().end(), "a bad row is in a batch");
    Require(skipped->info()->record == i, skipped->ToString());
    Require(Difference(expected, i, *skipped++));
  }
  Require(skipped == decoder.skipped().end(), "a good row was skipped");
  Require(Difference(expected, *batch));
}

}  // namespace

bool HasGroups(const FeatureSpec& spec) {
  return std::any_of(spec.features().begin(), spec.features().end(),
                     [](const NamedFeature& feature) {
                       return IsGroup(feature.config.layout);
                     });
}

void CheckGroups(const FeatureSpec& spec, const Plan& plan,
                 const std::vector<std::string>& rows, uint64_t way) {
  Require(testing::NaiveGroupsFit(spec), "a map that does not suit its group");
  const std::vector<std::string_view> records(rows.begin(), rows.end());
  const testing::NaiveGroups expected =
      testing::NaiveGrouper(spec).Decode(records);
  const bool padded = way % 2 == 1;
  const auto& targets = testing::RunnableTargets();
  const testing::ScopedTarget target(targets[way / 2 % targets.size()]);
  testing::GuardedRecords guarded;
  const auto placed =
      guarded.Put(records, padded ? Place::kPaddedEnd : Place::kEnd);
  DecodeOptions options = {.padded_input = padded,
                           .on_absent = OnAbsent::kIgnore};
  CheckFailing(expected, Decoder(plan, options).Decode(placed));
  options.on_row_error = OnRowError::kSkip;
  Decoder skipping(plan, options);
  CheckSkipping(expected, skipping, skipping.Decode(placed));
}

}  // namespace headrace::fuzzing
