// The cursor where nothing is left to read, and the words of its faults. What
// it reads is compared with protobuf elsewhere.

#include "wire/cursor.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "wire/wire.h"

namespace headrace::wire {
namespace {

TEST(Cursor, NothingCanBeReadAtTheEnd) {
  const uint8_t byte = 0;
  const auto fault_of = [&byte](auto read) {
    Cursor cursor({&byte, 0});
    EXPECT_TRUE(cursor.done());
    EXPECT_FALSE(read(cursor));
    EXPECT_EQ(cursor.position(), &byte);
    return cursor.fault();
  };
  uint32_t number;
  uint64_t value;
  Span span;
  EXPECT_EQ(fault_of([&](Cursor& c) { return c.ReadTag(&number); }),
            Fault::kTruncated);
  EXPECT_EQ(fault_of([&](Cursor& c) { return c.ReadVarint(&value); }),
            Fault::kTruncated);
  EXPECT_EQ(fault_of([&](Cursor& c) { return c.ReadFixed32(&number); }),
            Fault::kTruncated);
  EXPECT_EQ(fault_of([&](Cursor& c) { return c.ReadLen(&span); }),
            Fault::kTruncated);
}

TEST(FaultText, DiffersForEachAndIsThereForNone) {
  std::set<std::string> texts;
  for (int i = 0; i <= static_cast<int>(Fault::kUtf8); ++i) {
    texts.insert(FaultText(static_cast<Fault>(i)));
  }
  EXPECT_EQ(texts.size(), static_cast<size_t>(Fault::kUtf8) + 1);
  EXPECT_EQ(texts.count("unknown fault"), 0u);
  EXPECT_STREQ(FaultText(Fault::kNone), "no fault");
  EXPECT_STREQ(FaultText(static_cast<Fault>(99)), "unknown fault");
}

}  // namespace
}  // namespace headrace::wire
