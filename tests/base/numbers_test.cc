#include "src/base/text/numbers.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace headrace {
namespace {

TEST(NumbersTest, Counts) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(std::numeric_limits<uint64_t>::max()),
            "18,446,744,073,709,551,615");
  EXPECT_EQ(IntText(-1234), "-1,234");
  EXPECT_EQ(IntText(std::numeric_limits<int64_t>::min()),
            "-9,223,372,036,854,775,808");
  EXPECT_EQ(Counted(1, "record"), "1 record");
  EXPECT_EQ(Counted(0, "record"), "0 records");
  EXPECT_EQ(Counted(2000, "record"), "2,000 records");
}

TEST(NumbersTest, Sizes) {
  EXPECT_EQ(ByteSize(0), "0 B");
  EXPECT_EQ(ByteSize(1023), "1023 B");
  EXPECT_EQ(ByteSize(1024), "1.0 KiB");
  EXPECT_EQ(ByteSize((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(ByteSize(std::numeric_limits<uint64_t>::max()), "16.0 EiB");
}

TEST(NumbersTest, OnlyAllIsAllAndOnlyNoneIsNone) {
  EXPECT_EQ(ShareText(0, 0), "100%");
  EXPECT_EQ(ShareText(0, 10), "0%");
  EXPECT_EQ(ShareText(10, 10), "100%");
  EXPECT_EQ(ShareText(1, 3), "33.3%");
  EXPECT_EQ(ShareText(1, 1001), "<0.1%");
  EXPECT_EQ(ShareText(1000, 1001), ">99.9%");
}

TEST(NumbersTest, NumbersHaveFourDigitsAndAllOfTheirWhole) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(-0.5), "-0.5");
  EXPECT_EQ(NumberText(3.14159), "3.142");
  EXPECT_EQ(NumberText(123.456), "123.5");
  EXPECT_EQ(NumberText(-1234567.8), "-1,234,568");
  EXPECT_EQ(NumberText(1e15), "1e+15");
  EXPECT_EQ(NumberText(0.0001), "0.0001");
  EXPECT_EQ(NumberText(0.000012345), "1.23e-05");
}

}  // namespace
}  // namespace headrace
