// What no message can be made of, and arrays that contradict themselves.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "headrace/example_encoder.h"
#include "tests/encode/foreign_array.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

Status StatusOfEncoding(const Foreign& batch,
                        const EncodeOptions& options = {}) {
  return EncodeExamples(batch->schema, batch->array, options).status();
}

auto IsRefused(const std::string& text) {
  return IsError(ErrorCode::kInvalidArgument, {.text = text});
}

Foreign Ints() { return Numbers<int64_t>("l", {1, 2, 3}); }
Foreign Texts() { return ByteArrays<int32_t>("u", {"one", "two", "three"}); }
Foreign IntLists() { return Lists<int32_t>("+l", {0, 1, 2, 3}, Ints()); }

// One way to be wrong, by the column alone.
struct BadCase {
  std::string name;
  Foreign column;
  std::string message;
};

void ExpectRefused(const std::vector<BadCase>& cases) {
  for (const BadCase& c : cases) {
    SCOPED_TRACE(c.name);
    const Status status = StatusOfEncoding(BatchOf(c.column));
    EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument,
                                {.feature = "x", .text = "column \"x\""}));
    EXPECT_THAT(status, IsRefused(c.message));
  }
}

// ---------------------------------------------------------------------- Types

TEST(EncodeErrorsTest, TypesThatNoFeatureHolds) {
  std::vector<BadCase> cases;
  for (const std::string format :
       {"d:10,2", "tdD", "tsu:UTC", "w:4", "+vl", "+vL", "+m", "+ud:0", "+r",
        "", "+", "+w:", "+w:x", "+w:-1", "+w:3x", "+w:99999999999999999999",
        "ll", "q"}) {
    cases.push_back({format, MakeForeign(format, 3),
                     "has the Arrow type \"" + format + "\""});
  }
  cases.push_back({"struct", Struct(3, {{"a", Ints()}}), "is a struct"});
  cases.push_back({"lists of lists",
                   Lists<int32_t>("+l", {0, 1, 2, 3}, IntLists()),
                   "lists inside of lists"});
  cases.push_back({"lists of structs",
                   Lists<int32_t>("+l", {0, 0, 0, 0}, Struct(3, {})),
                   "is a struct"});
  cases.push_back({"float64", Numbers<double>("g", {1}), "allow_narrowing"});
  cases.push_back({"lists of float64",
                   Lists<int32_t>("+l", {0, 1}, Numbers<double>("g", {1})),
                   "allow_narrowing"});
  cases.push_back({"an unknown type in a list",
                   Lists<int32_t>("+l", {0, 0}, MakeForeign("tdD", 0)),
                   "has values whose array has the Arrow type \"tdD\""});
  const Foreign dictionary = Numbers<int8_t>("c", {0});
  dictionary->schema.dictionary = &Ints()->schema;
  cases.push_back({"a dictionary", dictionary, "dictionary-encoded"});
  ExpectRefused(cases);
}

// -1 takes ten bytes, so that an eighth of two gigabytes says more.
TEST(EncodeErrorsTest, FeaturesOfMoreThanTwoGigabytes) {
  if (kInstrumented) GTEST_SKIP() << "hundreds of millions of values";
  constexpr int64_t kCount = (int64_t{1} << 31) / 10 + 1;
  const std::vector<int8_t> values(static_cast<size_t>(kCount), -1);
  EXPECT_THAT(StatusOfEncoding(BatchOf(Lists<int64_t>(
                  "+L", {0, kCount}, Numbers<int8_t>("c", values)))),
              HasCode(ErrorCode::kLimit));
}

