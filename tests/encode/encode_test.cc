// Every type that is taken, as features; slices of them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "headrace/example_encoder.h"
#include "headrace/message.h"
#include "tests/encode/foreign_array.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Strings = std::vector<std::string>;

// null, int64[1, 2], float[0.5], bytes["a"].
std::string ToText(const Feature& feature) {
  if (feature.kind == Kind::kNull) return "null";
  std::string text;
  const auto add = [&text](const std::string& value) {
    text += (text.empty() ? "" : ", ") + value;
  };
  for (const std::string& value : feature.bytes) add('"' + value + '"');
  for (const int64_t value : feature.int64s) add(std::to_string(value));
  for (const float value : feature.floats) {
    std::string number = std::to_string(value);
    add(number.substr(0, number.find_last_not_of('0') + 1));
  }
  return std::string(KindName(feature.kind)) + "[" + text + "]";
}

// {a: int64[1]}, and behind it {s: (int64[1], null)} of feature lists. The
// bytes must be the canonical ones.
std::string ToText(const std::string& bytes) {
  auto message = ParseMessage(bytes, MessageType::kSequence);
  EXPECT_THAT(message, IsOk());
  EXPECT_EQ(*SerializeMessage(*message), bytes);
  std::string text = "{";
  for (const auto& [key, feature] : message->features) {
    text += (text.size() > 1 ? ", " : "") + key + ": " + ToText(feature);
  }
  text += "}";
  if (!message->has_feature_lists) return text;
  std::string lists;
  for (const auto& [key, steps] : message->feature_lists) {
    std::string list;
    for (const Feature& step : steps) {
      list += (list.empty() ? "" : ", ") + ToText(step);
    }
    lists += (lists.empty() ? "" : ", ") + key + ": (" + list + ")";
  }
  return text + " {" + lists + "}";
}

Strings Encode(const Foreign& batch, const EncodeOptions& options = {}) {
  auto encoded = EncodeExamples(batch->schema, batch->array, options);
  EXPECT_THAT(encoded, IsOk());
  Strings texts;
  if (!encoded) return texts;
  for (const std::string& bytes : *encoded) texts.push_back(ToText(bytes));
  EXPECT_NE(batch->array.release, nullptr);
  EXPECT_NE(batch->schema.release, nullptr);
  return texts;
}

constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();

// One column of three rows, and the features that it makes.
struct TypeCase {
  std::string name;
  std::function<Foreign()> make;
  Strings features;
};

std::vector<TypeCase> Plain() {
  const std::vector<std::string> texts = {"", "short", "longer than a view"};
  const Strings bytes = {"bytes[\"\"]", "bytes[\"short\"]",
                         "bytes[\"longer than a view\"]"};
  const Strings ints = {"int64[1]", "int64[0]", "int64[100]"};
  const Strings floats = {"float[1.]", "float[-2.5]", "float[0.]"};
  return {
      {"bool",
       [] {
         return Bools({true, false, true});
       },
       {"int64[1]", "int64[0]", "int64[1]"}},
      {"int8",
       [] {
         return Numbers<int8_t>("c", {1, -128, 127});
       },
       {"int64[1]", "int64[-128]", "int64[127]"}},
      {"int16",
       [] {
         return Numbers<int16_t>("s", {1, 0, -300});
       },
       {"int64[1]", "int64[0]", "int64[-300]"}},
      {"int32",
       [] {
         return Numbers<int32_t>("i", {1, 0, -70000});
       },
       {"int64[1]", "int64[0]", "int64[-70000]"}},
      {"int64",
       [] {
         return Numbers<int64_t>("l", {1, kLow, kHigh});
       },
       {"int64[1]", "int64[" + std::to_string(kLow) + "]",
        "int64[" + std::to_string(kHigh) + "]"}},
      {"uint8",
       [] {
         return Numbers<uint8_t>("C", {1, 0, 255});
       },
       {"int64[1]", "int64[0]", "int64[255]"}},
      {"uint16",
       [] {
         return Numbers<uint16_t>("S", {1, 0, 65535});
       },
       {"int64[1]", "int64[0]", "int64[65535]"}},
      {"uint32",
       [] {
         return Numbers<uint32_t>("I", {1, 0, 4294967295});
       },
       {"int64[1]", "int64[0]", "int64[4294967295]"}},
      {"uint64",
       [] {
         return Numbers<uint64_t>("L", {1, 0, uint64_t{kHigh}});
       },
       {"int64[1]", "int64[0]", "int64[" + std::to_string(kHigh) + "]"}},
      {"float16",
       [] {
         return Numbers<uint16_t>("e", {0x3c00, 0xc100, 0x0000});
       },
       floats},
      {"float32",
       [] {
         return Numbers<float>("f", {1, -2.5, 0});
       },
       floats},
      {"float64",
       [] {
         return Numbers<double>("g", {1, -2.5, 0});
       },
       floats},
      {"binary", [=] { return ByteArrays<int32_t>("z", texts); }, bytes},
      {"utf8", [=] { return ByteArrays<int32_t>("u", texts); }, bytes},
      {"large_binary", [=] { return ByteArrays<int64_t>("Z", texts); }, bytes},
      {"large_utf8", [=] { return ByteArrays<int64_t>("U", texts); }, bytes},
      {"binary_view", [=] { return Views("vz", texts); }, bytes},
      {"utf8_view", [=] { return Views("vu", texts); }, bytes},
  };
}

