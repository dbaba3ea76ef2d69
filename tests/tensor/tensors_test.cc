// What the golden files do not have: headrace's own additions to a spec, the
// words of errors, and tensors of rows that were skipped.

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

template <class T>
std::vector<T> ValuesOf(const Tensor& tensor) {
  const auto* const values = static_cast<const T*>(tensor.values);
  return {values, values + tensor.num_values};
}

std::vector<int64_t> ShapeOf(const Tensor& tensor) {
  return {tensor.shape.begin(), tensor.shape.end()};
}

Result<Batch> Decode(const FeatureSpec& spec,
                     const std::vector<std::string>& records,
                     OnRowError on_row_error = OnRowError::kFail) {
  auto plan = Plan::Compile(spec);
  if (!plan.ok()) return plan.status();
  DecodeOptions options = {.on_row_error = on_row_error};
  Decoder decoder(*plan, options);
  const std::vector<std::string_view> views(records.begin(), records.end());
  return decoder.Decode(views);
}

std::string Ints(std::vector<int64_t> values) {
  return ExampleBuilder().Int64s("x", std::move(values)).Build();
}

TEST(TensorTest, PadTo) {
  FeatureConfig config = VarLen(DType::kInt64);
  config.pad_to = 3;
  const FeatureSpec spec = FeatureSpec().Add("x", config);
  auto batch = Decode(spec, {Ints({1, 2}), "", Ints({3, 4, 5})});
  ASSERT_THAT(batch, IsOk());
  EXPECT_THAT(ShapeOf(batch->tensors()[0]), ElementsAre(3, 3));
  EXPECT_THAT(ValuesOf<int64_t>(batch->tensors()[0]),
              ElementsAre(1, 2, 0, 0, 0, 0, 3, 4, 5));

  batch = Decode(spec, {Ints({1}), Ints({1, 2, 3, 4})});
  EXPECT_THAT(batch, IsError(ErrorCode::kWrongCount, {.record = 1u}));

  config.truncate = true;
  config.as = DType::kInt16;
  batch = Decode(FeatureSpec().Add("x", config), {Ints({1, 2, 3, 4})});
  ASSERT_THAT(batch, IsOk());
  EXPECT_THAT(ValuesOf<int16_t>(batch->tensors()[0]), ElementsAre(1, 2, 3));
}

TEST(TensorTest, PadsBytes) {
  FeatureConfig config = VarLen(DType::kBytes);
  config.pad_to = 2;
  const auto batch =
      OrThrow(Decode(FeatureSpec().Add("x", config),
                     {ExampleBuilder().Bytes("x", {"a"}).Build(), ""}));
  EXPECT_THAT(ValuesOf<std::string_view>(batch.tensors()[0]),
              ElementsAre("a", "", "", ""));
}

TEST(TensorTest, NarrowTypesAreChecked) {
  FeatureConfig config = FixedLen(DType::kInt64, {2});
  config.as = DType::kUint8;
  const FeatureSpec spec = FeatureSpec().Add("x", config);
  auto batch = Decode(spec, {Ints({0, 255}), Ints({7, 8})});
  ASSERT_THAT(batch, IsOk());
  EXPECT_EQ(batch->tensors()[0].dtype, DType::kUint8);
  EXPECT_THAT(ValuesOf<uint8_t>(batch->tensors()[0]),
              ElementsAre(0, 255, 7, 8));

  batch = Decode(spec, {Ints({0, 0}), Ints({256, 0})});
  EXPECT_THAT(batch, IsError(ErrorCode::kWrongKind,
                             {.expected = "values of uint8", .found = "256"}));
}