TEST(EncodeErrorsTest, TypesAreRefusedWithoutRows) {
  EXPECT_THAT(StatusOfEncoding(BatchOf(MakeForeign("tdD", 0))),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(EncodeErrorsTest, Names) {
  EXPECT_THAT(StatusOfEncoding(
                  Struct(3, {{"x", Ints()}, {"y", Ints()}, {"x", Ints()}})),
              IsRefused("column \"x\" occurs twice"));
  EXPECT_THAT(StatusOfEncoding(Struct(3, {{"\xff", Ints()}})),
              IsRefused("not UTF-8"));
  EXPECT_THAT(StatusOfEncoding(Struct(0, {{"##SEQUENCE##", Struct(0, {})},
                                          {"##SEQUENCE##", Struct(0, {})}})),
              IsRefused("twice"));
  const auto lists = [](const std::vector<NamedForeign>& columns) {
    return Struct(3, {{"##SEQUENCE##", Struct(3, columns)}});
  };
  EXPECT_THAT(StatusOfEncoding(lists({{"x", IntLists()}, {"x", IntLists()}})),
              IsError(ErrorCode::kInvalidArgument, {.feature = "x"}));
  EXPECT_THAT(StatusOfEncoding(lists({{"\xff", IntLists()}})),
              IsRefused("not UTF-8"));
  // No name is the empty one.
  const Foreign batch = BatchOf(Ints());
  batch->child_schemas[0]->name = nullptr;
  EXPECT_THAT(StatusOfEncoding(batch), IsOk());
}

TEST(EncodeErrorsTest, FeatureListsAreListsOfSteps) {
  const auto encode = [](const Foreign& column) {
    return StatusOfEncoding(
        Struct(1, {{"##SEQUENCE##", Struct(1, {{"x", column}})}}));
  };
  EXPECT_THAT(encode(Numbers<int64_t>("l", {1})),
              IsRefused("column \"x\" of ##SEQUENCE## is not a list"));
  EXPECT_THAT(encode(Lists<int32_t>("+l", {0, 1},
                                    Lists<int32_t>("+l", {0, 1}, IntLists()))),
              IsRefused("column \"x\" holds lists inside of lists"));
  EXPECT_THAT(encode(MakeForeign("tdD", 1)),
              IsRefused("has the Arrow type \"tdD\""));
  const Foreign sequence = Struct(1, {});
  sequence->array.null_count = 7;
  EXPECT_THAT(StatusOfEncoding(Struct(0, {{"##SEQUENCE##", sequence}})),
              IsRefused("column \"##SEQUENCE##\" is not an Arrow array"));
}

// --------------------------------------------------------------------- Values

struct BadValue {
  std::string name;
  Foreign column;
  uint64_t row;
  std::string message;
};

TEST(EncodeErrorsTest, ValuesAreNamedByColumnAndRow) {
  constexpr double kDouble = std::numeric_limits<double>::max();
  const std::vector<BadValue> cases = {
      {"null in a list",
       Lists<int32_t>("+l", {0, 1, 3}, WithNulls(Ints(), {true, true, false})),
       1, "value 1 is null"},
      {"null in a sliced list",
       Lists<int32_t>("+l", {0, 1, 2},
                      Sliced(WithNulls(Texts(), {true, true, false}), 1, 2)),
       1, "value 0 is null"},
      {"uint64", Numbers<uint64_t>("L", {1, uint64_t{1} << 63}), 1,
       "value 0 is 9223372036854775808"},
      {"uint64 in a list",
       Lists<int32_t>("+l", {0, 2}, Numbers<uint64_t>("L", {1, ~uint64_t{0}})),
       0, "value 1 is 18446744073709551615"},
      {"float64", Numbers<double>("g", {1, kDouble}), 1,
       "value 0 is out of the range of float32"},
      {"list of nulls", Lists<int32_t>("+l", {0, 1}, MakeForeign("n", 1)), 0,
       "no kind"},
      {"empty list of nulls", Lists<int32_t>("+l", {0, 0}, MakeForeign("n", 0)),
       0, "no kind"},
      {"offsets fall", Lists<int32_t>("+l", {0, 2, 1}, Ints()), 1, "offsets"},
      {"offsets are negative", Lists<int64_t>("+L", {0, 1, -1}, Ints()), 1,
       "offsets"},
      {"the first is negative", Lists<int32_t>("+l", {-1, 1}, Ints()), 0,
       "offsets"},
      {"offsets go too far", Lists<int32_t>("+l", {0, 3, 4}, Ints()), 1,
       "offsets"},
      {"offsets go too far for the slice",
       Lists<int64_t>("+L", {0, 2, 3}, Sliced(Ints(), 1, 2)), 1, "offsets"},
  };
  for (const BadValue& c : cases) {
    SCOPED_TRACE(c.name);
    const Status status =
        StatusOfEncoding(BatchOf(c.column), {.allow_narrowing = true});
    EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument,
                                {.feature = "x",
                                 .record = c.row,
                                 .text = "column \"x\", row " +
                                         std::to_string(c.row) + ": "}));
    EXPECT_THAT(status, IsRefused(c.message));
  }
}

TEST(EncodeErrorsTest, StepsAreNamedToo) {
  const Foreign steps =
      Lists<int32_t>("+l", {0, 1, 3}, WithNulls(Ints(), {true, true, false}));
  const Foreign batch =
      Struct(1, {{"##SEQUENCE##",
                  Struct(1, {{"x", Lists<int32_t>("+l", {0, 2}, steps)}})}});
  const Status status = StatusOfEncoding(batch);
  EXPECT_THAT(status,
              IsRefused("column \"x\", row 0, step 1: value 1 is null"));
  const Foreign too_far = Struct(
      1, {{"##SEQUENCE##",
           Struct(1, {{"x", Lists<int32_t>("+l", {0, 9}, IntLists())}})}});
  EXPECT_THAT(StatusOfEncoding(too_far),
              IsRefused("row 0: the list has offsets"));
}

