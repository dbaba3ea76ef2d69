// Random specs over random batches, right and damaged.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/feature_spec.h"
#include "tests/agreement/tensors_agreement.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/mutator.h"
#include "tests/support/random_example.h"
#include "tests/support/random_tensors.h"

namespace headrace::testing {
namespace {

using Batches = TensorsAgreement::Batches;

// Sanitizers look for other things, of which a sample has as many.
constexpr int kSpecs = kInstrumented ? 60 : 250;
constexpr size_t kTensorBatches = 8;

// `make` gives the next record for a spec.
template <class Make>
void CheckSpecs(MessageType message, uint64_t seed, const Make& make,
                TensorsAgreement* agreement) {
  RandomTensors tensors(seed);
  for (int i = 0; i < kSpecs && !agreement->enough(); ++i) {
    const FeatureSpec spec = tensors.NextSpec(message);
    Batches batches(kTensorBatches);
    for (size_t rows = 0; rows < kTensorBatches; ++rows) {
      for (size_t row = 0; row < rows; ++row) {
        batches[rows].push_back(make(spec, &tensors));
      }
    }
    SCOPED_TRACE("spec " + std::to_string(i));
    agreement->Check(spec, batches);
  }
}

// Every class that the message can have was met often enough.
void ExpectOutcomes(const TensorsAgreement& agreement, MessageType message) {
  std::vector<ErrorCode> codes = {
      ErrorCode::kOk, ErrorCode::kWrongKind, ErrorCode::kWrongCount,
      ErrorCode::kMissingFeature, ErrorCode::kBadPartition};
  if (message == MessageType::kExample) {
    codes.push_back(ErrorCode::kBadSparseIndex);
  }
  constexpr int kOften = kSpecs / 10;
  for (ErrorCode code : codes) {
    const auto found = agreement.outcomes().find(code);
    const int times = found == agreement.outcomes().end() ? 0 : found->second;
    EXPECT_GE(times, kOften) << ErrorCodeName(code);
  }
}

class TensorsRandom : public ::testing::TestWithParam<MessageType> {};

INSTANTIATE_TEST_SUITE_P(Messages, TensorsRandom,
                         ::testing::Values(MessageType::kExample,
                                           MessageType::kSequence),
                         [](const auto& message) {
                           return message.param == MessageType::kExample
                                      ? "Example"
                                      : "SequenceExample";
                         });

TEST_P(TensorsRandom, RecordsThatMostlyFit) {
  TensorsAgreement agreement;
  CheckSpecs(
      GetParam(), /*seed=*/31,
      [](const FeatureSpec& spec, RandomTensors* tensors) {
        return tensors->NextRecord(spec);
      },
      &agreement);
  ExpectOutcomes(agreement, GetParam());
}

// Every layout, order and spelling of the wire format.
TEST_P(TensorsRandom, OddRecords) {
  RandomExample records(/*seed=*/32, {.max_values = 4});
  TensorsAgreement agreement;
  CheckSpecs(
      GetParam(), /*seed=*/33,
      [&](const FeatureSpec& spec, RandomTensors*) {
        return spec.message() == MessageType::kSequence ? records.NextSequence()
                                                        : records.Next();
      },
      &agreement);
}

// Bad rows among good ones, so that whatever a bad row leaves behind is seen.
TEST_P(TensorsRandom, BatchesWithMutatedRecords) {
  Mutator mutator(/*seed=*/34);
  Random random(/*seed=*/35);
  TensorsAgreement agreement;
  CheckSpecs(
      GetParam(), /*seed=*/36,
      [&](const FeatureSpec& spec, RandomTensors* tensors) {
        const std::string record = tensors->NextRecord(spec);
        return random.OneIn(3) ? mutator.Mutate(record) : record;
      },
      &agreement);
}

}  // namespace
}  // namespace headrace::testing
