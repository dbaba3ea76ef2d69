// FeatureSpec to and from JSON: docs/formats/spec.md.

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/feature_spec.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Int64s = std::vector<int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

// A spec of one feature, from the object's fields.
std::string OneFeature(std::string_view fields) {
  return R"({"message": "example", "features": [{)" + std::string(fields) +
         "}]}";
}

Result<FeatureSpec> ReadSpec(std::string_view fields) {
  return FeatureSpec::FromJson(OneFeature(fields));
}

FeatureConfig ConfigOf(std::string_view fields) {
  const auto spec = ReadSpec(fields);
  EXPECT_THAT(spec, IsOk()) << fields;
  return spec.ok() && spec->features().size() == 1
             ? spec->features().front().config
             : FeatureConfig();
}

// Of a feature of `dtype` whose default is `json`.
std::string WithDefault(std::string_view dtype, std::string_view json) {
  return R"("name": "x", "kind": "fixed_len", "shape": [], "default": )" +
         std::string(json) + R"(, "dtype": ")" + std::string(dtype) + "\"";
}
DefaultValues DefaultOf(std::string_view dtype, std::string_view json) {
  return ConfigOf(WithDefault(dtype, json))
      .default_values.value_or(DefaultValues());
}
uint32_t FloatBitsOf(std::string_view json) {
  const DefaultValues values = DefaultOf("float", json);
  const auto* floats = std::get_if<Floats>(&values);
  EXPECT_TRUE(floats && floats->size() == 1) << json;
  return floats && floats->size() == 1 ? std::bit_cast<uint32_t>((*floats)[0])
                                       : 0;
}

// The text of an error of feature "x", without the place.
std::string ErrorOfSpec(std::string_view fields) {
  const auto spec = ReadSpec(fields);
  EXPECT_THAT(spec, IsError(ErrorCode::kBadSpec, {.feature = "x"})) << fields;
  const std::string message(spec.status().message());
  const std::string place = "feature \"x\": ";
  EXPECT_TRUE(message.starts_with(place)) << message;
  return message.substr(place.size());
}
std::string ErrorOfDefault(std::string_view dtype, std::string_view json) {
  return ErrorOfSpec(WithDefault(dtype, json));
}

// Of a text that is wrong as a whole.
std::string ErrorOfText(std::string_view text) {
  const auto spec = FeatureSpec::FromJson(text);
  EXPECT_THAT(spec, HasCode(ErrorCode::kBadSpec)) << text;
  return std::string(spec.status().message());
}

constexpr char kVarLen[] =
    R"("name": "x", "kind": "var_len", "dtype": "int64")";
constexpr char kFixedLen[] =
    R"("name": "x", "kind": "fixed_len", "dtype": "int64", "shape": [])";
constexpr char kRagged[] = R"("name": "x", "kind": "ragged", "dtype": "int64")";
constexpr char kSparse[] =
    R"("name": "x", "kind": "sparse", "dtype": "float", "value_key": "v",)"
    R"( "index_keys": ["i"], "size": [9])";

std::string With(const char* base, std::string_view field) {
  return std::string(base) + ", " + std::string(field);
}

