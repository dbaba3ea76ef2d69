// The values of text format: numbers, strings and names, as libprotobuf or
// Python's parser reads them.

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/schema.h"
#include "tests/schema/schema_texts.h"
#include "tests/support/matchers.h"
#include "tests/support/words.h"

namespace headrace::testing {
namespace {

// What the text makes of one value.
std::string StringOf(std::string_view literal) {
  const Schema schema =
      SchemaOf("feature { name: " + std::string(literal) + " }");
  return schema.features.size() == 1 ? schema.features[0].name : "no feature";
}
std::optional<int64_t> IntOf(std::string_view number) {
  const auto schema = Schema::FromText(
      "feature { value_count { max: " + std::string(number) + " } }");
  if (!schema.ok()) return std::nullopt;
  return schema->features[0].value_count->max;
}
std::optional<double> DoubleOf(std::string_view number) {
  const auto schema = Schema::FromText(
      "feature { presence { min_fraction: " + std::string(number) + " } }");
  if (!schema.ok()) return std::nullopt;
  return schema->features[0].presence->min_fraction;
}
std::optional<bool> BoolOf(std::string_view text) {
  const auto schema = Schema::FromText("represent_variable_length_as_ragged: " +
                                       std::string(text));
  if (!schema.ok()) return std::nullopt;
  return schema->represent_variable_length_as_ragged;
}

TEST(SchemaTextValueTest, Strings) {
  EXPECT_EQ(StringOf("'a' \"b\" # x\n 'c'"), "abc");
  EXPECT_EQ(StringOf(R"("it's" '"quoted"')"), "it's\"quoted\"");
  EXPECT_EQ(StringOf(R"("\n\r\t\a\b\f\v\\\'\"\?")"), "\n\r\t\a\b\f\v\\'\"?");
  EXPECT_EQ(StringOf(R"("\1\12\123\1234\377\777")"), "\1\12\123\1234\xFF\xFF");
  EXPECT_EQ(StringOf(R"("\x41\x4\x414\x4g")"), "A\4A4\4g");
  EXPECT_EQ(StringOf(R"("\u00e9\U0001F600\ud83d\ude00")"),
            "\u00e9\U0001F600\U0001F600");
  EXPECT_EQ(StringOf(R"("\q\8\X41")"), R"(\q\8\X41)");
  EXPECT_EQ(StringOf("'\xFF\\377'"), "\xFF\xFF");  // need not be UTF-8
  EXPECT_EQ(StringOf("'\t\x01\r'"), "\t\x01\r");
  EXPECT_EQ(StringOf(std::string_view("'a\0b'", 5)), std::string("a\0b", 3));
}

TEST(SchemaTextValueTest, EscapesOfEveryLength) {
  EXPECT_EQ(StringOf(R"("\u0041\u007f")"), "A\x7F");
  EXPECT_EQ(StringOf(R"("\u0080\u07ff")"), "\xC2\x80\xDF\xBF");
  EXPECT_EQ(StringOf(R"("\u0800\uffff")"), "\xE0\xA0\x80\xEF\xBF\xBF");
  EXPECT_EQ(StringOf(R"("\U00010000")"), "\xF0\x90\x80\x80");
}

// As libprotobuf has it, they become what is no UTF-8.
TEST(SchemaTextValueTest, SurrogatesThatStandAlone) {
  const std::string lead = "\xED\xA0\xBD", trail = "\xED\xB8\x80";
  EXPECT_EQ(StringOf(R"("\ud83d")"), lead);
  EXPECT_EQ(StringOf(R"("\ude00")"), trail);
  EXPECT_EQ(StringOf(R"("\ude00\ud83d")"), trail + lead);
  EXPECT_EQ(StringOf(R"("\ud83dabcdef")"), lead + "abcdef");
  EXPECT_EQ(StringOf(R"("\ud83d\nabcde")"), lead + "\nabcde");
  EXPECT_EQ(StringOf(R"("\ud83d\u0041")"), lead + "A");
  EXPECT_EQ(StringOf(R"("\ud83d\ue000")"), lead + "\xEE\x80\x80");
  EXPECT_EQ(StringOf(R"("\ud83d\ud83d\ude00")"), lead + "\U0001F600");
}

TEST(SchemaTextValueTest, BadStrings) {
  EXPECT_EQ(ErrorOf("feature {\n name: 'a\nb' }"),
            "line 2, column 8: expected a string in quotes for \"name\", found "
            "a string that does not end on its line");
  for (const char* text : {"'a", "'a\\'", "'a\\\n'", "'", "\"'", "'a\\"}) {
    EXPECT_THAT(ErrorOf("feature { name: " + std::string(text)),
                StartsWith("line 1, column 17: "))
        << text;
  }
  for (const char* text : {R"('a\x')", R"('a\u12')", R"('a\U00110000')",
                           R"('a\U1')", R"('a\N{BULLET}')"}) {
    EXPECT_THAT(ErrorOf("feature { name: " + std::string(text) + " }"),
                StartsWith("line 1, column 19: "))
        << text;
    // Values that are only checked, too.
    EXPECT_THAT(ErrorOf("string_domain { value: " + std::string(text) + " }"),
                StartsWith("line 1, column 26: "))
        << text;
  }
  EXPECT_EQ(ErrorOf("feature { name: 5 }"),
            "line 1, column 17: expected a string in quotes for \"name\", "
            "found \"5\"");
}

TEST(SchemaTextValueTest, WholeNumbers) {
  for (const std::string& pair :
       Split("0=0|7=7|-7=-7|010=8|-010=-8|00=0|0x10=16|-0XfF=-255|+3=3|"
             "1_000=1000|0_0=0|0b11=3|0O17=15|0x_f=15|- 5=-5|-\n# x\n5=-5|"
             "9223372036854775807=9223372036854775807|"
             "-9223372036854775808=-9223372036854775808|"
             "-0x8000000000000000=-9223372036854775808|"
             "0x00000000000000000001=1",
             '|')) {
    const std::vector<std::string> both = Split(pair, '=');
    EXPECT_EQ(IntOf(both[0]), std::stoll(both[1])) << pair;
  }
  for (const std::string& text :
       Split("08|0x|0xg|1.0|1e3|3L|1f|'1'|abc|inf|+|-|+ 3|--3|- -5|+-3|1__0|1_|"
             "_1|0_1|0b2|0b|0o8|+010|01_7|- 1_0|- 0b1|1-|1 2|true|"
             "9223372036854775808|-9223372036854775809|18446744073709551616|"
             "0x10000000000000000",
             '|')) {
    EXPECT_EQ(IntOf(text), std::nullopt) << text;
  }
  EXPECT_EQ(ErrorOf("feature { value_count { max: 9223372036854775808 } }"),
            "line 1, column 30: expected a whole number (int64) for \"max\", "
            "found \"9223372036854775808\", which is out of range");
  // A number glued to the next field's name.
  EXPECT_EQ(ErrorOf("feature { value_count { min: 1max: 2 } }"),
            "line 1, column 30: expected a whole number (int64) for \"min\", "
            "found \"1max\"");
  EXPECT_THAT(ErrorOf("feature { validation_derived_source { config { "
                      "argmax_top_k { k: 4294967296 } } } }"),
              StartsWith("line 1, column 66: "));
}

TEST(SchemaTextValueTest, DecimalNumbers) {
  for (const std::string& pair :
       Split("1=1|1.=1|.5=.5|-.5=-.5|1e-1=.1|1E+2=100|1.e1=10|1.0f=1|1F=1|"
             "1.0ff=1|- 2.5=-2.5|+1.5=1.5|1_0.5=10.5|1e1_0=1e10|0.1=.1|+010=10|"
             "inf=inf|-INF=-inf|Infinity=inf|- inf=-inf|inff=inf|1e400=inf|"
             "-1e400=-inf|1e-400=0|"
             "123456789012345678901234567890=1.2345678901234568e29",
             '|')) {
    const std::vector<std::string> both = Split(pair, '=');
    EXPECT_EQ(DoubleOf(both[0]), std::stod(both[1])) << pair;
  }
  for (const char* text : {"nan", "NaN", "-nan", "+nan", "nanf"}) {
    EXPECT_TRUE(std::isnan(DoubleOf(text).value_or(0))) << text;
  }
  EXPECT_TRUE(std::signbit(DoubleOf("-0").value_or(1)));
  // Both parsers take "00f" for an octal.
  for (const std::string& text : Split(
           "00f|0x10|010|00.5|1x|one|'1'|.|-|1e|1e-|0e|1..5|1.5.5|1__0.5|1_.5|"
           "1._5|infinit|infff|+inff|+ 2.5|--1|1.5max",
           '|')) {
    EXPECT_EQ(DoubleOf(text), std::nullopt) << text;
  }
  EXPECT_EQ(ErrorOf("float_domain { min: 0x1 }"),
            "line 1, column 21: expected a decimal number for \"min\", found "
            "\"0x1\"");
}

TEST(SchemaTextValueTest, Bools) {
  for (const char* text : {"true", "True", "t", "1", "01", "0x1"}) {
    EXPECT_EQ(BoolOf(text), true) << text;
  }
  for (const char* text : {"false", "False", "f", "0", "00", "0x0"}) {
    EXPECT_EQ(BoolOf(text), false) << text;
  }
  for (const char* text : {"TRUE", "T", "2", "-1", "+1", "-0", "0b1", "1_",
                           "1.0", "'true'", "yes", ""}) {
    EXPECT_EQ(BoolOf(text), std::nullopt) << text;
  }
}

TEST(SchemaTextValueTest, Enums) {
  const auto type_of = [](const char* text) {
    return SchemaOf("feature { type: " + std::string(text) + " }")
        .features[0]
        .type;
  };
  EXPECT_EQ(type_of("FLOAT"), tfmd::FeatureType::kFloat);
  EXPECT_EQ(type_of("4"), tfmd::FeatureType::kStruct);
  EXPECT_EQ(type_of("02"), tfmd::FeatureType::kInt);
  EXPECT_EQ(type_of("TYPE_UNKNOWN"), tfmd::FeatureType::kUnknown);
  EXPECT_EQ(
      ErrorOf("feature { type: INTEGER }"),
      "line 1, column 17: \"INTEGER\" is not a value of FeatureType; did you "
      "mean \"INT\"?");
  EXPECT_EQ(
      ErrorOf("feature { type: 99 }"),
      "line 1, column 17: \"99\" is not a value of FeatureType; its values "
      "are \"TYPE_UNKNOWN\", \"BYTES\", \"INT\", \"FLOAT\", \"STRUCT\"");
  for (const char* text : {"int", "'INT'", "5", "-1", "2.0", "4294967298"}) {
    EXPECT_THAT(ErrorOf("feature { type: " + std::string(text) + " }"),
                StartsWith("line 1, column 17: "))
        << text;
  }
  // An enum of proto3 takes any number, a removed value of proto2 is none.
  SchemaOf(
      "feature { validation_derived_source { config { slice_sql { "
      "feature_value_type: 99 } } } }");
  EXPECT_THAT(ErrorOf("feature { lifecycle_stage: DERIVED }"),
              StartsWith("line 1, column 28: \"DERIVED\" is not a value of "));
}

TEST(SchemaTextValueTest, EnumNames) {
  EXPECT_EQ(tfmd::FeatureTypeName(tfmd::FeatureType::kUnknown), "TYPE_UNKNOWN");
  EXPECT_EQ(tfmd::FeatureTypeName(tfmd::FeatureType::kStruct), "STRUCT");
  EXPECT_EQ(tfmd::LifecycleStageName(tfmd::LifecycleStage::kUnknownStage),
            "UNKNOWN_STAGE");
  EXPECT_EQ(tfmd::LifecycleStageName(tfmd::LifecycleStage::kValidationDerived),
            "VALIDATION_DERIVED");
}

TEST(SchemaTextValueTest, NamesThatNeedQuoting) {
  EXPECT_EQ(StringOf(R"("a\"b\n\0\\")"), std::string("a\"b\n\0\\", 6));
  EXPECT_EQ(ErrorOf("feature { name: 'a' type: '\"\\\x1b\xC3\xA9\xFF' }"),
            "line 1, column 27: expected a value of the enum FeatureType for "
            "\"type\", found the string \"\\\"\\\\\\x1b\?\?\?\"");
  EXPECT_EQ(ErrorOf("feature { type: '\xC3\xA9' }").find("\"\xC3\xA9\"") !=
                std::string::npos,
            true);
}

}  // namespace
}  // namespace headrace::testing