// Cells of one shape are counted together, and each row is looked at.
TEST(TensorTest, NarrowTypesOfManyRowsAreChecked) {
  FeatureSpec spec;
  for (const char* const name : {"x", "y"}) {
    FeatureConfig config = FixedLen(DType::kInt64);
    config.as = DType::kInt8;
    spec.Add(name, config);
  }
  const auto record = [](int64_t x, int64_t y) {
    return ExampleBuilder().Int64s("x", {x}).Int64s("y", {y}).Build();
  };
  std::vector<std::string> records;
  std::vector<int8_t> wanted;
  for (int i = 0; i < 100; ++i) {
    records.push_back(record(i, 100 - i));
    wanted.push_back(static_cast<int8_t>(100 - i));
  }
  const auto batch = OrThrow(Decode(spec, records));
  EXPECT_EQ(ValuesOf<int8_t>(batch.tensors()[1]), wanted);
  records[57] = record(57, 128);
  EXPECT_THAT(Decode(spec, records),
              IsError(ErrorCode::kWrongKind, {.feature = "y", .record = 57u}));
  const auto others = OrThrow(Decode(spec, records, OnRowError::kSkip));
  wanted.erase(wanted.begin() + 57);
  EXPECT_EQ(ValuesOf<int8_t>(others.tensors()[1]), wanted);
}

TEST(TensorTest, NarrowTypesArePadded) {
  FeatureConfig padded = VarLen(DType::kInt64);
  padded.pad_to = 2;
  padded.as = DType::kInt8;
  FeatureConfig sequence = FixedLenSequence(DType::kInt64, {}, true).Default(7);
  sequence.as = DType::kInt8;
  sequence.column = "x";
  const auto batch =
      OrThrow(Decode(FeatureSpec().Add("x", padded).Add("s", sequence),
                     {Ints({-128}), "", Ints({1, 127})}));
  EXPECT_THAT(ValuesOf<int8_t>(batch.tensors()[0]),
              ElementsAre(-128, 0, 0, 0, 1, 127));
  EXPECT_THAT(ValuesOf<int8_t>(batch.tensors()[1]),
              ElementsAre(-128, 7, 7, 7, 1, 127));
}

// The step is named.
TEST(TensorTest, NarrowTypesOfFeatureListsAreChecked) {
  FeatureConfig ints = VarLen(DType::kInt64), floats = VarLen(DType::kFloat);
  ints.as = DType::kInt8;
  floats.as = DType::kFloat16;
  const FeatureSpec spec = FeatureSpec(MessageType::kSequence)
                               .AddSequence("i", ints)
                               .AddSequence("f", floats);
  const auto record = [](int64_t last, float other) {
    return FeatureListsField(
        EntryField("i", FeatureListOf(
                            {Int64Feature({1}), "", Int64Feature({2, last})})) +
        EntryField("f", FeatureListOf({FloatFeature({other})})));
  };
  EXPECT_THAT(Decode(spec, {record(127, 1), "", record(-128, 2)}), IsOk());
  const auto batch = Decode(spec, {record(0, 1), record(128, 1)});
  EXPECT_EQ(batch.status().message(),
            "feature list \"i\", step 2: expected values of int8, found 128");
  EXPECT_THAT(Decode(spec, {record(0, 1e6)}),
              IsError(ErrorCode::kWrongKind,
                      {.feature = "f", .expected = "values of float16"}));
}

TEST(TensorTest, BytesAsNumbers) {
  FeatureConfig config = FixedLen(DType::kBytes, {2, 2});
  config.as = DType::kUint16;
  const FeatureSpec spec = FeatureSpec().Add("x", config);
  const auto raw = [](std::string_view bytes) {
    return ExampleBuilder().Bytes("x", {std::string(bytes)}).Build();
  };
  using namespace std::string_view_literals;
  auto batch =
      Decode(spec, {raw("\1\0\2\0\3\0\4\0"sv), raw("\0\1\0\2\0\3\0\4"sv)});
  ASSERT_THAT(batch, IsOk());
  EXPECT_THAT(ShapeOf(batch->tensors()[0]), ElementsAre(2, 2, 2));
  EXPECT_THAT(ValuesOf<uint16_t>(batch->tensors()[0]),
              ElementsAre(1, 2, 3, 4, 256, 512, 768, 1024));
  EXPECT_THAT(Decode(spec, {raw("1234567")}), HasCode(ErrorCode::kWrongCount));
  EXPECT_THAT(Decode(spec, {""}), HasCode(ErrorCode::kMissingFeature));
  batch = Decode(spec, {ExampleBuilder().Bytes("x", {"12345678", ""}).Build()});
  EXPECT_THAT(batch, IsError(ErrorCode::kWrongCount,
                             {.expected = "1 value", .found = "2"}));
  // What is right is not blamed for what is wrong.
  batch = Decode(
      FeatureSpec().Add("x", config).Add("y", FixedLen(DType::kInt64)),
      {ExampleBuilder().Bytes("x", {"12345678"}).Int64s("y", {1, 2}).Build()});
  EXPECT_THAT(batch, IsError(ErrorCode::kWrongCount, {.feature = "y"}));
}

