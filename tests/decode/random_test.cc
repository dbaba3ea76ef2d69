// Random batches, right and damaged.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"

namespace headrace::testing {
namespace {

using Batches = std::vector<std::vector<std::string>>;

// A column for most keys that RandomExample uses; the others are unselected.
std::vector<ColumnField> RandomColumns() {
  std::vector<ColumnField> columns;
  const std::vector<std::string>& keys = RandomExample::Keys();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i == 2 || i == 7) continue;
    columns.push_back({keys[i], RandomExample::KindOfKey(i)});
  }
  return columns;
}

TEST(DecodeRandom, BatchesOfPlainRecords) {
  RandomExample records(/*seed=*/21, {.plain = true, .max_values = 40});
  Batches batches;
  for (size_t rows : {0u, 1u, 2u, 7u, 8u, 9u, 64u, 100u, 300u}) {
    batches.emplace_back();
    for (size_t i = 0; i < rows; ++i) batches.back().push_back(records.Next());
  }
  DecodeAgreement().Check(RandomColumns(), batches);
}

TEST(DecodeRandom, BatchesOfOddRecords) {
  for (bool one_kind_a_key : {true, false}) {
    RandomExample records(/*seed=*/22, {.one_kind_a_key = one_kind_a_key});
    Batches batches;
    for (int i = 0; i < 300; ++i) {
      batches.emplace_back();
      const size_t rows = static_cast<size_t>(i) % 10;
      for (size_t row = 0; row < rows; ++row) {
        batches.back().push_back(records.Next());
      }
    }
    DecodeAgreement().Check(RandomColumns(), batches);
  }
}

TEST(DecodeRandom, MutatedRecords) {
  RandomExample records(/*seed=*/23, {});
  Mutator mutator(/*seed=*/24);
  std::vector<std::string> mutated;
  std::string bytes;
  for (int i = 0; i < 20000; ++i) {
    bytes = mutator.Mutate(i % 3 == 0 ? records.Next() : bytes);
    mutated.push_back(bytes);
  }
  DecodeAgreement().CheckSingly(RandomColumns(), mutated, Effort::kQuick);
}

// Bad rows among good ones, so that whatever a bad row leaves behind is seen.
TEST(DecodeRandom, BatchesWithMutatedRecords) {
  RandomExample records(/*seed=*/25, {});
  Mutator mutator(/*seed=*/26);
  Random random(/*seed=*/27);
  Batches batches;
  for (int i = 0; i < 200; ++i) {
    batches.emplace_back();
    for (int row = 0; row < 12; ++row) {
      const std::string record = records.Next();
      batches.back().push_back(random.OneIn(3) ? mutator.Mutate(record)
                                               : record);
    }
  }
  DecodeAgreement().Check(RandomColumns(), batches);
}

}  // namespace
}  // namespace headrace::testing