TEST(SpecJsonTest, EveryKind) {
  const auto spec = FeatureSpec::FromJson(R"({
    "message": "sequence_example",
    "features": [
      {"name": "age", "kind": "fixed_len", "dtype": "int64", "shape": [],
       "default": [0]},
      {"name": "tags", "kind": "var_len", "dtype": "bytes"},
      {"name": "ids", "kind": "ragged", "dtype": "int64", "value_key": "w",
       "row_splits_dtype": "int64",
       "partitions": [{"row_lengths": "a"}, {"row_splits": "b"},
                      {"row_starts": "c"}, {"row_limits": "d"},
                      {"value_rowids": "e"}, {"uniform_row_length": 3}]},
      {"name": "sp", "kind": "sparse", "dtype": "float",
       "index_keys": ["i0", "i1"], "value_key": "v", "size": [10, 20],
       "already_sorted": true, "check_indices": true},
      {"name": "fr", "kind": "fixed_len_sequence", "dtype": "float",
       "shape": [3], "allow_missing": false, "default": 1.5}
    ],
    "sequence_features": [
      {"name": "s", "kind": "var_len", "dtype": "int64"}
    ]})");
  ASSERT_THAT(spec, IsOk());
  FeatureConfig sparse =
      Sparse({"i0", "i1"}, "v", DType::kFloat, {10, 20}, true);
  sparse.check_indices = true;
  EXPECT_EQ(
      *spec,
      FeatureSpec()
          .Add("age", FixedLen(DType::kInt64).Default(0))
          .Add("tags", VarLen(DType::kBytes))
          .Add("ids", Ragged(DType::kInt64,
                             {{PartitionType::kRowLengths, "a"},
                              {PartitionType::kRowSplits, "b"},
                              {PartitionType::kRowStarts, "c"},
                              {PartitionType::kRowLimits, "d"},
                              {PartitionType::kValueRowids, "e"},
                              {PartitionType::kUniformRowLength, "", 3}},
                             "w", DType::kInt64))
          .Add("sp", sparse)
          .Add(
              "fr",
              FixedLenSequence(DType::kFloat, {3}, false).Default(Floats{1.5f}))
          .AddSequence("s", VarLen(DType::kInt64)));
}

TEST(SpecJsonTest, AdditionsToTensorFlow) {
  const FeatureConfig config =
      ConfigOf(With(kVarLen, R"("column": "wire", "as": "uint8", "pad_to": 7,)"
                             R"( "truncate": true)"));
  EXPECT_EQ(config.column, "wire");
  EXPECT_EQ(config.as, DType::kUint8);
  EXPECT_EQ(config.pad_to, 7);
  EXPECT_TRUE(config.truncate);
  EXPECT_EQ(ConfigOf(With(kVarLen, R"("column": "")")).column, "");
  for (const char* dtype :
       {"bytes", "float", "int64", "int32", "int16", "int8", "uint64", "uint32",
        "uint16", "uint8", "float16", "bfloat16", "float64", "bool"}) {
    EXPECT_EQ(
        ConfigOf(With(kVarLen, "\"as\": \"" + std::string(dtype) + "\"")).as,
        ParseDType(dtype));
  }
}

TEST(SpecJsonTest, WhatIsLeftOutIsAsBuilt) {
  EXPECT_EQ(ConfigOf(kVarLen), VarLen(DType::kInt64));
  EXPECT_EQ(ConfigOf(kFixedLen), FixedLen(DType::kInt64));
  EXPECT_EQ(ConfigOf(kRagged), Ragged(DType::kInt64));
  EXPECT_EQ(ConfigOf(kSparse), Sparse({"i"}, "v", DType::kFloat, {9}));
  EXPECT_EQ(ConfigOf(R"("shape": [2], "dtype": "bytes", "name": "x",)"
                     R"( "kind": "fixed_len_sequence")"),
            FixedLenSequence(DType::kBytes, {2}));
}

TEST(SpecJsonTest, ASingleValueIsAListOfOne) {
  EXPECT_EQ(DefaultOf("int64", "-3"), DefaultValues(Int64s{-3}));
  EXPECT_EQ(DefaultOf("bytes", "\"a\""), DefaultValues(Strings{"a"}));
  EXPECT_EQ(DefaultOf("bytes", R"({"b64": "/w=="})"),
            DefaultValues(Strings{"\xFF"}));
  EXPECT_EQ(ConfigOf(R"("name": "x", "kind": "sparse", "dtype": "float",)"
                     R"( "value_key": "v", "index_keys": "i", "size": 9)"),
            Sparse({"i"}, "v", DType::kFloat, {9}));
  EXPECT_EQ(ConfigOf(R"("name": "x", "kind": "fixed_len", "dtype": "float",)"
                     R"( "shape": 3)"),
            FixedLen(DType::kFloat, {3}));
}

