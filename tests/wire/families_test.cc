// The families of protobuf's conformance suite against ParseMessage.

#include <string>

#include "gtest/gtest.h"
#include "headrace/message.h"
#include "tests/support/wire_families.h"
#include "tests/wire/agreement.h"

namespace headrace::testing {
namespace {

constexpr size_t kLargestSpecimen = size_t{1} << 18;

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
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
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
