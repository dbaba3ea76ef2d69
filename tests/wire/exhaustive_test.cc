// All small inputs there are.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/effort.h"
#include "tests/support/sequences.h"
#include "tests/support/wire_families.h"
#include "tests/wire/agreement.h"

namespace headrace::testing {
namespace {

void CheckAllStrings(size_t size) {
  Agreement agreement;
  FewFailures failures;
  ForEachString(size, [&](const std::string& bytes) {
    failures.Add(agreement.Check(bytes));
    return !failures.enough();
  });
}

TEST(Exhaustive, RecordsOfUpToTwoBytes) {
  for (size_t size = 0; size <= 2; ++size) CheckAllStrings(size);
}

TEST(Exhaustive, RecordsOfThreeBytes) {
  if (!SlowTestsWanted()) GTEST_SKIP() << "set HEADRACE_SLOW_TESTS";
  CheckAllStrings(3);
}

TEST(Exhaustive, TokensAtEveryLevel) {
  constexpr size_t kMaxTokens = 3;
  Agreement agreement;
  FewFailures failures;
  for (const Level& level : Levels()) {
    ForEachSequence(WireTokens(), kMaxTokens, [&](const std::string& content) {
      failures.Add(agreement.Check(level.wrap(content), level.type));
      return !failures.enough();
    });
  }
}

TEST(Exhaustive, FieldsOfFeatures) {
  constexpr size_t kMaxTokens = kInstrumented ? 3 : 4;
  Agreement agreement;
  FewFailures failures;
  for (const Grammar& grammar : Grammars()) {
    SCOPED_TRACE(grammar.name);
    ForEachSequence(grammar.tokens, kMaxTokens,
                    [&](const std::string& content) {
                      failures.Add(agreement.Check(grammar.wrap(content, 0)));
                      return !failures.enough();
                    });
    ForEachSequence(grammar.tokens, 2, [&](const std::string& content) {
      for (int error : {-2, -1, 1, 2}) {
        failures.Add(agreement.Check(grammar.wrap(content, error)));
      }
      return !failures.enough();
    });
  }
}

}  // namespace
}  // namespace headrace::testing