TEST(SpecJsonTest, Int64Defaults) {
  EXPECT_EQ(DefaultOf("int64", "[]"), DefaultValues(Int64s()));
  EXPECT_EQ(
      DefaultOf("int64", "[9223372036854775807, -9223372036854775808, -0]"),
      DefaultValues(Int64s{std::numeric_limits<int64_t>::max(),
                           std::numeric_limits<int64_t>::min(), 0}));
  for (const char* text : {"9223372036854775808", "-9223372036854775809",
                           "18446744073709551616", "1000000000000000000000"}) {
    EXPECT_EQ(
        ErrorOfDefault("int64", text),
        "\"default\" is " + std::string(text) + "; that does not fit an int64");
  }
  for (const char* text :
       {"1.5", "1.0", "1e3", "true", "null", "\"1\"", "{}"}) {
    EXPECT_THAT(ErrorOfDefault("int64", text),
                HasSubstr("it takes whole numbers"));
  }
  EXPECT_THAT(ErrorOfDefault("int64", "[1, 2.5]"),
              HasSubstr("\"default\"[1] is 2.5; "));
  EXPECT_THAT(ErrorOfDefault("int64", "[[1], [2]]"),
              HasSubstr("\"default\"[0] is a list; "));
}

TEST(SpecJsonTest, FloatDefaults) {
  EXPECT_EQ(DefaultOf("float", "[1, -0.5, 2e3]"),
            DefaultValues(Floats{1.0f, -0.5f, 2000.0f}));
  EXPECT_EQ(FloatBitsOf("-0.0"), 0x80000000u);
  EXPECT_EQ(FloatBitsOf("\"NaN\""), 0x7fc00000u);
  EXPECT_EQ(FloatBitsOf("\"Infinity\""), 0x7f800000u);
  EXPECT_EQ(FloatBitsOf("\"-Infinity\""), 0xff800000u);
  EXPECT_EQ(FloatBitsOf("\"0x7fc00001\""), 0x7fc00001u);
  EXPECT_EQ(FloatBitsOf("\"0xFFC00001\""), 0xffc00001u);
  EXPECT_EQ(FloatBitsOf("3.4028235e38"), 0x7f7fffffu);
  EXPECT_EQ(FloatBitsOf("1e-45"), 1u);
  EXPECT_EQ(FloatBitsOf("-1e-60"), 0x80000000u);
  EXPECT_EQ(FloatBitsOf("1e-600"), 0u);
  // Rounded once: a double in between would make it a tie.
  EXPECT_EQ(FloatBitsOf("1.00000005960464477540"), 0x3f800001u);
  EXPECT_EQ(FloatBitsOf("16777217"), 0x4b800000u);
  EXPECT_EQ(FloatBitsOf("16777217.0000000000000001"), 0x4b800001u);
  EXPECT_EQ(FloatBitsOf("-16777218.9999999999999999"), 0xcb800001u);
  EXPECT_EQ(FloatBitsOf("3.4028235677973366e38"), 0x7f7fffffu);
  EXPECT_EQ(
      FloatBitsOf("7.00649232162408535461864791644958065640130970938e-46"), 0u);
  EXPECT_EQ(FloatBitsOf("7.00649232162408535461864791644958065640130971e-46"),
            1u);
  EXPECT_EQ(FloatBitsOf("100000000000000000000"), 0x60ad78ecu);
  for (const char* text : {"3.4028236e38", "-1e39", "1e300"}) {
    EXPECT_EQ(ErrorOfDefault("float", text),
              "\"default\" is " + std::string(text) +
                  "; that is too large for a float");
  }
  // Not even a double; the parser stops there.
  EXPECT_THAT(ErrorOfText(OneFeature(WithDefault("float", "1e999"))),
              AllOf(HasSubstr("line 1, column "),
                    HasSubstr(": the number is too large")));
  for (const char* text :
       {"\"nan\"", "\"inf\"", "\"\"", "\"1.5\"", "\"0x7fc0001\"",
        "\"0x7fc00001 \"", "\"0x-fc00001\"", "true", "null", "[[1]]"}) {
    EXPECT_THAT(ErrorOfDefault("float", text),
                HasSubstr("it takes numbers, \"NaN\""));
  }
}

