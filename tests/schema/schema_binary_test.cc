// Serialized Schemas, read as libprotobuf reads them; and how they are told
// from text.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/schema.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

// Field numbers of schema.proto.
constexpr uint32_t kFeature = 1, kGroup = 13, kAnnotation = 8;
constexpr uint32_t kName = 1, kValueCount = 5, kType = 6, kIntDomain = 9,
                   kPresence = 14, kGroupPresence = 17, kLifecycle = 22,
                   kShape = 23, kStructDomain = 29, kDerivedSource = 34;

std::string Feature(std::string_view fields) {
  return LenField(kFeature, fields);
}

Schema FromBytes(std::string_view bytes) {
  return OrThrow(Schema::FromBinary(bytes));
}

// The only feature of a schema.
tfmd::Feature ReadFeature(std::string_view fields) {
  const Schema schema = FromBytes(Feature(fields));
  return schema.features.size() == 1 ? schema.features[0] : tfmd::Feature();
}

std::string ErrorOfBytes(std::string_view bytes) {
  const auto schema = Schema::FromBinary(bytes);
  EXPECT_THAT(schema, HasCode(ErrorCode::kBadSpec));
  return std::string(StatusOf(schema).message());
}

TEST(SchemaBinaryTest, Feature) {
  EXPECT_EQ(ReadFeature(LenField(kName, "a") + VarintField(kType, 2) +
                        VarintField(2, 7) + VarintField(kLifecycle, 9) +
                        LenField(kPresence,
                                 Fixed64Field(1, std::bit_cast<uint64_t>(0.5)) +
                                     VarintField(2, ~uint64_t{0})) +
                        LenField(kShape, LenField(2, VarintField(1, 3)) +
                                             LenField(2, LenField(2, "n")))),
            (tfmd::Feature{
                .name = "a",
                .type = tfmd::FeatureType::kInt,
                .deprecated = true,
                .lifecycle_stage = tfmd::LifecycleStage::kValidationDerived,
                .presence =
                    tfmd::FeaturePresence{.min_fraction = 0.5, .min_count = -1},
                .shape = tfmd::FixedShape{{{.size = 3}, {.name = "n"}}}}));
  EXPECT_EQ(FromBytes(""), Schema());
}

TEST(SchemaBinaryTest, UnknownFieldsAreSkipped) {
  const std::string unknown = VarintField(1000, 5) + Fixed64Field(1001, 5) +
                              Fixed32Field(1002, 5) + LenField(1003, "\xFF") +
                              Group(1004, VarintField(1, 1) + Group(2));
  EXPECT_EQ(
      FromBytes(unknown + Feature(unknown + LenField(kName, "a") + unknown)),
      FromBytes(Feature(LenField(kName, "a"))));
  // Old fields: their numbers are unknown.
  EXPECT_EQ(ReadFeature(LenField(33, "\xFF") + LenField(3, "c")),
            tfmd::Feature());
}

TEST(SchemaBinaryTest, OtherWireTypesAreUnknown) {
  EXPECT_EQ(ReadFeature(VarintField(kName, 1) + LenField(kType, "\xFF") +
                        Fixed32Field(kPresence, 1) + Group(kShape)),
            tfmd::Feature());
  // Not packed: only lists of numbers are.
  EXPECT_EQ(ReadFeature(LenField(kValueCount, LenField(1, "\x05"))),
            tfmd::Feature{.value_count = tfmd::ValueCount()});
}

TEST(SchemaBinaryTest, UnknownEnumNumbersAreIgnored) {
  EXPECT_EQ(ReadFeature(VarintField(kType, 3) + VarintField(kType, 99)).type,
            tfmd::FeatureType::kFloat);
  EXPECT_EQ(ReadFeature(VarintField(kLifecycle, 8)).lifecycle_stage,
            tfmd::LifecycleStage::kUnknownStage);
  // Modulo 2^32.
  EXPECT_EQ(ReadFeature(VarintField(kType, (uint64_t{1} << 32) + 1)).type,
            tfmd::FeatureType::kBytes);
}

TEST(SchemaBinaryTest, SingularFieldsMerge) {
  EXPECT_EQ(ReadFeature(LenField(kName, "a") + LenField(kName, "b")).name, "b");
  EXPECT_EQ(ReadFeature(LenField(kValueCount, VarintField(1, 1)) +
                        LenField(kValueCount, VarintField(2, 2)))
                .value_count,
            (tfmd::ValueCount{.min = 1, .max = 2}));
  EXPECT_EQ(ReadFeature(LenField(kShape, LenField(2, VarintField(1, 1))) +
                        LenField(kShape, LenField(2, VarintField(1, 2))))
                .shape->dims.size(),
            2u);
}

