#include "fuzz/spec_check.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "fuzz/group_check.h"
#include "headrace/decoder.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/batch_tensors.h"
#include "tests/naive/naive_tensors.h"
#include "tests/random/random_groups.h"
#include "tests/random/random_tensors.h"

namespace headrace::fuzzing {
namespace {

using testing::RandomTensors;

constexpr uint64_t kBatchBytes = uint64_t{1} << 20;

Result<Batch> Decode(const Plan& plan, const std::vector<std::string>& rows) {
  DecodeOptions options;
  options.verify_unselected = true;
  options.limits.max_batch_bytes = kBatchBytes;
  const std::vector<std::string_view> records(rows.begin(), rows.end());
  return Decoder(plan, options).Decode(records);
}

void CheckBatch(const Plan& plan, const Result<Batch>& batch) {
  if (batch.ok()) {
    Require(plan.tensors().empty() ? testing::BrokenPromise(*batch)
                                   : testing::BrokenTensors(*batch));
    return;
  }
  const ErrorCode code = batch.status().code();
  Require(code == ErrorCode::kLimit || IsRowError(code),
          batch.status().ToString());
  Require(!batch.status().message().empty(), "an error without a message");
}

// The shape says how many values a row has; the result is at most `most`.
int64_t Elements(const FeatureConfig& config, int64_t most) {
  int64_t product = config.pad_to.value_or(1);
  const std::vector<int64_t> item = config.item_shape.value_or(config.size);
  for (const auto* sizes : {&config.shape, &config.size, &item}) {
    for (const int64_t size : *sizes) {
      if (size > most / std::max<int64_t>(product, 1)) return most;
      product *= std::max<int64_t>(size, 1);
    }
  }
  for (const Partition& partition : config.partitions) {
    if (partition.uniform_row_length > most) return most;
  }
  return std::min(product, most);
}

bool IsSmall(std::span<const NamedFeature> features) {
  constexpr int64_t kMax = 256;
  if (features.size() > 16) return false;
  for (const NamedFeature& feature : features) {
    const Members& members = feature.config.members;
    if (Elements(feature.config, kMax) >= kMax ||
        !IsSmall({members.begin(), members.size()})) {
      return false;
    }
  }
  return true;
}

}  // namespace

void CheckSomeRecords(const Plan& plan, uint64_t seed) {
  testing::RandomExample examples(seed, {});
  std::vector<std::string> rows;
  for (int i = 0; i < 3; ++i) {
    rows.push_back(plan.message() == MessageType::kSequence
                       ? examples.NextSequence()
                       : examples.Next());
    CheckBatch(plan, Decode(plan, rows));
  }
}

void CheckSpec(const FeatureSpec& spec, const Plan& plan, uint64_t seed) {
  CheckSomeRecords(plan, seed);
  if (!IsSmall(spec.features()) || !IsSmall(spec.sequence_features()) ||
      !IsSmall(spec.example_features())) {
    return;
  }
  if (HasGroups(spec)) {
    testing::RandomGroupRecords records(spec, seed);
    std::vector<std::string> rows;
    for (int i = 0; i < 6; ++i) rows.push_back(records.Next(i < 3));
    return CheckGroups(spec, plan, rows, seed);
  }
  RandomTensors tensors(seed);
  std::vector<std::string> rows;
  for (int i = 0; i < 3; ++i) {
    rows.push_back(tensors.NextRecord(spec));
    const std::vector<std::string_view> records(rows.begin(), rows.end());
    Require(testing::Difference(testing::NaiveDecodeTensors(records, spec),
                                Decode(plan, rows)));
  }
}

}  // namespace headrace::fuzzing
