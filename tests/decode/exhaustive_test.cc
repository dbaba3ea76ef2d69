// All small records there are, as rows.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/random/sequences.h"
#include "tests/support/effort.h"
#include "tests/support/wire_families.h"

namespace headrace::testing {
namespace {

void CheckAllStrings(size_t size) {
  DecodeAgreement agreement;
  std::vector<std::string> records;
  const auto check = [&] {
    agreement.CheckSingly(UsualColumns(), records, Effort::kQuick);
    records.clear();
  };
  ForEachString(size, [&](const std::string& bytes) {
    records.push_back(bytes);
    if (records.size() == 65536) check();
    return !agreement.enough();
  });
  check();
}

TEST(DecodeExhaustive, RecordsOfUpToTwoBytes) {
  for (size_t size = 0; size <= 2; ++size) CheckAllStrings(size);
}

TEST(DecodeExhaustive, RecordsOfThreeBytes) {
  if (!SlowTestsWanted()) GTEST_SKIP() << "set HEADRACE_SLOW_TESTS";
  CheckAllStrings(3);
}

TEST(DecodeExhaustive, TokensAtEveryLevel) {
  DecodeAgreement agreement;
  for (const Level& level : Levels()) {
    if (level.type != MessageType::kExample) continue;
    std::vector<std::string> records;
    const size_t most = SlowTestsWanted() ? 4 : 3;
    ForEachSequence(WireTokens(), most, [&](const std::string& content) {
      records.push_back(level.wrap(content));
      return true;
    });
    agreement.CheckSingly(UsualColumns(), records, Effort::kQuick);
  }
}

TEST(DecodeExhaustive, FieldsOfFeatures) {
  DecodeAgreement agreement;
  for (const Grammar& grammar : Grammars()) {
    SCOPED_TRACE(grammar.name);
    // Order matters more among fields of messages than among values.
    size_t most = grammar.name.ends_with("list") || kInstrumented ? 3 : 4;
    if (SlowTestsWanted()) most = 5;
    std::vector<std::string> records;
    ForEachSequence(grammar.tokens, most, [&](const std::string& content) {
      records.push_back(grammar.wrap(content, 0));
      return true;
    });
    ForEachSequence(grammar.tokens, 2, [&](const std::string& content) {
      for (int error : {-2, -1, 1, 2}) {
        records.push_back(grammar.wrap(content, error));
      }
      return true;
    });
    agreement.CheckSingly(UsualColumns(), records, Effort::kQuick);
  }
}

}  // namespace
}  // namespace headrace::testing