TEST(SpecJsonTest, BytesDefaults) {
  EXPECT_EQ(DefaultOf("bytes", R"(["", "é\u0000", {"b64": "AP8="}, "\n"])"),
            DefaultValues(Strings{"", std::string("\xC3\xA9\0", 3),
                                  std::string("\0\xFF", 2), "\n"}));
  for (const char* text :
       {"\"A\"", "\"AP8\"", "\"AP9=\"", "\"A P8=\"", "\"AP8=\\n\"", "1",
        "[\"AP8=\"]", "\"-_8=\"", "\"AP8=AP8=\""}) {
    EXPECT_THAT(
        ErrorOfDefault("bytes", "[{\"b64\": " + std::string(text) + "}]"),
        AllOf(HasSubstr("\"b64\" in \"default\"[0] is "), HasSubstr("base64")));
  }
  for (const char* text : {"1", "null", "{}", R"({"b65": ""})",
                           R"({"b64": "", "more": 1})", "[[\"a\"]]"}) {
    EXPECT_THAT(ErrorOfDefault("bytes", text),
                HasSubstr("it takes strings and {\"b64\": \"...\"}"));
  }
}

// Pairs of the fields of "x" and what their error says. The first of a class is
// its whole text.
void ExpectErrors(
    std::initializer_list<std::pair<std::string, std::string>> cases) {
  for (const auto& [fields, text] : cases) {
    EXPECT_THAT(ErrorOfSpec(fields), HasSubstr(text)) << fields;
  }
}

TEST(SpecJsonTest, UnknownFields) {
  ExpectErrors(
      {{With(kFixedLen, "\"shpe\": []"),
        "unknown field \"shpe\"; did you mean \"shape\"?"},
       {With(kFixedLen, "\"default_value\": 1"), "mean \"default\"?"},
       {With(kSparse, "\"index_key\": 1"), "mean \"index_keys\"?"},
       {With(kVarLen, "\"Pad_to\": 1"), "mean \"pad_to\"?"},
       {With(kVarLen, "\"colour\\u001b\": 1"),
        "unknown field \"colour\\x1b\"; the fields of var_len are \"name\", "
        "\"kind\", \"dtype\", \"pad_to\", \"truncate\", \"column\", \"as\""},
       {R"("name": "x", "knd": "var_len", "dtype": "int64")",
        "unknown field \"knd\"; did you mean \"kind\"?"}});
}

TEST(SpecJsonTest, FieldsOfAnotherKind) {
  ExpectErrors({{With(kFixedLen, "\"pad_to\": 3"),
                 "field \"pad_to\" belongs to var_len, not to fixed_len; its "
                 "fields are \"name\", "},
                {With(kVarLen, "\"default\": 0"),
                 "to fixed_len and fixed_len_sequence, not to var_len"},
                {With(kFixedLen, "\"allow_missing\": true"),
                 "to fixed_len_sequence, not to fixed_len"},
                {With(kRagged, "\"size\": [1]"), "to sparse, not to ragged"},
                {With(kSparse, "\"partitions\": []"), "not to sparse"}});
}