constexpr EncodeOptions kNarrowing = {.allow_narrowing = true};

TEST(EncodeTest, APlainColumnIsOneValueARow) {
  for (const TypeCase& c : Plain()) {
    SCOPED_TRACE(c.name);
    Strings expected;
    for (const std::string& feature : c.features) {
      expected.push_back("{x: " + feature + "}");
    }
    EXPECT_EQ(Encode(BatchOf(c.make()), kNarrowing), expected);
    // A null is a feature that is not there.
    expected[1] = "{}";
    EXPECT_EQ(
        Encode(BatchOf(WithNulls(c.make(), {true, false, true})), kNarrowing),
        expected);
  }
}

// "int64[1]", "int64[2]" are "int64[1, 2]".
std::string Joined(const std::string& a, const std::string& b) {
  return a.substr(0, a.size() - 1) + ", " + b.substr(b.find('[') + 1);
}
std::string Emptied(const std::string& feature) {
  return feature.substr(0, feature.find('[')) + "[]";
}

// Rows: two values, null, no values, one value.
TEST(EncodeTest, AListIsTheValuesOfARow) {
  const std::vector<bool> valid = {true, false, true, true};
  for (const TypeCase& c : Plain()) {
    SCOPED_TRACE(c.name);
    const Strings expected = {
        "{x: " + Joined(c.features[0], c.features[1]) + "}", "{}",
        "{x: " + Emptied(c.features[0]) + "}", "{x: " + c.features[2] + "}"};
    const Foreign small = Lists<int32_t>("+l", {0, 2, 2, 2, 3}, c.make());
    EXPECT_EQ(Encode(BatchOf(WithNulls(small, valid)), kNarrowing), expected);
    const Foreign large = Lists<int64_t>("+L", {0, 2, 2, 2, 3}, c.make());
    EXPECT_EQ(Encode(BatchOf(WithNulls(large, valid)), kNarrowing), expected);
    // What a null list spans is not looked at.
    const Foreign odd = Lists<int32_t>("+l", {0, 1, 2, 2, 3}, c.make());
    EXPECT_EQ(Encode(BatchOf(WithNulls(odd, valid)), kNarrowing)[1], "{}");
  }
}

TEST(EncodeTest, AListOfFixedSize) {
  const Foreign items = Numbers<int16_t>("s", {1, 2, 3, 4, 5, 6, 7});
  EXPECT_THAT(Encode(BatchOf(
                  WithNulls(FixedSizeLists(2, 3, items), {true, false, true}))),
              ElementsAre("{x: int64[1, 2]}", "{}", "{x: int64[5, 6]}"));
  EXPECT_THAT(Encode(BatchOf(Sliced(FixedSizeLists(2, 3, items), 1, 2))),
              ElementsAre("{x: int64[3, 4]}", "{x: int64[5, 6]}"));
  EXPECT_THAT(Encode(BatchOf(FixedSizeLists(0, 2, items))),
              ElementsAre("{x: int64[]}", "{x: int64[]}"));
}

