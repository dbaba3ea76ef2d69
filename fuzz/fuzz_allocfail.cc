// Some allocation of a call fails: the call must give what it gives with
// memory, or say that there is none, and work again when there is.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/decode_check.h"
#include "fuzz/fuzzing.h"
#include "fuzz/rows_input.h"
#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/record_reader.h"
#include "tests/compression/stored.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/batch_tensors.h"
#include "tests/process/allocation_counter.h"
#include "tests/process/failing_allocator.h"
#include "tests/random/random_tensors.h"
#include "tests/support/record_file.h"

namespace headrace::fuzzing {
namespace {

using testing::Failing;
using testing::FailingAllocator;

constexpr uint64_t kNone = ~uint64_t{0};

struct Outcome {
  Status status;
  std::string text = {};
};

Outcome OutcomeOf(const Result<Batch>& batch) {
  if (!batch.ok()) return {batch.status(), batch.status().ToString()};
  return {Status(), batch->tensors().empty()
                        ? ToText(testing::ToNaive(*batch))
                        : ToText(testing::TensorsOf(*batch))};
}

// Goes from the text of a spec to a batch.
Outcome DecodeBySpec(const std::string& json, const RowsInput& input,
                     const DecodeOptions& options,
                     FailingAllocator* allocator) {
  const std::vector<std::string_view> rows(input.rows.begin(),
                                           input.rows.end());
  const Result<Batch> batch = allocator->During([&]() -> Result<Batch> {
    const Result<FeatureSpec> spec = FeatureSpec::FromJson(json);
    if (!spec.ok()) return spec.status();
    const Result<Plan> plan = Plan::Compile(*spec);
    if (!plan.ok()) return plan.status();
    return Decoder(*plan, options).Decode(rows);
  });
  return OutcomeOf(batch);
}

Outcome DecodeColumns(const std::vector<ColumnField>& columns,
                      const RowsInput& input, const DecodeOptions& options,
                      FailingAllocator* allocator) {
  const std::vector<std::string_view> rows(input.rows.begin(),
                                           input.rows.end());
  const Plan plan = *Plan::ForColumns(columns);
  const Result<Batch> batch =
      allocator->During([&] { return Decoder(plan, options).Decode(rows); });
  return OutcomeOf(batch);
}

Outcome ReadRecords(const std::string& file, OnCorrupt on_corrupt,
                    FailingAllocator* allocator) {
  RecordReaderOptions options;
  options.on_corrupt = on_corrupt;
  Outcome outcome;
  auto reader = allocator->During(
      [&] { return RecordReader::FromMemory(file, options); });
  outcome.status = reader.status();
  while (reader.ok()) {
    const auto record = allocator->During([&] { return reader->Next(); });
    outcome.status = record.status();
    if (!record) break;
    outcome.text.append(record->payload).append("|");
  }
  return outcome;
}

// One input is used in the same way with memory and without.
class Attempt {
 public:
  explicit Attempt(std::string_view input) : input_(RowsInput::Parse(input)) {
    Choices choices(std::string_view(input_.choices).substr(2));
    number_ = choices.Byte();
    number_ += 256 * choices.Below(4);
    failing_ = choices.Flag() ? Failing::kOne : Failing::kAllFromThere;
    options_.on_row_error =
        choices.Flag() ? OnRowError::kSkip : OnRowError::kFail;
    way_ = choices.Below(3);
    compression_ = static_cast<Compression>(
        choices.Below(static_cast<size_t>(Compression::kZstd) + 1));
    if (way_ == 0) json_ = Spec().ToJson();
    if (way_ == 1) columns_ = RandomColumns(message(), input_.plan_seed());
    if (way_ == 2) {
      file_ =
          compression::Compress(compression_, testing::RecordFile(input_.rows));
    }
  }

  void Check() {
    FailingAllocator none(kNone, failing_, testing::Whose::kThisThread);
    const Outcome expected = Run(&none);
    const size_t live = testing::LiveAllocations();
    {
      FailingAllocator allocator(number_, failing_,
                                 testing::Whose::kThisThread);
      const Outcome outcome = Run(&allocator);
      CheckOutcome(expected, outcome, allocator.has_failed());
    }
    Require(testing::LiveAllocations() == live, "a leak");
  }

 private:
  MessageType message() const {
    return input_.plan_seed() % 2 == 0 ? MessageType::kExample
                                       : MessageType::kSequence;
  }
  FeatureSpec Spec() const {
    return testing::RandomTensors(input_.plan_seed()).NextSpec(message());
  }

  Outcome Run(FailingAllocator* allocator) const {
    if (way_ == 0) return DecodeBySpec(json_, input_, options_, allocator);
    if (way_ == 1) return DecodeColumns(columns_, input_, options_, allocator);
    return ReadRecords(file_, OnCorrupt::kSkip, allocator);
  }

  static void CheckOutcome(const Outcome& expected, const Outcome& outcome,
                           bool has_failed) {
    if (outcome.status.code() == ErrorCode::kOutOfMemory) {
      Require(has_failed, "no memory, though no allocation failed");
      return;
    }
    Require(testing::Difference(expected.status, outcome.status));
    Require(outcome.text == expected.text, "another outcome");
  }

  RowsInput input_;
  uint64_t number_ = 0;
  Failing failing_ = Failing::kOne;
  DecodeOptions options_;
  size_t way_ = 0;
  Compression compression_ = Compression::kNone;
  std::string json_;
  std::vector<ColumnField> columns_;
  std::string file_;
};

}  // namespace

void CheckInput(std::string_view input) { Attempt(input).Check(); }

std::string NewInput(Random* random) {
  return NewRows(
      random->OneIn(2) ? MessageType::kExample : MessageType::kSequence,
      random);
}

std::string ChangeInput(std::string_view input, Random* random) {
  return ChangeRows(input, random);
}

}  // namespace headrace::fuzzing