TEST(SpecJsonTest, MissingFields) {
  const std::string start = R"("name": "x", "dtype": "int64")";
  const std::string sparse = start + R"(, "kind": "sparse")";
  ExpectErrors(
      {{start, "field \"kind\" is missing"},
       {R"("name": "x", "kind": "var_len")", "\"dtype\" is missing"},
       {start + R"(, "kind": "fixed_len")", "\"shape\" is missing"},
       {start + R"(, "kind": "fixed_len_sequence")", "\"shape\" is missing"},
       {sparse, "\"index_keys\" is missing"},
       {sparse + R"(, "index_keys": [])", "\"value_key\" is missing"},
       {sparse + R"(, "index_keys": [], "value_key": "")",
        "\"size\" is missing"}});
  EXPECT_EQ(ErrorOfText(OneFeature(R"("kind": "var_len", "dtype": "int64")")),
            "\"features\"[0]: field \"name\" is missing");
  EXPECT_EQ(ErrorOfText(R"({"message": "example"})"),
            "field \"features\" is missing");
}

TEST(SpecJsonTest, UnknownNames) {
  const auto kind = [](const char* name) {
    return R"("name": "x", "dtype": "int64", "kind": ")" + std::string(name) +
           "\"";
  };
  const auto dtype = [](const char* name) {
    return R"("name": "x", "kind": "var_len", "dtype": ")" + std::string(name) +
           "\"";
  };
  ExpectErrors(
      {{kind("varlen"), "unknown kind \"varlen\"; did you mean \"var_len\"?"},
       {kind("dense"),
        "unknown kind \"dense\"; the kinds are \"fixed_len\", "
        "\"fixed_len_sequence\", \"var_len\", \"sparse\", \"ragged\""},
       {dtype("float32"), "\"dtype\" is \"float32\"; did you mean \"float\"?"},
       {dtype("string"), "\"string\"; did you mean \"bytes\"?"},
       {dtype("int32"),
        "\"int32\"; the types are \"int64\", \"float\", \"bytes\""},
       {With(kRagged, R"("row_splits_dtype": "int16")"),
        "\"row_splits_dtype\" is \"int16\"; the types are \"int32\", "
        "\"int64\""},
       {With(kVarLen, R"("as": "unit8")"), "\"as\" is \"unit8\"; did you mean"},
       {With(kRagged, R"("partitions": [{"row_length": "k"}])"),
        "unknown partition \"row_length\" in \"partitions\"[0]; did you "
        "mean \"row_lengths\"?"}});
}

TEST(SpecJsonTest, WrongTypes) {
  const auto partition = [](const char* json) {
    return With(kRagged, "\"partitions\": [" + std::string(json) + "]");
  };
  ExpectErrors(
      {{With(kSparse, "\"already_sorted\": 1"),
        "\"already_sorted\" is 1; it takes true or false"},
       {With(kVarLen, "\"pad_to\": \"3\""),
        "\"pad_to\" is \"3\"; it takes whole numbers, without '.' or exponent"},
       {With(kVarLen, "\"column\": null"),
        "\"column\" is null; it takes a string"},
       {R"("name": "x", "kind": 5)", "\"kind\" is 5; it takes a string"},
       {R"("name": "x", "kind": "var_len", "dtype": [])",
        "\"dtype\" is a list; it takes a string"},
       {R"("name": "x", "kind": "fixed_len", "dtype": "int64",)"
        R"( "shape": [2, null])",
        "\"shape\"[1] is null; it takes whole numbers"},
       {partition("[]"), "\"partitions\"[0] is a list; it takes an object"},
       {partition(R"({"row_splits": "a", "b": 1})"),
        "\"partitions\"[0] is an object; it takes an object of one "},
       {partition(R"({"uniform_row_length": "a"})"),
        "\"uniform_row_length\" in \"partitions\"[0] is \"a\"; "},
       {partition(R"({"row_splits": 3})"),
        "\"row_splits\" in \"partitions\"[0] is 3; "}});
  EXPECT_EQ(ErrorOfText(OneFeature("\"name\": 5")),
            "\"features\"[0]: \"name\" is 5; it takes a string");
}