TEST(EncodeTest, NullsAreNeverPresent) {
  EXPECT_THAT(Encode(BatchOf(MakeForeign("n", 2))), ElementsAre("{}", "{}"));
  // Some libraries give it a validity buffer.
  const Foreign with_buffer = MakeForeign("n", 1);
  AddBuffer(with_buffer, nullptr);
  EXPECT_THAT(Encode(BatchOf(with_buffer)), ElementsAre("{}"));
  // Lists of nulls are fine as long as they are null themselves.
  const Foreign lists = Lists<int32_t>("+l", {0, 0}, MakeForeign("n", 0));
  EXPECT_THAT(Encode(BatchOf(WithNulls(lists, {false}))), ElementsAre("{}"));
}

// Each of the three may have an offset of its own: the record batch, the
// column, and the values of its lists.
TEST(EncodeTest, SlicesAreTheirRows) {
  for (const TypeCase& c : Plain()) {
    SCOPED_TRACE(c.name);
    const auto make = [&] {
      return WithNulls(Lists<int32_t>("+l", {0, 1, 1, 3, 3}, c.make()),
                       {true, true, true, false});
    };
    const Strings all = Encode(BatchOf(make()), kNarrowing);
    ASSERT_EQ(all.size(), 4u);
    for (size_t begin = 0; begin <= 4; ++begin) {
      for (size_t end = begin; end <= 4; ++end) {
        const auto offset = static_cast<int64_t>(begin);
        const auto length = static_cast<int64_t>(end - begin);
        const Strings rows(all.begin() + offset, all.begin() + offset + length);
        EXPECT_EQ(Encode(Sliced(BatchOf(make()), offset, length), kNarrowing),
                  rows);
        EXPECT_EQ(Encode(BatchOf(Sliced(make(), offset, length)), kNarrowing),
                  rows);
        if (begin == 0 || begin == end) continue;
        // Both: one row of the offset each.
        EXPECT_EQ(Encode(Sliced(BatchOf(Sliced(make(), offset - 1, length + 1)),
                                1, length),
                         kNarrowing),
                  rows);
      }
    }
    EXPECT_EQ(
        Encode(BatchOf(Lists<int32_t>("+l", {0, 2}, Sliced(c.make(), 1, 2))),
               kNarrowing),
        Strings{"{x: " + Joined(c.features[1], c.features[2]) + "}"});
  }
}

TEST(EncodeTest, KeysAreSorted) {
  const auto one = [](int64_t value) { return Numbers<int64_t>("l", {value}); };
  EXPECT_THAT(
      Encode(Struct(
          1,
          {{"b", one(1)}, {"", one(2)}, {"\xc3\xa9", one(3)}, {"a", one(4)}})),
      ElementsAre("{: int64[2], a: int64[4], b: int64[1], "
                  "\xc3\xa9: int64[3]}"));
}

TEST(EncodeTest, NoColumnsAndNoRows) {
  EXPECT_THAT(Encode(Struct(2, {})), ElementsAre("{}", "{}"));
  EXPECT_THAT(Encode(Struct(0, {})), IsEmpty());
  // Buffers that nothing is read from may be missing.
  const Foreign none = MakeForeign("u", 0);
  for (int i = 0; i < 3; ++i) AddBuffer(none, nullptr);
  EXPECT_THAT(Encode(BatchOf(none)), IsEmpty());
}

// -------------------------------------------------------------- Feature lists

// Rows: three steps, null, none, one.
Foreign Steps(Foreign steps) {
  return WithNulls(Lists<int32_t>("+l", {0, 3, 3, 3, 4}, std::move(steps)),
                   {true, false, true, true});
}
Foreign SmallInts() { return Numbers<int32_t>("i", {1, 2, 3}); }