TEST(SchemaBinaryTest, OneofKeepsTheLastMember) {
  const std::string presence = LenField(kPresence, VarintField(2, 1));
  const std::string within = LenField(kGroupPresence, "");
  EXPECT_EQ(ReadFeature(presence + within).presence, std::nullopt);
  EXPECT_EQ(ReadFeature(presence + within + LenField(kPresence, "")).presence,
            tfmd::FeaturePresence());
  EXPECT_EQ(ReadFeature(within + presence).presence->min_count, 1);

  const std::string shape = LenField(kShape, LenField(2, ""));
  const std::string count = LenField(kValueCount, "");
  EXPECT_EQ(ReadFeature(shape + count),
            tfmd::Feature{.value_count = tfmd::ValueCount()});
  EXPECT_EQ(ReadFeature(count + shape).value_count, std::nullopt);
  EXPECT_EQ(ReadFeature(count + LenField(32, "")).value_count, std::nullopt);

  const std::string domain = LenField(kIntDomain, VarintField(3, 1));
  EXPECT_EQ(ReadFeature(domain + LenField(7, "strings")).int_domain,
            std::nullopt);
  EXPECT_EQ(ReadFeature(domain + LenField(38, "")).int_domain, std::nullopt);
  const auto feature = ReadFeature(
      LenField(kStructDomain, Feature(LenField(kName, "a"))) + domain);
  EXPECT_EQ(feature.children.size(), 0u);
  EXPECT_EQ(feature.int_domain->min, 1);
  // Of another oneof, and one that is unknown with this wire type.
  EXPECT_EQ(ReadFeature(domain + shape + VarintField(7, 1)).int_domain->min, 1);
}

std::string Entry(std::string_view key, std::string_view value) {
  return LenField(1, key) + LenField(2, value);
}

TEST(SchemaBinaryTest, MapEntries) {
  const std::string varlen = LenField(2, LenField(1, "c"));
  const auto group = [](std::string_view entry) {
    return LenField(kGroup, entry);
  };
  const Schema schema = FromBytes(
      group(Entry("g", LenField(1, Entry("t", varlen)))) +
      group(LenField(2, LenField(1, Entry("a", varlen))) +
            LenField(2, LenField(1, Entry("b", varlen))) + LenField(9, "?")) +
      group(Entry("g", LenField(1, Entry("u", "")))));
  ASSERT_EQ(schema.groups.size(), 2u);
  EXPECT_EQ(schema.groups[0].name, "g");
  EXPECT_THAT(schema.groups[0].tensors,
              ElementsAre(tfmd::TensorRepresentation{"u", {}}));
  EXPECT_EQ(schema.groups[1].name, "");
  EXPECT_THAT(
      schema.groups[1].tensors,
      ElementsAre(
          tfmd::TensorRepresentation{"a", tfmd::VarLenSparseTensor{"c"}},
          tfmd::TensorRepresentation{"b", tfmd::VarLenSparseTensor{"c"}}));
}

TEST(SchemaBinaryTest, Faults) {
  EXPECT_EQ(ErrorOfBytes(Feature(LenField(kName, "abc")).substr(0, 5)),
            "byte 2 of the serialized Schema: a field runs past the end of its "
            "message, in Schema");
  EXPECT_EQ(ErrorOfBytes(Feature(LenFieldDeclaring(kName, 9, "abc"))),
            "byte 4 of the serialized Schema: a field runs past the end of its "
            "message, in Feature");
  EXPECT_THAT(ErrorOfBytes(std::string(1, '\0')),
              StartsWith("byte 0 of the serialized Schema: field number 0"));
  EXPECT_THAT(ErrorOfBytes("\x0e"), StartsWith("byte 1 of "));  // wire type 6
  EXPECT_THAT(ErrorOfBytes(EndGroup(1)), StartsWith("byte 1 of "));
  EXPECT_THAT(ErrorOfBytes(StartGroup(100)), StartsWith("byte 2 of "));
  EXPECT_THAT(
      ErrorOfBytes(Feature(VarintField(kType, 1) + std::string(11, '\xFF'))),
      StartsWith("byte 4 of "));
}

TEST(SchemaBinaryTest, WhatIsNotKeptIsChecked) {
  EXPECT_THAT(ErrorOfBytes(LenField(4, LenField(2, "v") + "\x12")),
              StartsWith("byte 6 of the serialized Schema: a field runs past "
                         "the end of its message, in StringDomain"));
  // Natural language domain, coverage, excluded_int_tokens: packed or not.
  const auto tokens = [](std::string_view packed) {
    return Feature(
        LenField(24, LenField(2, VarintField(4, 1) + LenField(4, packed))));
  };
  EXPECT_EQ(FromBytes(tokens("\x01\x80\x01")).features.size(), 1u);
  EXPECT_THAT(ErrorOfBytes(tokens("\x01\x80")), StartsWith("byte "));
}