TEST(SpecJsonTest, TheOutermostObject) {
  EXPECT_THAT(FeatureSpec::FromJson(R"({"features": []})"),
              IsOkAndHolds(FeatureSpec()));
  EXPECT_THAT(FeatureSpec::FromJson(R"({"message": "sequence_example"})"),
              IsOkAndHolds(FeatureSpec(MessageType::kSequence)));
  EXPECT_EQ(ErrorOfText(R"({"feature": []})"),
            "unknown field \"feature\"; did you mean \"features\"?");
  EXPECT_EQ(ErrorOfText(R"({"message": "sequence", "features": []})"),
            "\"message\" is \"sequence\"; it takes \"example\", "
            "\"sequence_example\", \"elwc\" or \"example_in_example\"");
  EXPECT_EQ(ErrorOfText(R"({"message": null, "features": []})"),
            "\"message\" is null; it takes \"example\", "
            "\"sequence_example\", \"elwc\" or \"example_in_example\"");
  const std::string clash =
      "\"sequence_features\" are for \"message\": \"sequence_example\"";
  EXPECT_EQ(ErrorOfText(R"({"features": [], "sequence_features": []})"), clash);
  EXPECT_EQ(ErrorOfText(R"({"message": "example", "features": [],)"
                        R"( "sequence_features": []})"),
            clash);
  EXPECT_EQ(ErrorOfText(R"({"features": {}})"),
            "\"features\" is an object; it takes a list of features");
  EXPECT_THAT(ErrorOfText(R"({"features": ["age"]})"),
              HasSubstr("\"features\"[0] is \"age\"; it takes an object like"));
  EXPECT_THAT(ErrorOfText("[]"), HasSubstr("a spec is an object like "));
  EXPECT_THAT(ErrorOfText("12"), HasSubstr(", not 12"));

  const auto sequence = FeatureSpec::FromJson(
      R"({"message": "sequence_example", "sequence_features": [)"
      R"({"name": "s", "kind": "var_len", "dtype": "x"}]})");
  EXPECT_THAT(sequence, IsError(ErrorCode::kBadSpec,
                                {.feature = "s",
                                 .text = "sequence feature \"s\": \"dtype\""}));
}

TEST(SpecJsonTest, SyntaxErrorsHaveTheirPlace) {
  EXPECT_THAT(ErrorOfText(""), HasSubstr("line 1, column 1: syntax error"));
  EXPECT_THAT(ErrorOfText("{"), HasSubstr("line 1, column 2: syntax error"));
  EXPECT_THAT(ErrorOfText("{\n  \"features\": [\n    ,]}"),
              AllOf(HasSubstr("line 3, column 5: syntax error"),
                    HasSubstr("unexpected ','")));
  EXPECT_THAT(ErrorOfText("{\"features\": []} x"),
              HasSubstr("line 1, column 18: "));
  EXPECT_THAT(ErrorOfText("{\"features\": []}{}"),
              HasSubstr("line 1, column 17: "));
  EXPECT_THAT(ErrorOfText("{\"features\": [],}"), HasSubstr("line 1, column "));
  EXPECT_THAT(ErrorOfText("{\"\xFF\": []}"),
              AllOf(HasSubstr("line 1, column 3: "), HasSubstr("UTF-8")));
  EXPECT_THAT(ErrorOfText("{// a comment\n}"), HasSubstr("line 1, column 2: "));
}

TEST(SpecJsonTest, AKeyCannotBeThereTwice) {
  EXPECT_EQ(ErrorOfText("{\"features\": [],\n \"features\": []}"),
            "line 2, column 11: the key \"features\" occurs twice");
  EXPECT_THAT(ErrorOfText(OneFeature(With(kVarLen, R"("n\u0061me": "y")"))),
              HasSubstr("the key \"name\" occurs twice"));
  EXPECT_THAT(ErrorOfText(OneFeature(
                  WithDefault("bytes", R"([{"b64": "", "b64": ""}])"))),
              HasSubstr("the key \"b64\" occurs twice"));
}

