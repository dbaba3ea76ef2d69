// All small inputs there are.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/agreement/wire_agreement.h"
#include "tests/random/sequences.h"
#include "tests/support/effort.h"
#include "tests/support/wire_families.h"

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

// libprotobuf, the slowest of the three, judges every 251st. With a sanitizer
// these are all: then the other records are left out.
TEST(Exhaustive, RecordsOfThreeBytes) {
  constexpr size_t kStep = 251;
  Agreement agreement;
  FewFailures failures;
  size_t i = 0;
  ForEachString(3, [&](const std::string& bytes) {
    if (i++ % kStep == 0 || SlowTestsWanted()) {
      failures.Add(agreement.Check(bytes));
    } else if (!kInstrumented) {
      failures.Add(agreement.CheckQuickly(bytes, MessageType::kSequence));
      // The types differ in what field 2 is.
      if (bytes.find_first_of("\x12\x92") != std::string::npos) {
        failures.Add(agreement.CheckQuickly(bytes, MessageType::kExample));
      }
    }
    return !failures.enough();
  });
}

// Five tokens take minutes.
TEST(Exhaustive, TokensAtEveryLevel) {
  const size_t max_tokens = SlowTestsWanted() ? 5 : kInstrumented ? 3 : 4;
  Agreement agreement;
  FewFailures failures;
  for (const Level& level : Levels()) {
    ForEachSequence(WireTokens(), max_tokens, [&](const std::string& content) {
      failures.Add(agreement.Check(level.wrap(content), level.type));
      return !failures.enough();
    });
  }
}

TEST(Exhaustive, FieldsOfFeatures) {
  const size_t max_tokens = SlowTestsWanted() ? 5 : kInstrumented ? 3 : 4;
  Agreement agreement;
  FewFailures failures;
  for (const Grammar& grammar : Grammars()) {
    SCOPED_TRACE(grammar.name);
    ForEachSequence(grammar.tokens, max_tokens,
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
