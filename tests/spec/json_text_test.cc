// Text, floats and bytes as the JSON of headrace writes them.

#include "headrace/json_text.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace headrace::testing {
namespace {

using namespace std::string_literals;

std::string Json(std::string_view text) {
  std::string json;
  AppendJsonString(text, &json);
  return json;
}

std::string Json(float value) {
  std::string json;
  AppendJsonFloat(value, &json);
  return json;
}

std::string Base64(std::string_view bytes) {
  std::string text;
  AppendBase64(bytes, &text);
  return text;
}

TEST(JsonTextTest, TextIsEscapedForJsonAndForTerminals) {
  EXPECT_EQ(Json("a\"b\\c\n\r\t\b\f\x01"), R"("a\"b\\c\n\r\t\b\f\u0001")");
  EXPECT_EQ(Json("\0\x7f\xc2\x80\xc2\x9f\xc2\xa0"s),
            "\"\\u0000\\u007f\\u0080\\u009f\xc2\xa0\"");
  EXPECT_EQ(Json("Zoë 東京 🚀"), "\"Zoë 東京 🚀\"");
  EXPECT_EQ(Json(""), "\"\"");
}

TEST(JsonTextTest, StrayBytesBecomeReplacementCharacters) {
  EXPECT_EQ(Json("x\xff\xc3\xa9\xc3"), "\"x\ufffd\u00e9\ufffd\"");
  EXPECT_EQ(Json("\xc2"), "\"\ufffd\"");
  EXPECT_EQ(Json("\xff\x1b\xc2\x9b"), "\"\ufffd\\u001b\\u009b\"");
}

TEST(JsonTextTest, FloatsAreShortestAndNeverLookWhole) {
  using Limits = std::numeric_limits<float>;
  EXPECT_EQ(Json(0.0f), "0.0");
  EXPECT_EQ(Json(-0.0f), "-0.0");
  EXPECT_EQ(Json(0.1f), "0.1");
  EXPECT_EQ(Json(16777216.0f), "16777216.0");
  EXPECT_EQ(Json(1e10f), "1e+10");
  EXPECT_EQ(Json(1e-7f), "1e-07");
  EXPECT_EQ(Json(Limits::denorm_min()), "1e-45");
  EXPECT_EQ(Json(Limits::lowest()), "-3.4028235e+38");
  EXPECT_EQ(Json(-Limits::infinity()), "\"-Infinity\"");
  EXPECT_EQ(Json(std::bit_cast<float>(0x7fc00000u)), "\"NaN\"");
  EXPECT_EQ(Json(std::bit_cast<float>(0xffc00000u)), "\"0xffc00000\"");
}

TEST(JsonTextTest, FloatsReadBackTheSame) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<uint32_t>(random());
    const float value = std::bit_cast<float>(bits);
    std::string text = Json(value);
    std::optional<float> back;
    if (std::isfinite(value)) {
      EXPECT_NE(text.find_first_of(".e"), std::string::npos) << text;
      back = ParseJsonFloat(text);
    } else {
      back = ParseJsonFloatName(text.substr(1, text.size() - 2));
    }
    ASSERT_TRUE(back) << text;
    EXPECT_EQ(std::bit_cast<uint32_t>(*back), bits) << text;
  }
}

TEST(JsonTextTest, NumbersAreRoundedOnce) {
  // Through double this would be 1 + 2^-23: a tie there, none here.
  EXPECT_EQ(ParseJsonFloat("1.00000005960464477540"), 1.0f + 0x1p-23f);
  EXPECT_EQ(ParseJsonFloat("1.00000005960464477539"), 1.0f);
  EXPECT_EQ(ParseJsonFloat("3.4028235e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(ParseJsonFloat("1e39"), std::nullopt);
  EXPECT_EQ(ParseJsonFloat("-1e999"), std::nullopt);
  EXPECT_EQ(ParseJsonFloat("1e-999"), 0.0f);
  const std::optional<float> tiny = ParseJsonFloat("-1e-60");
  EXPECT_EQ(tiny, 0.0f);
  EXPECT_TRUE(tiny && std::signbit(*tiny));
}

TEST(JsonTextTest, NamesOfFloats) {
  EXPECT_EQ(ParseJsonFloatName("0x3f800000"), 1.0f);
  for (const char* text : {"", "nan", "inf", "+Infinity", "0x", "0x7fc0000",
                           "0x7fc000000", "0x7fc0000g", "1.0"}) {
    EXPECT_EQ(ParseJsonFloatName(text), std::nullopt) << text;
  }
}

TEST(JsonTextTest, Base64RoundTripsAndRefuses) {
  EXPECT_EQ(Base64("\xff\xd8\xff"), "/9j/");
  EXPECT_EQ(Base64("\xff\xfe"), "//4=");
  EXPECT_EQ(Base64("\x80"), "gA==");
  std::mt19937 random(2);
  for (size_t size = 0; size < 50; ++size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    EXPECT_EQ(ParseBase64(Base64(bytes)), bytes);
  }
  for (const char* text : {"A", "AA", "AAA", "AA=A", "====", "AB==", "AAB=",
                           "AA A", "AA==AA==", "A-_A", "AA\n="}) {
    EXPECT_EQ(ParseBase64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace headrace::testing
