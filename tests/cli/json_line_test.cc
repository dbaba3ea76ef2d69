#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "headrace/message.h"
#include "tests/naive/naive_json.h"

namespace headrace::cli {
namespace {

using namespace std::string_literals;

Feature Int64s(std::vector<int64_t> values) {
  return {.kind = Kind::kInt64, .int64s = std::move(values)};
}
Feature Floats(std::vector<float> values) {
  return {.kind = Kind::kFloat, .floats = std::move(values)};
}
Feature Bytes(std::vector<std::string> values) {
  return {.kind = Kind::kBytes, .bytes = std::move(values)};
}

std::string Line(const Message& message) {
  std::string line;
  testing::AppendJsonMessage(message, &line);
  return line;
}
std::string Text(const Feature& feature) {
  std::string text;
  testing::AppendJsonFeature(feature, &text);
  return text;
}
float FromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(JsonLine, IsThatOfTheInterface) {
  Message message;
  message.features["age"] = Int64s({29});
  message.features["score"] = Floats({4.5f, 1.0f});
  message.features["name"] = Bytes({"The Shawshank Redemption"});
  message.features["img"] = Bytes({"\xff\xd8\xff"});
  message.features["unset"] = Feature();
  EXPECT_EQ(Line(message),
            R"({"age":[29],"img":[{"b64":"/9j/"}],)"
            R"("name":["The Shawshank Redemption"],"score":[4.5,1.0],)"
            R"("unset":null})");
  EXPECT_EQ(Line(Message()), "{}");
}

TEST(JsonLine, SequenceExampleKeepsAbsentAndEmptyListsApart) {
  Message message{.type = MessageType::kSequence};
  EXPECT_EQ(Line(message), R"({"context":{}})");
  message.has_feature_lists = true;
  EXPECT_EQ(Line(message), R"({"context":{},"feature_lists":{}})");
  message.features["user"] = Bytes({"u"});
  message.feature_lists["k"] = {Int64s({1, 2}), Feature(), Int64s({}),
                                Int64s({3})};
  message.feature_lists["none"] = {};
  EXPECT_EQ(Line(message), R"({"context":{"user":["u"]},"feature_lists":)"
                           R"({"k":[[1,2],null,{"int64":[]},[3]],"none":[]}})");
}

TEST(JsonLine, TypedEmptyListsAreWrapped) {
  EXPECT_EQ(Text(Int64s({})), R"({"int64":[]})");
  EXPECT_EQ(Text(Floats({})), R"({"float":[]})");
  EXPECT_EQ(Text(Bytes({})), R"({"bytes":[]})");
  EXPECT_EQ(Text(Feature()), "null");
}

TEST(JsonLine, Int64Extremes) {
  EXPECT_EQ(Text(Int64s({std::numeric_limits<int64_t>::min(), -1, 0,
                         std::numeric_limits<int64_t>::max()})),
            "[-9223372036854775808,-1,0,9223372036854775807]");
}

TEST(JsonLine, FloatsThatAreNotFiniteAreNames) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Text(Floats({FromBits(0x7fc00000), inf, -inf, 1.0f})),
            R"({"float":["NaN","Infinity","-Infinity",1.0]})");
  EXPECT_EQ(Text(Floats({FromBits(0x7fc00001), FromBits(0xffc00000),
                         FromBits(0x7f800001), FromBits(0xffffffff)})),
            R"({"float":["0x7fc00001","0xffc00000","0x7f800001",)"
            R"("0xffffffff"]})");
}

TEST(JsonLine, BytesThatAreNoUtf8AreBase64) {
  EXPECT_EQ(Text(Bytes({"\x80", "\xff\xfe", "\xed\xa0\x80"})),
            R"([{"b64":"gA=="},{"b64":"//4="},{"b64":"7aCA"}])");
}

TEST(JsonLine, KeysAreSortedByteWise) {
  Message message;
  for (const char* key : {"b", "a", "B", "é", "", "a\n"}) {
    message.features[key] = Int64s({1});
  }
  EXPECT_EQ(Line(message),
            "{\"\":[1],\"B\":[1],\"a\":[1],\"a\\n\":[1],\"b\":[1],\"é\":[1]}");
}

}  // namespace
}  // namespace headrace::cli
