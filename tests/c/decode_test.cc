// headrace_plan and headrace_decode.

#include <cstddef>
#include <string>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/decoder.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/c/c_calls.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensor_proto.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Rows = std::vector<std::string>;

constexpr const char* kSpecOfOne =
    "{\"spec\": {\"features\": [{\"name\": \"i\", \"kind\": \"fixed_len\", "
    "\"dtype\": \"int64\", \"shape\": []}]}}";
constexpr const char* kSchemaOfOne =
    "{\"schema\": \"feature { name: \\\"i\\\" type: INT }\"}";

struct Views {
  explicit Views(const std::vector<std::string>& records) {
    for (const std::string& record : records) {
      pointers.push_back(record.data());
      sizes.push_back(record.size());
    }
  }
  std::vector<const void*> pointers = {};
  std::vector<size_t> sizes = {};
};

std::string Decode(const CPlan& plan, const std::vector<std::string>& records,
                   const char* options, ArrowArray* array,
                   ArrowSchema* schema) {
  const Views views(records);
  return Call(headrace_decode, plan.get(), views.pointers.data(),
              views.sizes.data(), records.size(), options, array, schema);
}

Rows RowsOfRecords(const CPlan& plan, const std::vector<std::string>& records) {
  Owned<ArrowArray> array;
  Owned<ArrowSchema> schema;
  EXPECT_EQ(Decode(plan, records, nullptr, &array, &schema), "");
  EXPECT_EQ(Violation(*schema, *array), "");
  return RowTexts(*schema, *array);
}

std::string TextOfPlan(const CPlan& plan) {
  char* text = nullptr;
  EXPECT_EQ(Call(headrace_plan_text, plan.get(), &text), "");
  std::string copy = text;
  headrace_text_free(text);
  return copy;
}

std::string TypeOf(const CPlan& plan, const char* options) {
  Owned<ArrowSchema> schema;
  EXPECT_EQ(Call(headrace_plan_schema, plan.get(), options, &schema), "");
  return TypeText(*schema);
}

TEST(CDecodeTest, RecordsWithoutAFeatureMayBeErrors) {
  const CPlan plan = Compile(
      "{\"spec\": {\"features\": [{\"name\": \"I\", \"kind\": \"fixed_len\", "
      "\"dtype\": \"int64\", \"shape\": [], \"default\": [9]}]}}");
  const Rows records = {ExampleBuilder().Int64s("i", {7}).Build()};
  EXPECT_EQ(RowsOfRecords(plan, records), Rows({"{I: 9}"}));
  Owned<ArrowArray> array;
  EXPECT_THAT(
      Decode(plan, records, "{\"on_absent\": \"error\"}", &array, nullptr),
      HasSubstr("missing_feature: the first record does not have \"I\"; did "
                "you mean \"i\"?"));
}

TEST(CDecodeTest, TensorsInBytes) {
  const CPlan plan = Compile(
      "{\"spec\": {\"features\": [{\"name\": \"t\", \"kind\": \"ragged\", "
      "\"dtype\": \"bytes\", \"as\": \"int8\", \"encoding\": "
      "\"tensor_proto\", \"item_shape\": [-1]}]}}");
  const auto row = [](const std::string& value) {
    return ExampleBuilder().Bytes("t", {value}).Build();
  };
  const std::string tensor =
      TensorOfContent(DType::kInt8, {2}, std::string("\x05\xFF", 2));
  EXPECT_EQ(RowsOfRecords(plan, {row(tensor)}), Rows({"{t: [5, -1]}"}));
  Owned<ArrowArray> array;
  EXPECT_THAT(
      Decode(plan, {row("t")}, nullptr, &array, nullptr),
      HasSubstr(
          "wrong_count: feature \"t\", value 0: the value is not a tensor"));
}

TEST(CPlanTest, ComesOfASpecOrASchema) {
  EXPECT_EQ(TypeOf(Compile(kSpecOfOne), nullptr), "{i: int64}");
  EXPECT_EQ(TypeOf(Compile(kSchemaOfOne), nullptr), "{i: list<int64>}");
  // The bytes of the same schema.
  EXPECT_EQ(TypeOf(Compile("{\"schema\": {\"b64\": \"CgUKAWkwAg==\"}}"), "{}"),
            "{i: list<int64>}");
  EXPECT_EQ(
      TypeOf(Compile("{\"message\": \"raw\"}"), "{\"bytes_as\": \"large\"}"),
      "{payload: large_binary}");
  EXPECT_EQ(TypeOf(Compile("{\"tensors\": true, \"schema\": \"feature { name: "
                           "\\\"i\\\" type: INT shape {} presence { "
                           "min_fraction: 1 } }\"}"),
                   nullptr),
            "{i: int64}");
}

TEST(CPlanTest, ShowsItselfAsTheLibrarysDoes) {
  const auto plan =
      Plan::Compile(FeatureSpec().Add("i", FixedLen(DType::kInt64)));
  EXPECT_EQ(TextOfPlan(Compile(kSpecOfOne)), OrThrow(plan).ToString());
}

