#include "src/cli/json/json_line_parser.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "headrace/message.h"
#include "src/sample/random.h"
#include "tests/naive/naive_json.h"

namespace headrace::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

// Equal bit for bit: NaN payloads and the sign of zero count.
bool Same(const Feature& a, const Feature& b) {
  if (a.kind != b.kind || a.size() != b.size()) return false;
  if (a.kind == Kind::kInt64) return a.int64s == b.int64s;
  if (a.kind == Kind::kBytes) return a.bytes == b.bytes;
  for (size_t i = 0; i < a.floats.size(); ++i) {
    if (std::bit_cast<uint32_t>(a.floats[i]) !=
        std::bit_cast<uint32_t>(b.floats[i])) {
      return false;
    }
  }
  return true;
}

bool Same(const std::vector<Feature>& a, const std::vector<Feature>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const Feature& x, const Feature& y) { return Same(x, y); });
}

bool Same(const Message& a, const Message& b) {
  const auto equal = [](const auto& x, const auto& y) {
    return x.first == y.first && Same(x.second, y.second);
  };
  return a.type == b.type && a.has_feature_lists == b.has_feature_lists &&
         std::equal(a.features.begin(), a.features.end(), b.features.begin(),
                    b.features.end(), equal) &&
         std::equal(a.feature_lists.begin(), a.feature_lists.end(),
                    b.feature_lists.begin(), b.feature_lists.end(), equal);
}

// The feature "x" of {"x": text}.
Feature Read(const std::string& text) {
  Result<Message> message =
      ParseJsonLine("{\"x\":" + text + "}", MessageType::kExample);
  EXPECT_TRUE(message.ok()) << text << ": " << message.status().ToString();
  return message.ok() ? message->features["x"] : Feature();
}

std::string Error(const std::string& line,
                  MessageType type = MessageType::kExample) {
  Result<Message> message = ParseJsonLine(line, type);
  if (message.ok()) return "no error";
  EXPECT_EQ(message.status().code(), ErrorCode::kMalformed);
  return message.status().info()->feature + ": " +
         std::string(message.status().message());
}
std::string ErrorOf(const std::string& text) {
  return Error("{\"x\":" + text + "}");
}

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(JsonLineParser, KindsShow) {
  EXPECT_THAT(Read("[1, -2]").int64s, ElementsAre(1, -2));
  EXPECT_THAT(Read("[1.0, 2e3]").floats, ElementsAre(1.0f, 2000.0f));
  EXPECT_THAT(Read("[\"a\", {\"b64\": \"/9j/\"}, \"\"]").bytes,
              ElementsAre("a", "\xff\xd8\xff", ""));
  EXPECT_THAT(Read("[{\"b64\": \"\"}, \"NaN\"]").bytes, ElementsAre("", "NaN"));
  EXPECT_EQ(Read("null").kind, Kind::kNull);
}

TEST(JsonLineParser, TheWrappedFormIsAcceptedEverywhere) {
  EXPECT_THAT(Read("{\"int64\": [1, 2]}").int64s, ElementsAre(1, 2));
  EXPECT_THAT(Read("{\"float\": [1.5, 2, -3]}").floats,
              ElementsAre(1.5f, 2.0f, -3.0f));
  EXPECT_THAT(Read("{\"bytes\": [\"a\", {\"b64\": \"AA==\"}]}").bytes,
              ElementsAre("a", std::string(1, '\0')));
  for (const Kind kind : {Kind::kInt64, Kind::kFloat, Kind::kBytes}) {
    const Feature feature =
        Read("{\"" + std::string(KindName(kind)) + "\":[]}");
    EXPECT_EQ(feature.kind, kind);
    EXPECT_EQ(feature.size(), 0u);
  }
}

