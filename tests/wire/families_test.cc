// The families of protobuf's conformance suite against ParseMessage.

#include <cstddef>
#include <map>
#include <string>

#include "gtest/gtest.h"
#include "headrace/message.h"
#include "tests/agreement/wire_agreement.h"
#include "tests/support/effort.h"
#include "tests/support/wire_families.h"

namespace headrace::testing {
namespace {

constexpr size_t kLargestSpecimen = size_t{1} << 18;

using Counts = std::map<std::string, size_t>;

// Where headrace and libprotobuf, which judges below, do not agree. There is
// nothing to list: a difference is a failure. Both accept one family that the
// conformance suite wants rejected, "tags beyond 32 bits".
TEST(WireFamilies, NoneHasVanished) {
  const auto levels = Levels();
  EXPECT_EQ(levels.size(), 14u);
  EXPECT_EQ(CountFamilies(RejectedFields()),
            (Counts{{"bad groups", 17},
                    {"bad lengths and varints", 10},
                    {"bad tags and field 0", 40},
                    {"premature ends", 260},
                    {"wire types 6 and 7", 64}}));
  EXPECT_EQ(CountFamilies(AcceptedFields()),
            (Counts{{"known fields of another type", 39},
                    {"odd spellings", 10},
                    {"tags beyond 32 bits", 3},
                    {"unknown fields", 42}}));
  EXPECT_EQ(CountFamilies(RejectedRecords()),
            (Counts{{"broken runs", 174}, {"keys that are not UTF-8", 93}}));
  EXPECT_EQ(CountFamilies(AcceptedRecords()),
            (Counts{{"extreme values", 40},
                    {"keys", 23},
                    {"map entries", 12},
                    {"map entries of feature lists", 11},
                    {"merges and oneofs", 343},
                    {"nothing", 3},
                    {"packed and not", 20}}));
  // Each level has them all, alone, after and before others.
  for (const Level& level : levels) {
    SCOPED_TRACE(level.name);
    const size_t ways = level.depth > 0 ? 3 : 2;
    for (const auto& [family, count] : CountFamilies(RejectedFields())) {
      EXPECT_EQ(CountFamilies(RejectedAt(level))[family], ways * count);
    }
    for (const auto& [family, count] : CountFamilies(AcceptedFields())) {
      EXPECT_EQ(CountFamilies(AcceptedAt(level))[family], (ways + 1) * count);
    }
  }
}

TEST(WireFamilies, RejectedAtEveryLevel) {
  Agreement agreement(kLargestSpecimen);
  size_t specimens = 0;
  for (const Level& level : Levels()) {
    for (const Specimen& specimen : RejectedAt(level)) {
      SCOPED_TRACE(specimen.name);
      EXPECT_EQ(agreement.Check(specimen.bytes, level.type), "");
      EXPECT_FALSE(agreement.accepted());
      EXPECT_EQ(agreement.Check(specimen.bytes), "");
      ++specimens;
    }
  }
  // A generator that generates nothing would pass as well.
  EXPECT_GT(specimens, 200 * Levels().size());
}

TEST(WireFamilies, AcceptedAtEveryLevel) {
  Agreement agreement(kLargestSpecimen);
  for (const Level& level : Levels()) {
    for (const Specimen& specimen : AcceptedAt(level)) {
      SCOPED_TRACE(specimen.name);
      EXPECT_EQ(agreement.Check(specimen.bytes, level.type), "");
      EXPECT_TRUE(agreement.accepted());
      EXPECT_EQ(agreement.Check(specimen.bytes), "");
    }
  }
}

TEST(WireFamilies, RecordsThatAreNoMessages) {
  Agreement agreement;
  for (const Specimen& specimen : RejectedRecords()) {
    SCOPED_TRACE(specimen.name);
    EXPECT_EQ(agreement.Check(specimen.bytes, MessageType::kExample), "");
    // Feature lists are unknown to an Example, so only this one must fail.
    EXPECT_EQ(agreement.Check(specimen.bytes, MessageType::kSequence), "");
    EXPECT_FALSE(agreement.accepted());
  }
}

TEST(WireFamilies, RecordsThatMeanSomething) {
  Agreement agreement;
  for (const Specimen& specimen : AcceptedRecords()) {
    SCOPED_TRACE(specimen.name);
    EXPECT_EQ(agreement.Check(specimen.bytes), "");
    EXPECT_TRUE(agreement.accepted());
  }
}

// The record's own fields cost no level, everything inside costs one each.
TEST(WireFamilies, DepthIsCountedFromTheRecord) {
  Agreement agreement;
  for (const Level& level : Levels()) {
    if (level.name != "int64 list") continue;
    EXPECT_EQ(level.depth, 4);
    const std::string deep = AcceptedAt(level).back().bytes;
    const std::string deeper = RejectedAt(level).back().bytes;
    EXPECT_TRUE(ParseMessage(deep, MessageType::kExample).ok());
    EXPECT_FALSE(ParseMessage(deeper, MessageType::kExample).ok());
  }
}

// Damage of every kind to every right record: each flipped bit, each cut.
TEST(WireFamilies, EveryFlipAndCut) {
  Agreement agreement;
  FewFailures failures;
  for (const Specimen& specimen : AcceptedRecords()) {
    std::string bytes = specimen.bytes;
    if (bytes.size() > 300) continue;
    for (size_t bit = 0; bit < 8 * bytes.size(); bit += kCaseStride) {
      const auto mask = static_cast<char>(1 << (bit % 8));
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
      failures.Add(agreement.Check(bytes));
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
    }
    for (size_t size = 0; size < bytes.size(); ++size) {
      failures.Add(agreement.Check(bytes.substr(0, size)));
    }
    if (failures.enough()) return;
  }
}

}  // namespace
}  // namespace headrace::testing
