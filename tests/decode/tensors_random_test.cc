// Random specs over random batches, right and damaged.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensors.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Batches = DecodeAgreement::Batches;

// Sanitizers look for other things, of which a sample has as many.
constexpr int kSpecs = kInstrumented ? 60 : 250;
constexpr size_t kTensorBatches = 8;

// `make` gives the next record for a spec.
template <class Make>
void CheckSpecs(MessageType message, uint64_t seed, const Make& make,
                DecodeAgreement* agreement) {
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
  DecodeAgreement agreement;
  CheckSpecs(
      GetParam(), /*seed=*/31,
      [](const FeatureSpec& spec, RandomTensors* tensors) {
        return tensors->NextRecord(spec);
      },
      &agreement);
  std::vector<ErrorCode> codes = {
      ErrorCode::kOk, ErrorCode::kWrongKind, ErrorCode::kWrongCount,
      ErrorCode::kMissingFeature, ErrorCode::kBadPartition};
  if (GetParam() == MessageType::kExample) {
    codes.push_back(ErrorCode::kBadSparseIndex);
  }
  agreement.ExpectOften(codes, kSpecs / 10);
}

// Every layout, order and spelling of the wire format.
TEST_P(TensorsRandom, OddRecords) {
  RandomExample records(/*seed=*/32, {.max_values = 4});
  DecodeAgreement agreement;
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
  DecodeAgreement agreement;
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
