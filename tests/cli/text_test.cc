// Text for people: widths, escapes, tables, shortened values.

#include <string>

#include "gtest/gtest.h"
#include "headrace/message.h"
#include "src/cli/text/argument.h"
#include "src/cli/text/display_text.h"
#include "src/cli/text/value_text.h"

namespace headrace::cli {
namespace {

using namespace std::string_literals;

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth(""), 0u);
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("Zoë"), 3u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
  EXPECT_EQ(DisplayWidth("東京"), 4u);
  EXPECT_EQ(DisplayWidth("🚀"), 2u);
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(Shortened("abc", 3), "abc");
  EXPECT_EQ(Shortened("abcd", 3), "ab…");
  EXPECT_EQ(Shortened("東京都", 6), "東京都");
  EXPECT_EQ(Shortened("東京都", 5), "東京…");
  EXPECT_EQ(Shortened("東京都", 4), "東…");
  EXPECT_EQ(Shortened("abc", 1), "…");
  EXPECT_EQ(Shortened("abc", 0), "");
}

TEST(ParseDecimal, TakesNumbersFromZeroUpToTheMost) {
  double number = 0;
  for (const char* text : {"0", "1", "0.25", "1e-3", ".5", "-0"}) {
    EXPECT_TRUE(ParseDecimal(text, &number, 1)) << text;
  }
  EXPECT_TRUE(ParseDecimal("1.5", &number));
  EXPECT_EQ(number, 1.5);
  for (const char* text :
       {"", "x", "1x", " 1", "+1", "-1", "nan", "1.5", "1e999", "0x1"}) {
    EXPECT_FALSE(ParseDecimal(text, &number, 1)) << text;
  }
  EXPECT_FALSE(ParseDecimal("inf", &number));
}

TEST(Table, AlignsColumns) {
  Table table({"name", ">n", ""});
  table.AddRow({"東京", "7", "x"});
  table.AddRow({"a", "1234", ""});
  EXPECT_EQ(table.NaturalWidth(), 4u + 2 + 4 + 2 + 1);
  EXPECT_EQ(table.ToString(80, false),
            "name     n\n"
            "東京     7  x\n"
            "a     1234\n");
}

TEST(Table, CutsTheWidestColumns) {
  Table table({"k", "v"});
  table.AddRow({"a", std::string(100, 'x')});
  const std::string text = table.ToString(40, false);
  EXPECT_EQ(text, "k  v\na  " + std::string(36, 'x') + "…\n");
}

TEST(Table, NeverCutsToNothing) {
  Table table({"", "", ""});
  table.AddRow({"aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"});
  EXPECT_EQ(table.ToString(5, false), "aaaaaaa…  bbbbbbb…  ccccccc…\n");
}

TEST(Describe, BytesThatAreNoTextAreShownAsSuch) {
  EXPECT_EQ(DescribeBytes("abc", 40), "\"abc\"");
  EXPECT_EQ(DescribeBytes("a\x1b\n", 40), "\"a\\x1b\\n\"");
  EXPECT_EQ(DescribeBytes("\xff\xd8", 40), "<2 B: ff d8>");
  EXPECT_EQ(DescribeBytes(std::string(2048, '\xff'), 40),
            "<2.0 KiB: ff ff ff ff ff ff ff ff …>");
  EXPECT_EQ(DescribeBytes("\0x"s, 40), "<2 B: 00 78>");
}

TEST(Describe, LongTextSaysItsSize) {
  const std::string text = DescribeBytes(std::string(5'000'000, 'y'), 40);
  EXPECT_TRUE(text.ends_with("…\" (4.8 MiB)")) << text;
  EXPECT_LE(DisplayWidth(text), 40u);
}

TEST(Describe, Lists) {
  EXPECT_EQ(DescribeFeature(Feature(), 40), "null");
  Feature feature{.kind = Kind::kInt64};
  EXPECT_EQ(DescribeFeature(feature, 40), "[]");
  feature.int64s = {29};
  EXPECT_EQ(DescribeFeature(feature, 40), "29");
  feature.int64s = {1, 2, 3};
  EXPECT_EQ(DescribeFeature(feature, 40), "[1, 2, 3]");
  feature.int64s.assign(1000, 123456);
  const std::string text = DescribeFeature(feature, 40);
  EXPECT_EQ(text, "[123456, 123456, 123456, … 1,000 values]");
  EXPECT_EQ(DescribeSteps({feature, Feature(), {.kind = Kind::kInt64}},
                          MessageType::kSequence, 100),
            "[[123456, 123456, 123456, … 1,000 values], null, []]");
}

}  // namespace
}  // namespace headrace::cli