TEST(EncodeTest, TheStructOfFeatureListsMakesSequenceExamples) {
  const Foreign lists =
      WithNulls(Lists<int64_t>("+L", {0, 2, 2, 2, 3}, SmallInts()),
                {true, false, true, true});
  const Foreign batch =
      Struct(4, {{"##SEQUENCE##", Struct(4, {{"s", Steps(lists)}})},
                 {"c", Numbers<float>("f", {0.5, 1.5, 2.5, 3.5})}});
  EXPECT_THAT(Encode(batch),
              ElementsAre("{c: float[0.5]} {s: (int64[1, 2], null, int64[])}",
                          "{c: float[1.5]} {}", "{c: float[2.5]} {s: ()}",
                          "{c: float[3.5]} {s: (int64[3])}"));
}

TEST(EncodeTest, StepsOfOtherTypes) {
  const auto encode = [](Foreign steps) {
    return Encode(Struct(
        4, {{"##SEQUENCE##", Struct(4, {{"s", Steps(std::move(steps))}})}}));
  };
  EXPECT_EQ(encode(MakeForeign("n", 4))[0], "{} {s: (null, null, null)}");
  EXPECT_EQ(encode(WithNulls(Numbers<int8_t>("c", {1, 2, 3, 4}),
                             {true, false, true, true}))[0],
            "{} {s: (int64[1], null, int64[3])}");
  EXPECT_EQ(encode(FixedSizeLists(
                1, 4, ByteArrays<int32_t>("u", {"a", "b", "c", "d"})))[0],
            "{} {s: (bytes[\"a\"], bytes[\"b\"], bytes[\"c\"])}");
  EXPECT_EQ(encode(WithNulls(
                Lists<int32_t>("+l", {0, 0, 0, 0, 0}, MakeForeign("n", 0)),
                {false, false, false, false}))[0],
            "{} {s: (null, null, null)}");
  EXPECT_THAT(Encode(Struct(1, {{"##SEQUENCE##",
                                 Struct(1, {{"s", MakeForeign("n", 1)}})}})),
              ElementsAre("{} {}"));
}

TEST(EncodeTest, ANullStructIsNoFeatureLists) {
  const Foreign lists = WithNulls(
      Struct(2, {{"s", FixedSizeLists(1, 2, SmallInts())}}), {true, false});
  EXPECT_THAT(Encode(Struct(2, {{"##SEQUENCE##", lists}})),
              ElementsAre("{} {s: (int64[1])}", "{}"));
  EXPECT_THAT(Encode(Struct(1, {{"##SEQUENCE##", Struct(1, {})}})),
              ElementsAre("{} {}"));
}

TEST(EncodeTest, SlicesOfFeatureLists) {
  const auto make = [] {
    const Foreign lists = WithNulls(
        Lists<int32_t>("+l", {0, 1, 1, 3}, SmallInts()), {true, false, true});
    return Struct(3, {{"s", Lists<int32_t>("+l", {0, 1, 2, 3}, lists)}});
  };
  const Strings rows = {"{} {s: (int64[1])}", "{} {s: (null)}",
                        "{} {s: (int64[2, 3])}"};
  const auto batch = [](int64_t length, Foreign lists) {
    return Struct(length, {{"##SEQUENCE##", std::move(lists)}});
  };
  EXPECT_EQ(Encode(batch(3, make())), rows);
  EXPECT_EQ(Encode(Sliced(batch(3, make()), 1, 2)),
            (Strings{rows[1], rows[2]}));
  EXPECT_EQ(Encode(batch(2, Sliced(make(), 1, 2))),
            (Strings{rows[1], rows[2]}));
  EXPECT_EQ(Encode(Sliced(batch(2, Sliced(make(), 1, 2)), 1, 1)),
            Strings{rows[2]});
}

// Any other column of the name is a feature.
TEST(EncodeTest, ItsNameAloneMakesNoFeatureLists) {
  EXPECT_THAT(Encode(Struct(1, {{"##SEQUENCE##", Numbers<int8_t>("c", {1})}})),
              ElementsAre("{##SEQUENCE##: int64[1]}"));
}

}  // namespace
}  // namespace headrace::testing