TEST(JsonLineParser, NamesAndBitsOfFloats) {
  const std::vector<float> values =
      Read(
          "{\"float\":[\"NaN\",\"Infinity\",\"-Infinity\",\"0x7fc00001\","
          "\"0xffffffff\",\"0x7F800001\"]}")
          .floats;
  ASSERT_EQ(values.size(), 6u);
  EXPECT_EQ(Bits(values[0]), 0x7fc00000u);
  EXPECT_EQ(values[1], std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[2], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(Bits(values[3]), 0x7fc00001u);
  EXPECT_EQ(Bits(values[4]), 0xffffffffu);
  EXPECT_EQ(Bits(values[5]), 0x7f800001u);
  for (const char* name : {"nan", "0x7fc0000", "0x7fc000010", "0xzzzzzzzz",
                           "inf", "", "0x-fc00001"}) {
    EXPECT_THAT(ErrorOf("{\"float\":[\"" + std::string(name) + "\"]}"),
                HasSubstr("is not a float"))
        << name;
  }
}

TEST(JsonLineParser, Int64Range) {
  EXPECT_THAT(Read("[9223372036854775807, -9223372036854775808]").int64s,
              ElementsAre(std::numeric_limits<int64_t>::max(),
                          std::numeric_limits<int64_t>::min()));
  for (const char* number :
       {"9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "123456789012345678901234567890"}) {
    EXPECT_THAT(ErrorOf("[" + std::string(number) + "]"),
                AllOf(HasSubstr("x: "), HasSubstr(number),
                      HasSubstr("does not fit an int64")));
  }
}

TEST(JsonLineParser, FloatsAreRoundedOnce) {
  // Through double this would be 1: it lies just above halfway to the next
  // float, by less than a double can tell.
  EXPECT_EQ(Read("[1.00000005960464477540]").floats[0],
            std::nextafterf(1.0f, 2.0f));
  EXPECT_EQ(Read("[1.00000005960464477539]").floats[0], 1.0f);
  EXPECT_EQ(Bits(Read("[-0.0]").floats[0]), 0x80000000u);
  EXPECT_EQ(Bits(Read("[1e-45]").floats[0]), 1u);
}

TEST(JsonLineParser, FloatsTooLargeFailAndTooSmallAreZero) {
  EXPECT_EQ(Read("[3.4028235e38]").floats[0],
            std::numeric_limits<float>::max());
  for (const char* number : {"3.4028236e38", "1e39", "-1e300", "1e400"}) {
    EXPECT_NE(ErrorOf("[" + std::string(number) + "]"), "no error") << number;
  }
  EXPECT_THAT(ErrorOf("[1e39]"), HasSubstr("too large"));
  EXPECT_EQ(Bits(Read("[1e-60]").floats[0]), 0u);
  EXPECT_EQ(Bits(Read("[-1e-400]").floats[0]), 0x80000000u);
}

TEST(JsonLineParser, MixedListsSayWhatToWrite) {
  EXPECT_THAT(ErrorOf("[1, 2.5]"),
              AllOf(HasSubstr("x: "), HasSubstr("2.5 (float)"),
                    HasSubstr("write 1.0 for 1")));
  EXPECT_THAT(ErrorOf("[2.5, 1]"), HasSubstr("write 1.0"));
  EXPECT_THAT(ErrorOf("[1, \"a\"]"), HasSubstr("one kind"));
  EXPECT_THAT(ErrorOf("[1.5, \"NaN\"]"), HasSubstr("{\"float\": [...]}"));
  EXPECT_THAT(ErrorOf("[\"a\", 1]"), HasSubstr("one kind"));
  EXPECT_THAT(ErrorOf("[1, {\"b64\": \"AA==\"}]"), HasSubstr("one kind"));
  EXPECT_THAT(ErrorOf("{\"int64\": [1.5]}"), HasSubstr("kind int64"));
  EXPECT_THAT(ErrorOf("{\"bytes\": [1]}"), HasSubstr("kind bytes"));
  EXPECT_THAT(ErrorOf("{\"float\": [{\"b64\": \"\"}]}"),
              HasSubstr("kind float"));
}

TEST(JsonLineParser, WhatHasNoMeaningIsRefused) {
  EXPECT_THAT(ErrorOf("29"), HasSubstr("like [29]"));
  EXPECT_THAT(ErrorOf("\"a\""), HasSubstr("a list is expected"));
  EXPECT_THAT(ErrorOf("true"), HasSubstr("a list is expected"));
  EXPECT_THAT(ErrorOf("[true]"), HasSubstr("a value is expected"));
  EXPECT_THAT(ErrorOf("[null]"), HasSubstr("a value is expected"));
  EXPECT_THAT(ErrorOf("[[1]]"), HasSubstr("a value is expected"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("{\"int64\": []}"));
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("null for no kind"));
  EXPECT_THAT(ErrorOf("{\"int\": []}"), HasSubstr("\"int64\""));
  EXPECT_THAT(ErrorOf("{\"null\": []}"), HasSubstr("\"int64\""));
  EXPECT_THAT(ErrorOf("{\"b64\": \"AA==\"}"),
              HasSubstr("[{\"b64\": \"...\"}]"));
  EXPECT_THAT(ErrorOf("{\"int64\": [], \"float\": []}"), HasSubstr("second"));
  EXPECT_THAT(ErrorOf("{\"int64\": [], \"int64\": []}"), HasSubstr("second"));
  EXPECT_THAT(ErrorOf("{\"int64\": 1}"), HasSubstr("a list is expected"));
  EXPECT_THAT(ErrorOf("{\"int64\": {}}"), HasSubstr("a list is expected"));
  EXPECT_THAT(ErrorOf("[{}]"), HasSubstr("b64"));
  EXPECT_THAT(ErrorOf("[{\"b\": \"\"}]"), HasSubstr("b64"));
  EXPECT_THAT(ErrorOf("[{\"b64\": 1}]"), HasSubstr("base64 string"));
  EXPECT_THAT(ErrorOf("[{\"b64\": [\"\"]}]"), HasSubstr("base64 string"));
  EXPECT_THAT(ErrorOf("[{\"b64\": \"\", \"b64\": \"\"}]"),
              HasSubstr("nothing else"));
  EXPECT_THAT(ErrorOf("[{\"b64\": \"A\"}]"), HasSubstr("not base64"));
  for (const char* line : {"[]", "1", "null", "\"a\"", "true"}) {
    EXPECT_THAT(Error(line), HasSubstr("a JSON object is expected")) << line;
  }
}

TEST(JsonLineParser, DuplicateKeysAreErrors) {
  EXPECT_THAT(Error(R"({"a":[1],"b":[2],"a":[3]})"),
              AllOf(HasSubstr("a: "), HasSubstr("twice")));
  EXPECT_THAT(Error(R"({"context":{},"context":{}})", MessageType::kSequence),
              HasSubstr("twice"));
  EXPECT_THAT(
      Error(R"({"feature_lists":{"k":[],"k":[]}})", MessageType::kSequence),
      AllOf(HasSubstr("k: "), HasSubstr("twice")));
}

TEST(JsonLineParser, BrokenJson) {
  for (const char* line :
       {"", "{", "{\"a\":[1]", "{\"a\":[1]} x", "{\"a\":[1]}{}", "{a:[1]}",
        "{\"a\":[01]}", "{\"a\":[+1]}", "{\"a\":[1.]}", "{\"a\":[NaN]}",
        "{\"a\":[\"\\ud800\"]}", "{\"a\":[\"\xff\"]}", "{\"a\":[\"\n\"]}",
        "{\"\xff\":[1]}", "\x1f\x8b"}) {
    EXPECT_THAT(Error(line), HasSubstr("column")) << line;
  }
}

TEST(JsonLineParser, DeepNestingIsRefusedAtOnce) {
  EXPECT_NE(Error(std::string(1'000'000, '[')), "no error");
  EXPECT_NE(ErrorOf(std::string(1'000'000, '[')), "no error");
}

TEST(JsonLineParser, SequenceExample) {
  const auto parse = [](const std::string& line) {
    Result<Message> message = ParseJsonLine(line, MessageType::kSequence);
    EXPECT_TRUE(message.ok()) << message.status().ToString();
    return message.ok() ? *message : Message();
  };
  const Message message =
      parse(R"({"context":{"u":["x"]},"feature_lists":)"
            R"({"k":[[1,2],null,{"float":[]},[1.5]],"e":[]}})");
  EXPECT_EQ(message.type, MessageType::kSequence);
  EXPECT_TRUE(message.has_feature_lists);
  EXPECT_THAT(message.features.at("u").bytes, ElementsAre("x"));
  const std::vector<Feature>& steps = message.feature_lists.at("k");
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_THAT(steps[0].int64s, ElementsAre(1, 2));
  EXPECT_EQ(steps[1].kind, Kind::kNull);
  EXPECT_EQ(steps[2].kind, Kind::kFloat);
  EXPECT_THAT(steps[3].floats, ElementsAre(1.5f));
  EXPECT_TRUE(message.feature_lists.at("e").empty());

  EXPECT_FALSE(parse(R"({"context":{}})").has_feature_lists);
  EXPECT_FALSE(parse(R"({"feature_lists":null})").has_feature_lists);
  EXPECT_TRUE(parse(R"({"feature_lists":{}})").has_feature_lists);
  EXPECT_THAT(Error(R"({"age":[1]})", MessageType::kSequence),
              HasSubstr("\"context\""));
  EXPECT_THAT(Error(R"({"feature_lists":{"k":[1]}})", MessageType::kSequence),
              AllOf(HasSubstr("k: "), HasSubstr("a list is expected")));
  EXPECT_THAT(Error(R"({"feature_lists":{"k":1}})", MessageType::kSequence),
              HasSubstr("list of steps"));
  EXPECT_THAT(Error(R"({"context":[]})", MessageType::kSequence),
              HasSubstr("object of features"));
}

TEST(JsonLineParser, RawRecords) {
  EXPECT_EQ(*ParseJsonBytes("\"a\\u0000\""), std::string("a\0", 2));
  EXPECT_EQ(*ParseJsonBytes(R"({"b64":"/9j/"})"), "\xff\xd8\xff");
  for (const char* line :
       {"1", "null", "\"a\",\"b\"", "", "\"a\"],\"bytes\":[\"b\"", "[]"}) {
    EXPECT_FALSE(ParseJsonBytes(line).ok()) << line;
  }
}

TEST(JsonLineType, TellsTheMessagesApart) {
  for (const char* line :
       {"{}", R"({"a":[1]})", R"({"context":[1]})",
        R"({"context":[1],"feature_lists":[2]})",
        R"({"context":{"float":["NaN"]}})", R"({"feature_lists":null})",
        R"({"context":{},"x":[1]})", "broken"}) {
    EXPECT_EQ(JsonLineType(line), MessageType::kExample) << line;
  }
  for (const char* line : {R"({"context":{}})", R"({"context":{"a":[1]}})",
                           R"({"context":{},"feature_lists":{}})",
                           R"({"feature_lists":{"k":[[1]]}})",
                           R"({"context":{"int64":[1]},"feature_lists":{}})",
                           R"({"context":{},"feature_lists":null})"}) {
    EXPECT_EQ(JsonLineType(line), MessageType::kSequence) << line;
  }
  for (const char* line :
       {R"({"examples":[]})", R"({"context":{},"examples":[{}]})",
        R"({"examples":[{"b64":[1]},{"a":null}]})"}) {
    EXPECT_EQ(JsonLineType(line), MessageType::kElwc) << line;
  }
  for (const char* line :
       {R"({"examples":[{"b64":"YQ=="}]})", R"({"examples":[1]})",
        R"({"examples":[{}],"x":[1]})", R"({"context":[1],"examples":[{}]})"}) {
    EXPECT_EQ(JsonLineType(line), MessageType::kExample) << line;
  }
}

TEST(ParseJsonLine, ListsAreWrittenAsTheyAreRead) {
  for (const std::string line :
       {R"({"examples":[]})", R"({"context":{},"examples":[{}]})",
        R"({"context":{"q":[1]},"examples":[{"a":[1.5],"b":null},{}]})"}) {
    const auto message = ParseJsonLine(line, MessageType::kElwc);
    ASSERT_TRUE(message.ok()) << message.status().ToString();
    std::string written;
    testing::AppendJsonMessage(*message, &written);
    EXPECT_EQ(written, line);
  }
  for (const char* line :
       {R"({"examples":{}})", R"({"examples":[1]})", R"({"examples":[[]]})",
        R"({"examples":[],"examples":[]})", R"({"context":[]})",
        R"({"examples":[{"a":1}]})", R"({"feature_lists":{}})",
        R"({"examples":null})"}) {
    EXPECT_EQ(ParseJsonLine(line, MessageType::kElwc).status().code(),
              ErrorCode::kMalformed)
        << line;
  }
}

// ---------------------------------------------------------------- Round trip

std::string RandomText(sample::Random* random) {
  std::string text;
  const uint64_t size = random->Below(12);
  for (uint64_t i = 0; i < size; ++i) {
    switch (random->Below(5)) {
      case 0:
        text += static_cast<char>(random->Below(256));
        break;
      case 1:
        text += "é東🚀\u009b\u2028"s.substr(0, 2);
        break;
      case 2:
        text += static_cast<char>(random->Below(0x20));
        break;
      default:
        text += static_cast<char>(0x20 + random->Below(0x60));
    }
  }
  return text;
}

std::string RandomKey(sample::Random* random) {
  const std::string text = RandomText(random);
  return IsUtf8(text) ? text : "k" + std::to_string(random->Below(9));
}

Feature RandomFeature(sample::Random* random) {
  Feature feature;
  feature.kind = static_cast<Kind>(random->Below(4));
  for (uint64_t n = random->Below(5); n > 0; --n) {
    const auto bits = static_cast<uint32_t>(random->Next() >> 32);
    switch (feature.kind) {
      case Kind::kBytes:
        feature.bytes.push_back(RandomText(random));
        break;
      case Kind::kFloat:
        // All patterns, every fourth with the exponent of NaN and infinity.
        feature.floats.push_back(
            std::bit_cast<float>(random->OneIn(4) ? bits | 0x7f800000u : bits));
        break;
      case Kind::kInt64:
        feature.int64s.push_back(
            static_cast<int64_t>(random->Next() >> random->Below(64)));
        break;
      case Kind::kNull:
        break;
    }
  }
  return feature;
}

Message RandomMessage(sample::Random* random) {
  Message message;
  for (uint64_t n = random->Below(6); n > 0; --n) {
    message.features[RandomKey(random)] = RandomFeature(random);
  }
  if (random->OneIn(2)) return message;
  message.type = MessageType::kSequence;
  message.has_feature_lists = !random->OneIn(3);
  if (!message.has_feature_lists) return message;
  for (uint64_t n = random->Below(4); n > 0; --n) {
    std::vector<Feature>& steps = message.feature_lists[RandomKey(random)];
    steps.clear();
    for (uint64_t m = random->Below(4); m > 0; --m) {
      steps.push_back(RandomFeature(random));
    }
  }
  return message;
}

TEST(JsonLineParser, ReadsBackWhatIsWritten) {
  for (uint64_t i = 0; i < 20'000; ++i) {
    sample::Random random(7, i);
    const Message message = RandomMessage(&random);
    std::string line;
    testing::AppendJsonMessage(message, &line);
    ASSERT_TRUE(IsUtf8(line));
    ASSERT_EQ(line.find('\n'), std::string::npos);
    Result<Message> back = ParseJsonLine(line, message.type);
    ASSERT_TRUE(back.ok()) << line << ": " << back.status().ToString();
    ASSERT_TRUE(Same(message, *back)) << line;
  }
}

TEST(JsonLineParser, EveryFloatReadsBack) {
  // One pattern in 2^12, with all exponents and both ends of each.
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 4099) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    Message message;
    message.features["x"] = {.kind = Kind::kFloat, .floats = {value}};
    std::string line;
    testing::AppendJsonMessage(message, &line);
    Result<Message> back = ParseJsonLine(line, MessageType::kExample);
    ASSERT_TRUE(back.ok()) << line;
    ASSERT_TRUE(Same(message, *back)) << line;
  }
}

}  // namespace
}  // namespace headrace::cli
