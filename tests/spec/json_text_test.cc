// Text, floats and bytes as the JSON of headrace writes them.

#include "src/base/json/json_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/effort.h"

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

// The standard library's text of a finite float, and ".0" behind whole ones.
std::string ByTheStandard(float value) {
  char text[64];
  const char* const end = std::to_chars(text, text + sizeof(text), value).ptr;
  std::string json(text, static_cast<size_t>(end - text));
  return json.find_first_of(".e") == json.npos ? json + ".0" : json;
}

// HEADRACE_SLOW_TESTS tries all floats.
TEST(JsonTextTest, FloatsAreThoseOfTheStandard) {
  const uint64_t step = SlowTestsWanted() ? 1 : kInstrumented ? 70'001 : 10'007;
  std::string json;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += step) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isfinite(value)) continue;
    json.clear();
    AppendJsonFloat(value, &json);
    ASSERT_EQ(json, ByTheStandard(value)) << bits;
  }
}

// Powers of two and their neighbours, short decimals, small whole numbers.
TEST(JsonTextTest, SpecialFloatsAreThoseOfTheStandard) {
  for (uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (const int32_t offset : {-2, -1, 0, 1, 2}) {
      const uint32_t bits = (exponent << 23) + static_cast<uint32_t>(offset);
      const auto value = std::bit_cast<float>(bits & 0x7fffffff);
      if (!std::isfinite(value)) continue;
      EXPECT_EQ(Json(value), ByTheStandard(value)) << bits;
    }
  }
  for (int i = -20'000; i <= 120'000; ++i) {
    for (const double divisor : {1.0, 10.0, 100.0, 1e3, 1e5, 1e8, 64.0}) {
      const auto value = static_cast<float>(i / divisor);
      ASSERT_EQ(Json(value), ByTheStandard(value)) << i << " / " << divisor;
    }
  }
}

// What a character becomes, one byte after another.
std::string EscapedByBytes(std::string_view text) {
  std::string json;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const auto next =
        i + 1 < text.size() ? static_cast<uint8_t>(text[i + 1]) : uint8_t{0};
    const std::string_view shorts = "\b\t\n\f\r\"\\";
    char code[8];
    if (const size_t at = shorts.find(text[i]); at != shorts.npos) {
      json += '\\';
      json += "btnfr\"\\"[at];
    } else if (byte < 0x20 || byte == 0x7f) {
      std::snprintf(code, sizeof(code), "\\u%04x", byte);
      json += code;
    } else if (byte == 0xc2 && next < 0xa0) {
      std::snprintf(code, sizeof(code), "\\u%04x", next);
      json += code;
      ++i;
    } else {
      json += text[i];
    }
  }
  return '"' + json + '"';
}

// Each character that may need an escape stands at each place of words.
TEST(JsonTextTest, EscapesStandAnywhere) {
  std::vector<std::string> characters;
  for (int byte = 0; byte < 0x80; ++byte) characters.emplace_back(1, byte);
  for (int byte = 0x80; byte < 0xc0; ++byte) {
    characters.push_back({'\xc2', static_cast<char>(byte)});
    characters.push_back({'\xc3', static_cast<char>(byte)});
  }
  characters.insert(characters.end(), {"\u20ac", "\U0001f680"});
  for (const std::string& character : characters) {
    for (size_t before = 0; before < 20; ++before) {
      for (size_t after = 0; after < 20; ++after) {
        const std::string text =
            std::string(before, 'x') + character + std::string(after, 'y');
        ASSERT_EQ(Json(text), EscapedByBytes(text));
        std::string bytes;
        AppendJsonBytes(text, &bytes);
        ASSERT_EQ(bytes, Json(text));
      }
    }
  }
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (size_t n = random() % 30; n > 0; --n) {
      text += characters[random() % characters.size()];
    }
    ASSERT_EQ(Json(text), EscapedByBytes(text));
  }
}

TEST(JsonTextTest, BytesThatAreNoTextAreBase64) {
  std::string json;
  AppendJsonBytes("\xff\xd8\xff", &json);
  AppendJsonBytes("long text, then \xed\xa0\x80", &json);
  EXPECT_EQ(json, R"({"b64":"/9j/"}{"b64":"bG9uZyB0ZXh0LCB0aGVuIO2ggA=="})");
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