TEST(SpecJsonTest, WritesOneFeatureALine) {
  FeatureConfig narrow = VarLen(DType::kInt64);
  narrow.as = DType::kInt8;
  narrow.column = "wire";
  narrow.pad_to = 4;
  narrow.truncate = true;
  const auto spec =
      FeatureSpec()
          .Add("age", FixedLen(DType::kInt64).Default(0))
          .Add("narrow", narrow)
          .Add("ids", Ragged(DType::kInt64,
                             {{PartitionType::kRowLengths, "k"},
                              {PartitionType::kUniformRowLength, "", 3}}))
          .AddSequence("f", FixedLenSequence(DType::kFloat, {2, 3}))
          .AddSequence("sp", Sparse({"i"}, "v", DType::kBytes, {9}));
  EXPECT_EQ(spec.ToJson(),
            R"({"message": "sequence_example",
 "features": [
  {"name": "age", "kind": "fixed_len", "dtype": "int64", "shape": [], "default": [0]},
  {"name": "narrow", "kind": "var_len", "dtype": "int64", "pad_to": 4, "truncate": true, "column": "wire", "as": "int8"},
  {"name": "ids", "kind": "ragged", "dtype": "int64", "partitions": [{"row_lengths": "k"}, {"uniform_row_length": 3}], "row_splits_dtype": "int32"}
 ],
 "sequence_features": [
  {"name": "f", "kind": "fixed_len_sequence", "dtype": "float", "shape": [2, 3], "allow_missing": false},
  {"name": "sp", "kind": "sparse", "dtype": "bytes", "index_keys": ["i"], "value_key": "v", "size": [9], "already_sorted": false}
 ]}
)");
  EXPECT_EQ(FeatureSpec().ToJson(),
            "{\"message\": \"example\",\n \"features\": []}\n");
}

TEST(SpecJsonTest, WritesDefaultsThatReadBack) {
  const float nan = std::bit_cast<float>(0x7fc00000u);
  const float payload = std::bit_cast<float>(0xffc12345u);
  const float infinity = std::numeric_limits<float>::infinity();
  const auto spec =
      FeatureSpec()
          .Add("f", FixedLen(DType::kFloat, {8})
                        .Default(Floats{0.1f, 1.0f, -0.0f, 1e-45f,
                                        3.4028235e38f, nan, payload, infinity}))
          .Add("\"\x01\u0085\u00e9",
               FixedLen(DType::kBytes, {2}).Default(Strings{"\xFF", "\n"}));
  EXPECT_EQ(spec.ToJson(),
            R"({"message": "example",
 "features": [
  {"name": "f", "kind": "fixed_len", "dtype": "float", "shape": [8], "default": [0.1, 1.0, -0.0, 1e-45, 3.4028235e+38, "NaN", "0xffc12345", "Infinity"]},
  {"name": "\"\u0001\u0085é", "kind": "fixed_len", "dtype": "bytes", "shape": [2], "default": [{"b64": "/w=="}, "\n"]}
 ]}
)");
  const auto read = OrThrow(FeatureSpec::FromJson(spec.ToJson()));
  EXPECT_EQ(read.ToJson(), spec.ToJson());
  EXPECT_EQ(read.features()[1], spec.features()[1]);
}

TEST(SpecJsonTest, WritesJsonWhateverTheSpecIs) {
  // Not UTF-8: no plan takes such a name, so any text will do.
  const auto odd = OrThrow(FeatureSpec::FromJson(
      FeatureSpec().Add("a\xFF\xC2", VarLen(DType::kInt64)).ToJson()));
  EXPECT_EQ(odd.features()[0].name, "a\uFFFD\uFFFD");

  // A field that the layout does not have is not lost on the way.
  const auto senseless = FeatureSpec::FromJson(
      FeatureSpec().Add("x", VarLen(DType::kInt64).Default(1)).ToJson());
  EXPECT_THAT(senseless, IsError(ErrorCode::kBadSpec,
                                 {.text = "\"default\" belongs to fixed_len"}));
}

}  // namespace
}  // namespace headrace::testing
