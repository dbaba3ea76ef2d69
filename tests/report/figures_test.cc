// Numbers as pages and remarks have them.

#include "src/stats/report/figures.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace headrace::report {
namespace {

TEST(FiguresTest, Counts) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1000), "1,000");
  EXPECT_EQ(CountText(std::numeric_limits<uint64_t>::max()),
            "18,446,744,073,709,551,615");
  EXPECT_EQ(IntText(-1234), "-1,234");
  EXPECT_EQ(IntText(std::numeric_limits<int64_t>::min()),
            "-9,223,372,036,854,775,808");
  EXPECT_EQ(Counted(1, "record"), "1 record");
  EXPECT_EQ(Counted(0, "record"), "0 records");
  EXPECT_EQ(Counted(2000, "record"), "2,000 records");
}

TEST(FiguresTest, SizesHaveThreeDigits) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(999), "999 B");
  EXPECT_EQ(SizeText(1000), "1.00 kB");
  EXPECT_EQ(SizeText(12'345), "12.3 kB");
  EXPECT_EQ(SizeText(999'499), "999 kB");
  EXPECT_EQ(SizeText(999'500), "1.00 MB");
  EXPECT_EQ(SizeText(std::numeric_limits<uint64_t>::max()), "18.4 EB");
}

TEST(FiguresTest, OnlyAllIsAllAndOnlyNoneIsNone) {
  EXPECT_EQ(ShareText(0, 0), "100 %");
  EXPECT_EQ(ShareText(0, 10), "0 %");
  EXPECT_EQ(ShareText(10, 10), "100 %");
  EXPECT_EQ(ShareText(1, 3), "33.3 %");
  EXPECT_EQ(ShareText(1, 1000), "0.10 %");
  EXPECT_EQ(ShareText(999, 1000), "99.90 %");
  EXPECT_EQ(ShareText(1, 100'000), "< 0.01 %");
  EXPECT_EQ(ShareText(99'999, 100'000), "> 99.99 %");
}

TEST(FiguresTest, NumbersHaveFourDigitsAndAllOfTheirWhole) {
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
}  // namespace headrace::report
