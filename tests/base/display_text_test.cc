#include "src/base/text/display_text.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "src/base/text/quote.h"
#include "tests/random/random_example.h"
#include "wire/utf8.h"

namespace headrace {
namespace {

using namespace std::string_view_literals;

TEST(DisplayTextTest, WhatIsReadStays) {
  for (const std::string_view text :
       {""sv, "age"sv, "Zoë 東京 🚀"sv, "\u05e9\u05dc\u05d5\u05dd"sv, "a\\b"sv,
        "<script>alert('&')</script>"sv}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(DisplayTextTest, WhatIsNotSeenOrTurnsTextAroundIsEscaped) {
  EXPECT_EQ(Printable("\0\x01\x1b[31m\x7f"sv), R"(\x00\x01\x1b[31m\x7f)");
  EXPECT_EQ(Printable("a\r\n\tb"), R"(a\r\n\tb)");
  EXPECT_EQ(Printable("\u0085\u00ad\u061c\u200b\u200e\u2028\u202e\u2066"),
            R"(\u0085\u00ad\u061c\u200b\u200e\u2028\u202e\u2066)");
  EXPECT_EQ(Printable("\ufeff\ufff9\U000e0041"), R"(\ufeff\ufff9\ue0041)");
  EXPECT_EQ(Printable("a\u034fb\u3164\u200d\ufe0f\u2800\u00a0"),
            R"(a\u034fb\u3164\u200d\ufe0f\u2800\u00a0)");
}

TEST(DisplayTextTest, QuotedNamesHaveTheSameEscapes) {
  EXPECT_EQ(Quote("a\"b\\c\n\u202e\xff"), R"("a\"b\\c\n\u202e\xff")");
  EXPECT_EQ(Quote(std::string(199, 'x') + "\u6771"),
            "\"" + std::string(199, 'x') + "...\"");
}

TEST(DisplayTextTest, BytesThatAreNotUtf8AreSeen) {
  EXPECT_EQ(Printable("\xff\xc3("), R"(\xff\xc3()");
  // Too long a form of "/", a surrogate, and what is beyond all characters.
  EXPECT_EQ(Printable("\xc0\xaf"), R"(\xc0\xaf)");
  EXPECT_EQ(Printable("\xed\xa0\x80"), R"(\xed\xa0\x80)");
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)");
}

TEST(DisplayTextTest, LongValuesAreCut) {
  EXPECT_EQ(Printable("abcdef", 6, 6), "abcdef");
  EXPECT_EQ(Printable("abcdef", 6, 5), "abcde\u2026");
  // No escape and no character is cut in two.
  EXPECT_EQ(Printable("ab\x01", 3, 5), "ab\u2026");
  EXPECT_EQ(Printable("ab\u6771", 5, 4), "ab\u2026");
  EXPECT_EQ(Printable("abc", 3, 0), "\u2026");
}

TEST(DisplayTextTest, TheBeginningOfAValueMayEndWithinACharacter) {
  EXPECT_EQ(Printable("ab\xe6\x9d", 9, 100), "ab\u2026");
  EXPECT_EQ(Printable("ab\xf0\x9f\x9a", 9, 100), "ab\u2026");
  // These are wrong wherever the value ends.
  EXPECT_EQ(Printable("ab\xe6\x9d", 4, 100), R"(ab\xe6\x9d)");
  EXPECT_EQ(Printable("ab\x9d", 9, 100), "ab\\x9d\u2026");
  EXPECT_EQ(Printable("ab\xe6(", 9, 100), "ab\\xe6(\u2026");
}

TEST(DisplayTextTest, AnyBytesBecomeUtf8WithoutControls) {
  testing::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = random.Bytes(random.Below(40));
    const std::string text =
        Printable(bytes, bytes.size() + random.Below(2), random.Below(80));
    EXPECT_TRUE(wire::IsUtf8(
        {reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
    for (const char c : text) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  }
}

}  // namespace
}  // namespace headrace