TEST(SchemaBinaryTest, StringsOfProto3AreUtf8) {
  EXPECT_EQ(ReadFeature(LenField(kName, "\xFF")).name, "\xFF");
  const auto any = [](uint32_t field) {
    return LenField(kAnnotation, LenField(3, LenField(field, "\xFF")));
  };
  EXPECT_EQ(FromBytes(any(2)), Schema());
  EXPECT_THAT(ErrorOfBytes(any(1)),
              StartsWith("byte 6 of the serialized Schema: a string that is "
                         "not UTF-8, in Any"));
  EXPECT_THAT(
      ErrorOfBytes(Feature(LenField(kDerivedSource, LenField(1, "\xFF")))),
      StartsWith("byte 7 of "));
  // Path is of proto2.
  FromBytes(
      Feature(LenField(kDerivedSource, LenField(3, LenField(1, "\xFF")))));
}

// A struct in a struct, and so on: `messages` of them around nothing.
std::string Nested(size_t messages) {
  std::string bytes;
  for (size_t i = messages; i > 0; --i) {
    bytes = LenField(i % 2 == 1 ? kFeature : kStructDomain, bytes);
  }
  return bytes;
}

TEST(SchemaBinaryTest, Nesting) {
  const Schema schema = FromBytes(Nested(100));
  EXPECT_EQ(schema.features.size(), 1u);
  EXPECT_THAT(
      ErrorOfBytes(Nested(101)),
      ::testing::HasSubstr("more than 100 messages inside one another"));
  FromBytes(NestedGroups(50, 100));
  ErrorOfBytes(NestedGroups(50, 101));
  FromBytes(Feature(NestedGroups(50, 99)));
  ErrorOfBytes(Feature(NestedGroups(50, 100)));
}

// What Parse takes the bytes for.
Schema Guess(std::string_view bytes) { return OrThrow(Schema::Parse(bytes)); }

TEST(SchemaParseTest, TextAndBinaryAgree) {
  const std::string binary = Feature(
      LenField(kName, "a") + VarintField(kType, 1) + LenField(kShape, ""));
  const std::string text = "feature { name: 'a' type: BYTES shape {} }";
  EXPECT_EQ(Guess(binary), Guess(text));
  EXPECT_EQ(Guess(binary), FromBytes(binary));
}

// Names so long that the length is white space or a '#' in ASCII, and names
// that begin a comment or a string.
TEST(SchemaParseTest, BinaryThatLooksLikeText) {
  for (size_t size = 1; size < 200; ++size) {
    for (const char first : {'a', '#', '"', ' ', '\n'}) {
      std::string name(size, 'a');
      name[0] = first;
      const std::string bytes =
          Feature(LenField(kName, name) + VarintField(kType, 1));
      ASSERT_EQ(Guess(bytes), FromBytes(bytes)) << size << first;
    }
  }
  for (const uint32_t field : {1u, 4u, 5u, 6u, 8u, 9u, 10u, 11u, 12u, 13u}) {
    const std::string bytes = LenField(field, "") + VarintField(14, 1);
    EXPECT_EQ(Guess(bytes), FromBytes(bytes)) << field;
  }
}

TEST(SchemaParseTest, TextWithControlCharacters) {
  EXPECT_EQ(Guess("# \x01\nfeature { name: '\x01' }").features.size(), 1u);
  EXPECT_EQ(Guess("\xEF\xBB\xBF"
                  "feature {}")
                .features.size(),
            1u);
}

TEST(SchemaParseTest, TheErrorIsOfWhatTheBytesLookLike) {
  const auto error_of = [](std::string_view bytes) {
    return std::string(Schema::Parse(bytes).status().message());
  };
  EXPECT_THAT(error_of("feature { nam: 'a' }"),
              StartsWith("line 1, column 11"));
  EXPECT_THAT(error_of("feature { name: 'a\x01' nam: 'a' }"),
              StartsWith("line 1, column 22"));
  EXPECT_THAT(error_of("?"), StartsWith("line 1, column 1"));
  EXPECT_THAT(error_of(Feature(LenField(kName, "name")).substr(0, 6)),
              StartsWith("byte 2 of the serialized Schema"));
  EXPECT_THAT(error_of(std::string_view("\0\0\0\0", 4)), StartsWith("byte 0"));
}

}  // namespace
}  // namespace headrace::testing