// Sets one 32-bit number of the views of three values, of which the last has a
// buffer.
Foreign BadView(size_t number, int32_t value) {
  const Foreign views = Views("vz", {"a", "b", "longer than a view holds"});
  auto* const numbers =
      static_cast<int32_t*>(const_cast<void*>(views->buffers[1]));
  numbers[number] = value;
  return views;
}

// A buffer too many, of which memory even says that it is large enough.
TEST(EncodeErrorsTest, TheBufferBehindTheLastIsNone) {
  const Foreign views = BadView(10, 1);
  views->buffers.pop_back();
  AddBufferOf<int64_t>(views, {24, 24, 24, 24});
  views->array.buffers = views->buffers.data();
  views->array.n_buffers = static_cast<int64_t>(views->buffers.size());
  ExpectRefused({{"a view's buffer", views, "row 2: value 0 has offsets"}});
}

TEST(EncodeErrorsTest, BytesWithoutAPlace) {
  const Foreign no_data = Texts();
  no_data->buffers[2] = nullptr;
  const Foreign no_variadic = BadView(8, 24);
  no_variadic->buffers[2] = nullptr;
  const std::vector<BadCase> cases = {
      {"no data", no_data, "row 0: value 0 has offsets"},
      {"a view's size", BadView(0, -1), "row 0: value 0 has offsets"},
      {"a long view", BadView(8, 25), "row 2: value 0 has offsets"},
      {"the longest view", BadView(8, 0x7fffffff), "row 2"},
      {"a view's buffer", BadView(10, 1), "row 2: value 0 has offsets"},
      {"the buffer of sizes", BadView(10, 2), "row 2"},
      {"a negative buffer", BadView(10, -1), "row 2"},
      {"a view's offset", BadView(11, 1), "row 2"},
      {"a negative offset", BadView(11, -1), "row 2"},
      {"the last offset", BadView(11, 0x7fffffff), "row 2"},
      {"no variadic buffer", no_variadic, "row 2"},
  };
  ExpectRefused(cases);
  const Foreign falling = Texts();
  std::vector<int32_t> offsets = {0, 3, 2, 4};
  falling->buffers[1] = offsets.data();
  ExpectRefused({{"falling", falling, "row 1: value 0 has offsets"}});
  offsets = {-4, 0, 0, 0};
  ExpectRefused({{"negative", falling, "row 0: value 0 has offsets"}});
}

TEST(EncodeErrorsTest, ANullRow) {
  const Status status =
      StatusOfEncoding(WithNulls(BatchOf(Ints()), {true, false, true}));
  EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument,
                              {.record = 1u,
                               .text = "row 1: a record batch has no null"}));
}

// A null array of any length costs no memory: only what it would become does.
TEST(EncodeErrorsTest, MoreStepsThanAMessageHolds) {
  constexpr int64_t kMany = int64_t{1} << 40;
  const Foreign steps =
      Lists<int64_t>("+L", {0, kMany}, MakeForeign("n", kMany));
  EXPECT_THAT(StatusOfEncoding(BatchOf(steps)),
              HasCode(ErrorCode::kInvalidArgument));
  const Foreign lists = Struct(
      1, {{"x", Lists<int64_t>("+L", {0, kMany}, MakeForeign("n", kMany))}});
  const Status status = StatusOfEncoding(Struct(1, {{"##SEQUENCE##", lists}}));
  EXPECT_THAT(status, IsError(ErrorCode::kLimit, {.feature = "x"}));
  const Foreign rows = Struct(kMany, {{"x", MakeForeign("n", kMany)}});
  EXPECT_THAT(StatusOfEncoding(rows), HasCode(ErrorCode::kLimit));
}

// ------------------------------------------------------------------ Structure

// Changes one thing of an array that is right.
Foreign Changed(Foreign column,
                const std::function<void(ForeignArray*)>& change) {
  change(column.get());
  return column;
}

