#include "fuzz/spec_check.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "headrace/decoder.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/batch_tensors.h"
#include "tests/naive/naive_tensors.h"
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

bool IsSmall(const FeatureSpec& spec) {
  constexpr int64_t kMax = 256;
  for (const auto* features : {&spec.features(), &spec.sequence_features()}) {
    if (features->size() > 16) return false;
    for (const NamedFeature& feature : *features) {
      if (Elements(feature.config, kMax) >= kMax) return false;
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
  if (!IsSmall(spec)) return;
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
