// Random records, right and damaged, read by all three.

#include <string>

#include "gtest/gtest.h"
#include "tests/agreement/wire_agreement.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/support/effort.h"

namespace headrace::testing {
namespace {

TEST(RandomRecords, RightOnes) {
  constexpr int kRecords = 5000 / kCaseStride;
  for (bool plain : {true, false}) {
    RandomExample records(/*seed=*/1,
                          {.plain = plain, .one_kind_a_key = false});
    Agreement agreement;
    FewFailures failures;
    for (int i = 0; i < kRecords && !failures.enough(); ++i) {
      failures.Add(agreement.Check(records.Next()));
      EXPECT_TRUE(agreement.accepted());
    }
  }
}

TEST(RandomRecords, RightSequences) {
  constexpr int kRecords = 5000 / kCaseStride;
  for (bool plain : {true, false}) {
    RandomExample records(/*seed=*/4,
                          {.plain = plain, .one_kind_a_key = false});
    Agreement agreement;
    FewFailures failures;
    for (int i = 0; i < kRecords && !failures.enough(); ++i) {
      failures.Add(
          agreement.Check(records.NextSequence(), MessageType::kSequence));
      EXPECT_TRUE(agreement.accepted());
    }
  }
}

TEST(RandomRecords, Mutated) {
  constexpr int kRecords = 40000 / kCaseStride;
  RandomExample records(/*seed=*/2, {.one_kind_a_key = false});
  Mutator mutator(/*seed=*/3);
  Agreement agreement;
  FewFailures failures;
  int accepted = 0;
  std::string bytes;
  for (int i = 0; i < kRecords && !failures.enough(); ++i) {
    // Damage adds up for a while, then starts afresh.
    bytes = mutator.Mutate(i % 4 == 0 ? records.Next() : bytes);
    failures.Add(agreement.Check(bytes));
    if (agreement.accepted()) ++accepted;
  }
  // Neither side of the border is left out.
  EXPECT_GT(accepted, kRecords / 10);
  EXPECT_LT(accepted, kRecords * 9 / 10);
}

}  // namespace
}  // namespace headrace::testing