TEST(EncodeErrorsTest, NumbersThatContradictEachOther) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  std::vector<BadCase> cases;
  for (const auto& make : {Ints, Texts, IntLists}) {
    const auto add = [&](const std::string& message,
                         const std::function<void(ForeignArray*)>& change) {
      const std::string name = message + " " + std::to_string(cases.size());
      cases.push_back({name, Changed(make(), change), message});
    };
    for (const int64_t offset : {int64_t{-1}, kMin, kMax, kMax - 2}) {
      add("its offset", [=](ForeignArray* f) { f->array.offset = offset; });
    }
    for (const int64_t nulls : {int64_t{-2}, int64_t{4}, kMin, kMax}) {
      add("are null", [=](ForeignArray* f) { f->array.null_count = nulls; });
    }
    add("no validity buffer", [](ForeignArray* f) { f->array.null_count = 1; });
    for (const int64_t buffers :
         {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{4}, kMin, kMax}) {
      add("buffers", [=](ForeignArray* f) { f->array.n_buffers = buffers; });
    }
    add("it has no buffers",
        [](ForeignArray* f) { f->array.buffers = nullptr; });
    add("a buffer is missing",
        [](ForeignArray* f) { f->buffers[1] = nullptr; });
    for (const int64_t children : {int64_t{-1}, int64_t{2}, kMin, kMax}) {
      add("children", [=](ForeignArray* f) { f->array.n_children = children; });
      add("children",
          [=](ForeignArray* f) { f->schema.n_children = children; });
      add("children", [=](ForeignArray* f) {
        f->array.n_children = children;
        f->schema.n_children = children;
      });
    }
    add("has been released",
        [](ForeignArray* f) { f->array.release = nullptr; });
    add("has been released",
        [](ForeignArray* f) { f->schema.release = nullptr; });
    add("has no type", [](ForeignArray* f) { f->schema.format = nullptr; });
  }
  ExpectRefused(cases);
}

TEST(EncodeErrorsTest, LengthsThatContradictEachOther) {
  for (const int64_t length : {int64_t{-1}, std::numeric_limits<int64_t>::min(),
                               std::numeric_limits<int64_t>::max()}) {
    // Where it is short the batch has noticed already.
    const Foreign column = Sliced(Ints(), 0, length);
    EXPECT_THAT(StatusOfEncoding(Struct(0, {{"x", column}})),
                IsRefused(length < 0 ? "child 0 has -"
                                     : "column \"x\" is not an Arrow array"))
        << length;
    const Foreign list = Lists<int32_t>("+l", {0}, Sliced(Ints(), 0, length));
    EXPECT_THAT(StatusOfEncoding(BatchOf(list)),
                IsRefused("column \"x\" has values whose array is no"))
        << length;
    const Foreign batch = Sliced(BatchOf(Ints()), 0, length);
    EXPECT_THAT(StatusOfEncoding(batch),
                IsRefused("the record batch is not an Arrow array"))
        << length;
  }
  EXPECT_THAT(StatusOfEncoding(Struct(4, {{"x", Ints()}})),
              IsRefused("child 0 has 3 items, and must have 4"));
  EXPECT_THAT(StatusOfEncoding(Sliced(BatchOf(Ints()), 1, 3)),
              IsRefused("child 0 has 3 items, and must have 4"));
  ExpectRefused({
      {"a fixed size", FixedSizeLists(2, 2, Ints()), "must have 4"},
      {"a sliced fixed size", Sliced(FixedSizeLists(2, 1, Ints()), 1, 1),
       "must have 4"},
      {"a huge fixed size",
       FixedSizeLists(std::numeric_limits<int64_t>::max(), 2, Ints()),
       "that many"},
  });
}

TEST(EncodeErrorsTest, ChildrenThatAreMissing) {
  for (const auto& make : {IntLists, +[] { return BatchOf(Ints()); }}) {
    const std::vector<Foreign> cases = {
        Changed(make(), [](ForeignArray* f) { f->child_arrays[0] = nullptr; }),
        Changed(make(), [](ForeignArray* f) { f->child_schemas[0] = nullptr; }),
        Changed(make(), [](ForeignArray* f) { f->array.children = nullptr; }),
        Changed(make(), [](ForeignArray* f) { f->schema.children = nullptr; })};
    for (const Foreign& c : cases) {
      EXPECT_THAT(StatusOfEncoding(BatchOf(c)), IsRefused("missing"));
      EXPECT_THAT(StatusOfEncoding(c), HasCode(ErrorCode::kInvalidArgument));
    }
  }
}

TEST(EncodeErrorsTest, WhatIsNoRecordBatch) {
  EXPECT_THAT(StatusOfEncoding(Ints()), IsRefused("not a record batch"));
  EXPECT_THAT(StatusOfEncoding(MakeForeign("tdD", 1)),
              IsRefused("the record batch has the Arrow type"));
  EXPECT_THAT(EncodeExamples(ArrowSchema(), ArrowArray()),
              IsRefused("the record batch has been released"));
}

TEST(EncodeErrorsTest, ViewsWithoutTheSizesOfTheirBuffers) {
  const Foreign views = Views("vz", {"longer than a view holds"});
  views->buffers.back() = nullptr;
  ExpectRefused({{"sizes", views, "sizes"}});
}

}  // namespace
}  // namespace headrace::testing