// One key as three tensors.
TEST(TensorTest, FeaturesWithColumnShareAKey) {
  FeatureConfig dense = FixedLen(DType::kInt64, {2})
                            .Default(DefaultValues(std::vector<int64_t>{8, 9}));
  dense.column = "x";
  FeatureConfig ragged = Ragged(DType::kInt64);
  ragged.column = "x";
  const FeatureSpec spec = FeatureSpec()
                               .Add("dense", dense)
                               .Add("ragged", ragged)
                               .Add("x", VarLen(DType::kInt64));
  auto batch = OrThrow(Decode(spec, {Ints({1, 2}), "", Ints({3, 4})}));
  EXPECT_THAT(ValuesOf<int64_t>(*batch.FindTensor("dense")),
              ElementsAre(1, 2, 8, 9, 3, 4));
  EXPECT_THAT(ValuesOf<int64_t>(*batch.FindTensor("x")),
              ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(batch.FindTensor("ragged")->row_splits[0][2], 2);
  EXPECT_THAT(Decode(spec, {Ints({1, 2, 3})}), HasCode(ErrorCode::kWrongCount));
}

TEST(TensorTest, CheckedSparseIndices) {
  FeatureConfig config = Sparse({"i"}, "v", DType::kFloat, {3});
  const auto record = [](int64_t index) {
    return ExampleBuilder().Floats("v", {1}).Int64s("i", {index}).Build();
  };
  EXPECT_THAT(Decode(FeatureSpec().Add("s", config), {record(3), record(-1)}),
              IsOk());
  config.check_indices = true;
  const FeatureSpec spec = FeatureSpec().Add("s", config);
  EXPECT_THAT(Decode(spec, {record(0), record(2)}), IsOk());
  EXPECT_THAT(Decode(spec, {record(3)}), HasCode(ErrorCode::kBadSparseIndex));
  EXPECT_THAT(Decode(spec, {record(-1)}), HasCode(ErrorCode::kBadSparseIndex));
  // The first that is out of bounds is named.
  const auto bad = Decode(spec, {ExampleBuilder()
                                     .Floats("v", {1, 2, 3, 4})
                                     .Int64s("i", {0, 2, 3, 4})
                                     .Build()});
  EXPECT_THAT(bad, IsError(ErrorCode::kBadSparseIndex,
                           {.expected = "an index in [0, 3)", .found = "3"}));
  config.size = {0};
  EXPECT_THAT(Decode(FeatureSpec().Add("s", config), {record(0)}),
              HasCode(ErrorCode::kBadSparseIndex));
  config.size = {-1};
  const FeatureSpec open = FeatureSpec().Add("s", config);
  EXPECT_THAT(Decode(open, {record(int64_t{1} << 40)}), IsOk());
  EXPECT_THAT(Decode(open, {record(-1)}), HasCode(ErrorCode::kBadSparseIndex));
}

TEST(TensorTest, NearMissesAreNamed) {
  const auto message = [](const std::vector<std::string>& names) {
    ExampleBuilder record;
    for (const std::string& name : names) record.Floats(name, {1});
    const auto batch =
        Decode(FeatureSpec().Add("ratings", FixedLen(DType::kFloat)),
               {record.Build()});
    EXPECT_THAT(batch, IsError(ErrorCode::kMissingFeature,
                               {.feature = "ratings",
                                .expected = "float",
                                .found = "no such feature"}));
    return std::string(batch.status().message());
  };
  EXPECT_EQ(message({"tags"}),
            "feature \"ratings\": required float feature is missing; "
            "set a default or skip bad rows");
  EXPECT_THAT(message({"Rating", "tags"}),
              HasSubstr("is missing; the record has \"Rating\"; set a"));
  EXPECT_THAT(message({"Rating", "rating"}),
              HasSubstr("the record has \"Rating\", \"rating\"; "));
  EXPECT_THAT(message({"rating1", "rating2", "rating3", "rating4"}),
              HasSubstr("has \"rating1\", \"rating2\", \"rating3\"; "));
}

// Values that decoding did not look at are no reason for an error.
TEST(TensorTest, AnErrorOfTheRowGoesBeforeMalformedValuesOfOtherKeys) {
  const std::string record =
      ExampleOf(EntryField("a", FeatureOf(Kind::kInt64, PackedInt64s({1}))) +
                EntryField("b", FeatureOf(Kind::kInt64, "\x0A\x01\x80")));
  const auto batch =
      Decode(FeatureSpec().Add("a", FixedLen(DType::kInt64, {2})), {record});
  EXPECT_THAT(batch, HasCode(ErrorCode::kWrongCount));
}

TEST(TensorTest, WordsOfARowError) {
  const auto batch =
      Decode(FeatureSpec().Add("x", FixedLen(DType::kInt64, {3})),
             {Ints({1, 2, 3}), Ints({1, 2})});
  EXPECT_THAT(batch, IsError(ErrorCode::kWrongCount, {.feature = "x",
                                                      .record = 1u,
                                                      .expected = "3 values",
                                                      .found = "2"}));
  EXPECT_EQ(batch.status().message(),
            "feature \"x\": expected 3 values, found 2");
}

TEST(TensorTest, NoRows) {
  const auto batch = OrThrow(Decode(
      FeatureSpec()
          .Add("f", FixedLen(DType::kInt64, {2}))
          .Add("s", FixedLenSequence(DType::kFloat, {2}, true))
          .Add("v", VarLen(DType::kBytes))
          .Add("r", Ragged(DType::kInt64, {{PartitionType::kRowSplits, "p"}})),
      {}));
  EXPECT_THAT(ShapeOf(*batch.FindTensor("f")), ElementsAre(0, 2));
  EXPECT_THAT(ShapeOf(*batch.FindTensor("s")), ElementsAre(0, 0, 2));
  EXPECT_THAT(ShapeOf(*batch.FindTensor("v")), ElementsAre(0, 0));
  EXPECT_EQ(batch.FindTensor("r")->row_splits.size(), 2u);
  EXPECT_EQ(batch.FindTensor("r")->row_splits[0].size, 1u);
}

// An order of classes, whatever the order of features.
TEST(TensorTest, WhatIsReportedFirst) {
  const FeatureSpec spec =
      FeatureSpec()
          .Add("missing", FixedLen(DType::kInt64))
          .Add("count", FixedLen(DType::kInt64))
          .Add("r",
               Ragged(DType::kInt64, {{PartitionType::kRowSplits, "p"}}, "v"));
  const std::string both =
      ExampleBuilder().Int64s("count", {1, 2}).Int64s("v", {1}).Build();
  EXPECT_THAT(Decode(spec, {both}), HasCode(ErrorCode::kWrongCount));
  const std::string missing =
      ExampleBuilder().Int64s("count", {1}).Int64s("v", {1}).Build();
  EXPECT_THAT(Decode(spec, {missing}), HasCode(ErrorCode::kMissingFeature));
  const std::string partition = ExampleBuilder()
                                    .Int64s("count", {1})
                                    .Int64s("missing", {1})
                                    .Int64s("v", {1})
                                    .Build();
  EXPECT_THAT(Decode(spec, {partition}), HasCode(ErrorCode::kBadPartition));
}

}  // namespace
}  // namespace headrace::testing