TEST(CPlanTest, WhatIsRefused) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {nullptr, "a plan needs the option \"spec\" or \"schema\""},
      {"{\"specs\": {}}", "did you mean \"spec\"?"},
      {"{\"spec\": \"{}\"}", "bad_spec: a spec is an object"},
      {"{\"spec\": {\"features\": [{\"nam\": \"i\"}]}}", "bad_spec: "},
      {"{\"spec\": {\"features\": []}, \"schema\": \"\"}", "not both"},
      {"{\"spec\": {\"features\": []}, \"tensors\": true}",
       "\"tensors\" is for a \"schema\""},
      {"{\"spec\": {\"features\": []}, \"message\": \"raw\"}",
       "\"message\" is \"raw\", but the spec is for \"example\""},
      {"{\"spec\": {\"features\": []}, \"columns\": [\"i\"]}",
       "leave features out of the spec instead"},
      {"{\"files\": false, \"spec\": {\"features\": [{\"name\": \"g\", "
       "\"kind\": "
       "\"jagged\", \"as\": \"int32\", \"features\": [{\"name\": \"x\", "
       "\"kind\": \"ragged\", \"dtype\": \"bytes\", \"map\": [{\"vocabulary\": "
       "\"/etc/passwd\", \"default\": 0}]}]}]}}",
       "this spec must not name files"},
      {"{\"files\": 1}", "\"files\" is 1"},
      {"{\"schema\": 7}", "\"schema\" is 7; it takes the text of a schema"},
      {"{\"schema\": {\"b64\": \"?\"}}", "\"schema\" is an object"},
      {"{\"schema\": \"feature {\"}", "bad_spec: "},
      {"{\"schema\": \"feature { name: \\\"i\\\" type: INT }\", "
       "\"columns\": [\"I\"]}",
       "did you mean \"i\"?"},
  };
  for (const auto& bad : cases) {
    auto* plan = reinterpret_cast<headrace_plan*>(1);
    EXPECT_THAT(Call(headrace_plan_compile, bad.first, &plan),
                HasSubstr(bad.second));
    EXPECT_EQ(plan, nullptr);
  }
}

TEST(CDecodeTest, GivesWhatTheDecoderGives) {
  RandomExample random(/*seed=*/11, {.plain = true});
  std::vector<std::string> records;
  for (int i = 0; i < 50; ++i) records.push_back(random.Next());
  const Plan plan = OrThrow(Plan::ForColumns(
      {{RandomExample::Keys()[0], RandomExample::KindOfKey(0)}}));
  const std::vector<std::string_view> views(records.begin(), records.end());
  const Batch batch = OrThrow(Decoder(plan).Decode(views));
  Owned<ArrowArray> expected;
  Owned<ArrowSchema> schema;
  ASSERT_THAT(ExportBatch(batch, {}, &expected), IsOk());
  ASSERT_THAT(ExportSchema(plan, {}, &schema), IsOk());
  const Kind kind = RandomExample::KindOfKey(0);
  const std::string type = kind == Kind::kInt64   ? "INT"
                           : kind == Kind::kFloat ? "FLOAT"
                                                  : "BYTES";
  const std::string options = "{\"schema\": \"feature { name: '" +
                              RandomExample::Keys()[0] + "' type: " + type +
                              " }\"}";
  EXPECT_EQ(RowsOfRecords(Compile(options.c_str()), records),
            RowTexts(*schema, *expected));
}

TEST(CDecodeTest, NothingAndEmptyMessages) {
  const CPlan plan = Compile(kSchemaOfOne);
  EXPECT_EQ(RowsOfRecords(plan, {}), Rows());
  const void* const nothing[] = {nullptr};
  const size_t size[] = {0};
  Owned<ArrowArray> array;
  EXPECT_EQ(Call(headrace_decode, plan.get(), nothing, size, size_t{1},
                 static_cast<const char*>(nullptr), &array,
                 static_cast<ArrowSchema*>(nullptr)),
            "");
  EXPECT_EQ(array->length, 1);
}

TEST(CDecodeTest, ABadMessageIsNamed) {
  const CPlan plan = Compile(kSpecOfOne);
  const std::string good = ExampleBuilder().Int64s("i", {1}).Build();
  const std::string bad = ExampleBuilder().Floats("i", {1}).Build();
  const std::vector<std::string> records = {good, bad};
  const Views views(records);
  Owned<ArrowArray> array;
  Owned<ArrowSchema> schema;
  headrace_error* error = nullptr;
  EXPECT_EQ(
      headrace_decode(plan.get(), views.pointers.data(), views.sizes.data(), 2,
                      nullptr, &array, &schema, &error),
      HEADRACE_WRONG_KIND);
  const CError owned(error);
  EXPECT_EQ(error->record, 1u);
  EXPECT_STREQ(error->feature, "i");
  EXPECT_STREQ(error->expected, "int64");
  EXPECT_STREQ(error->found, "float");
  EXPECT_TRUE(array.is_released() && schema.is_released());
  EXPECT_THAT(Decode(plan, {good}, "{\"max_batch_bytes\": 1}", &array, &schema),
              HasSubstr("limit"));
  EXPECT_THAT(
      Decode(plan, {good}, "{\"on_row_error\": \"skip\"}", &array, &schema),
      HasSubstr("there is no option \"on_row_error\""));
}

}  // namespace
}  // namespace headrace::testing
