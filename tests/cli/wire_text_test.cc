// Payloads of unknown messages as people see them.

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "src/cli/text/value_text.h"
#include "tests/support/wire_writer.h"

namespace headrace::cli {
namespace {

using namespace std::string_literals;
using headrace::testing::LenField;
using headrace::testing::VarintField;

constexpr size_t kWidth = 80;

TEST(WireText, EachTypeHasALine) {
  const std::string event = "\x09\0\0\0\0\0\0\xf8\x3f"s + VarintField(2, 7) +
                            LenField(3, "brain.Event:2") + "\x25\0\0\xc0\x3f"s +
                            "\x2b\x08\x01\x2c";
  EXPECT_EQ(WireText(event, kWidth),
            "  1 fixed64: 0x3ff8000000000000 (1.5)\n"
            "  2 varint: 7\n"
            "  3 len: \"brain.Event:2\"\n"
            "  4 fixed32: 0x3fc00000 (1.5)\n"
            "  5 group {\n"
            "    1 varint: 1\n"
            "  }\n");
}

TEST(WireText, MessagesAreNested) {
  EXPECT_EQ(
      WireText(LenField(1, LenField(2, VarintField(3, ~uint64_t{0}))), kWidth),
      "  1 len {\n"
      "    2 len {\n"
      "      3 varint: 18446744073709551615 (-1)\n"
      "    }\n"
      "  }\n");
}

TEST(WireText, WhatIsNotAMessageIsText) {
  EXPECT_EQ(WireText("plain", kWidth), "  \"plain\"\n");
  EXPECT_EQ(WireText("", kWidth), "  \"\"\n");
  EXPECT_EQ(WireText("\xff\x1b[31m", kWidth), "  \"\\xff\\x1b[31m\"\n");
  EXPECT_EQ(WireText(LenField(1, "\xff\xd8"), kWidth),
            "  1 len: \"\\xff\\xd8\"\n");
  // 'P' is the tag of a varint, and '1' one.
  EXPECT_EQ(WireText(LenField(1, "P1"), kWidth), "  1 len: \"P1\"\n");
}

TEST(WireText, HostileBytesAreBounded) {
  std::string deep = VarintField(1, 1);
  for (int i = 0; i < 1000; ++i) deep = LenField(1, deep);
  const std::string nested = WireText(deep, kWidth);
  EXPECT_EQ(std::count(nested.begin(), nested.end(), '{'), 10);
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += VarintField(1, 1);
  for (const std::string& payload : {many, LenField(1, many)}) {
    const std::string text = WireText(payload, kWidth);
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 205);
    EXPECT_NE(text.find("… 99,80"), std::string::npos) << text.substr(0, 200);
  }
  const std::string large =
      WireText(LenField(1, std::string(1 << 20, '\xff')), kWidth);
  EXPECT_LT(large.size(), 500u);
  EXPECT_NE(large.find("(1.0 MiB)"), std::string::npos) << large;
  std::string groups;
  for (int i = 0; i < 90; ++i) groups = "\x0b" + groups + "\x0c";
  EXPECT_LT(WireText(groups, kWidth).size(), 2000u);
}

}  // namespace
}  // namespace headrace::cli
