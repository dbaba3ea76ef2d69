// Matrix and jagged groups: what the golden files do not have.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "src/read/batch/batch_copy.h"
#include "tests/naive/batch_tensors.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/zlib_stream.h"

namespace headrace::testing {
namespace {

Result<Batch> DecodeGroups(
    const FeatureSpec& spec, const std::vector<std::string>& records,
    uint64_t max_batch_bytes = Limits().max_batch_bytes) {
  auto plan = Plan::Compile(spec);
  if (!plan.ok()) return plan.status();
  DecodeOptions options;
  options.limits.max_batch_bytes = max_batch_bytes;
  Decoder decoder(*plan, options);
  const std::vector<std::string_view> views(records.begin(), records.end());
  return decoder.Decode(views);
}

template <class T>
std::vector<T> GroupValues(const Tensor& tensor) {
  const std::span<const T> values = tensor.As<T>();
  return {values.begin(), values.end()};
}

std::vector<int64_t> IntsOfSplits(const RowSplits& splits) {
  std::vector<int64_t> ints;
  for (size_t i = 0; i < splits.size; ++i) ints.push_back(splits[i]);
  return ints;
}

std::string IntRow(std::vector<int64_t> values) {
  return ExampleBuilder().Int64s("x", std::move(values)).Build();
}

TEST(GroupsTest, ColumnOfPresence) {
  FeatureConfig padded = VarLen(DType::kInt64).Present();
  padded.pad_to = 2;
  padded.column = "x";
  const auto batch = OrThrow(DecodeGroups(
      FeatureSpec().AddMatrix(
          "g", DType::kInt32,
          {{"x", FixedLen(DType::kInt64, {2}).Default({7, 8}).Present()},
           {"p", padded}}),
      {IntRow({1, 2}), "", ExampleBuilder().Unset("x").Build()}));
  const Tensor& tensor = batch.tensors()[0];
  EXPECT_THAT(tensor.shape, ElementsAre(3, 6));
  EXPECT_THAT(GroupValues<int32_t>(tensor), ElementsAre(1, 2, 1, 1, 2, 1,  //
                                                        7, 8, 0, 0, 0, 0,  //
                                                        7, 8, 0, 0, 0, 0));
}

// An empty list is there, and so is one in rows behind the last with the key.
TEST(GroupsTest, PresenceOfEmptyLists) {
  FeatureConfig padded = VarLen(DType::kFloat).Present();
  padded.pad_to = 1;
  const auto batch = OrThrow(DecodeGroups(
      FeatureSpec().AddMatrix("g", DType::kFloat16, {{"x", padded}}),
      {ExampleBuilder().Floats("x", {}).Build(), "",
       ExampleBuilder().Floats("x", {2}).Build(), ""}));
  EXPECT_THAT(GroupValues<uint16_t>(batch.tensors()[0]),
              ElementsAre(0, 0x3c00, 0, 0, 0x4000, 0x3c00, 0, 0));
}

TEST(GroupsTest, LastValues) {
  FeatureConfig group =
      Jagged(DType::kInt64,
             {{"x", Ragged(DType::kInt64).LastN(2).WeightKey("w")}})
          .Weights();
  group.lengths_dtype = DType::kInt64;
  const auto record = [](std::vector<int64_t> values,
                         std::vector<float> weights) {
    return ExampleBuilder()
        .Int64s("x", std::move(values))
        .Floats("w", std::move(weights))
        .Build();
  };
  const auto batch = OrThrow(DecodeGroups(
      FeatureSpec().Add("g", group),
      {record({1, 2, 3}, {0.1f, 0.2f, 0.3f}), record({4}, {0.4f})}));
  const Tensor& tensor = batch.tensors()[0];
  EXPECT_THAT(GroupValues<int64_t>(tensor), ElementsAre(2, 3, 4));
  EXPECT_THAT(std::span(tensor.weights, 3), ElementsAre(0.2f, 0.3f, 0.4f));
  EXPECT_TRUE(tensor.key_lengths.is_int64);
  EXPECT_THAT(IntsOfSplits(tensor.key_lengths), ElementsAre(2, 1));
  EXPECT_THAT(IntsOfSplits(tensor.key_offsets), ElementsAre(0, 2, 3));
}

std::string FloatBytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(float)};
}

TEST(GroupsTest, EncodedMembers) {
  for (const Encoding encoding : {Encoding::kRaw, Encoding::kZlib}) {
    FeatureConfig embedding = FixedLen(DType::kBytes, {2});
    embedding.as = DType::kFloat;
    embedding.encoding = encoding;
    const FeatureSpec spec = FeatureSpec().AddMatrix(
        "g", DType::kFloat,
        {{"n", FixedLen(DType::kInt64).Default(9)}, {"e", embedding}});
    const auto value = [encoding](const std::vector<float>& floats) {
      const std::string bytes = FloatBytes(floats);
      return ExampleBuilder()
          .Bytes("e", {encoding == Encoding::kZlib ? ZlibStream(bytes) : bytes})
          .Build();
    };
    const auto batch =
        OrThrow(DecodeGroups(spec, {value({1, 2}), value({3, 4})}));
    EXPECT_THAT(GroupValues<float>(batch.tensors()[0]),
                ElementsAre(9, 1, 2, 9, 3, 4));
    EXPECT_THAT(
        DecodeGroups(spec, {value({1, 2}), value({3})}),
        IsError(ErrorCode::kWrongCount,
                {.feature = "e", .record = 1u, .text = "matrix \"g\""}));
    EXPECT_THAT(DecodeGroups(spec, {""}),
                IsError(ErrorCode::kMissingFeature, {.feature = "e"}));
  }
}

TEST(GroupsTest, EncodedMembersInJson) {
  const auto spec = OrThrow(FeatureSpec::FromJson(R"({"features": [
      {"name": "g", "kind": "matrix", "as": "float", "features": [
        {"name": "e", "dtype": "bytes", "shape": [2], "encoding": "raw"}]}]})"));
  EXPECT_EQ(spec.features()[0].config.members[0].config.as, DType::kFloat);
  EXPECT_THAT(Plan::Compile(spec), IsOk());
  EXPECT_EQ(OrThrow(FeatureSpec::FromJson(spec.ToJson())), spec);
}

// 257 needs nine bits, a bfloat16 has eight.
TEST(GroupsTest, ExactHalves) {
  const FeatureSpec spec = FeatureSpec().Add(
      "g", Matrix(DType::kBfloat16, {{"x", FixedLen(DType::kInt64)}}).Exact());
  EXPECT_THAT(GroupValues<uint16_t>(
                  OrThrow(DecodeGroups(spec, {IntRow({256}), IntRow({-258})}))
                      .tensors()[0]),
              ElementsAre(0x4380, 0xc381));
  EXPECT_THAT(
      DecodeGroups(spec, {IntRow({256}), IntRow({257})}),
      IsError(ErrorCode::kWrongKind,
              {.feature = "x",
               .record = 1u,
               .expected = "values that fit bfloat16 exactly",
               .found = "257",
               .text = "matrix \"g\", feature \"x\": expected values that fit "
                       "bfloat16 exactly, found 257"}));
}

// It takes no memory beside that of its slot.
TEST(GroupsTest, SlotIsTheMatrix) {
  const auto plan = OrThrow(Plan::Compile(FeatureSpec().AddMatrix(
      "g", DType::kFloat, {{"x", FixedLen(DType::kFloat, {2, 2})}})));
  const std::string record = ExampleBuilder().Floats("x", {1, 2, 3, 4}).Build();
  const std::string_view view = record;
  const auto batch = OrThrow(Decoder(plan).Decode({&view, 1}));
  EXPECT_THAT(batch.tensors()[0].shape, ElementsAre(1, 4));
  EXPECT_THAT(GroupValues<float>(batch.tensors()[0]), ElementsAre(1, 2, 3, 4));
}

// As many values are cut off as the default adds.
TEST(GroupsTest, DefaultsBesideCutRows) {
  FeatureConfig list = VarLen(DType::kInt64);
  list.column = "x";
  FeatureConfig first = FixedLen(DType::kInt64, {2}).Default({7, 8}).FirstN(1);
  first.column = "x";
  const auto batch =
      OrThrow(DecodeGroups(FeatureSpec()
                               .AddJagged("g", DType::kFloat, {{"m", first}})
                               .Add("l", list),
                           {"", IntRow({3, 4})}));
  EXPECT_THAT(GroupValues<float>(batch.tensors()[0]), ElementsAre(7, 3));
}

// A row of fixed_len values has a weight for each, of defaults, too.
TEST(GroupsTest, WeightsOfFixedLen) {
  const FeatureSpec spec = FeatureSpec().Add(
      "g",
      Jagged(
          DType::kInt64,
          {{"x", FixedLen(DType::kInt64, {2}).Default({7, 8}).WeightKey("w")}})
          .Weights());
  const auto code = [&](const ExampleBuilder& record) {
    return DecodeGroups(spec, {record.Build()}).status().code();
  };
  for (const std::vector<float>& weights :
       {std::vector<float>{}, {1}, {1, 2, 3}}) {
    EXPECT_EQ(code(ExampleBuilder().Int64s("x", {1, 2}).Floats("w", weights)),
              ErrorCode::kWrongCount);
    EXPECT_EQ(code(ExampleBuilder().Floats("w", weights)),
              ErrorCode::kWrongCount);
  }
  EXPECT_EQ(code(ExampleBuilder()), ErrorCode::kWrongCount);
  const auto batch = OrThrow(DecodeGroups(
      spec, {ExampleBuilder().Floats("w", {0.5f, 0.25f}).Build()}));
  EXPECT_THAT(GroupValues<int64_t>(batch.tensors()[0]), ElementsAre(7, 8));
  EXPECT_EQ(batch.tensors()[0].weights[1], 0.25f);
}

TEST(GroupsTest, WordsOfErrors) {
  FeatureConfig padded = VarLen(DType::kInt64);
  padded.pad_to = 1;
  FeatureConfig id = Ragged(DType::kInt64).WeightKey("w");
  id.column = "key";
  const FeatureSpec spec =
      FeatureSpec()
          .AddMatrix("dense", DType::kInt8,
                     {{"a", FixedLen(DType::kInt64).Default(0)}, {"b", padded}})
          .Add("ids", Jagged(DType::kInt32, {{"c", id}}).Weights());
  const auto error = [&](const ExampleBuilder& record) {
    return DecodeGroups(spec, {record.Build()}).status().info()->message;
  };
  EXPECT_EQ(error(ExampleBuilder().Int64s("a", {1, 2})),
            "matrix \"dense\", feature \"a\": expected 1 value, found 2");
  EXPECT_EQ(error(ExampleBuilder().Int64s("b", {1, 2})),
            "matrix \"dense\", feature \"b\": expected at most 1 value, found "
            "2");
  EXPECT_EQ(error(ExampleBuilder().Int64s("a", {128})),
            "matrix \"dense\", feature \"a\": expected values of int8, found "
            "128");
  EXPECT_EQ(error(ExampleBuilder().Int64s("key", {1, 2}).Floats("w", {1})),
            "jagged \"ids\", feature \"c\" of key \"key\", weights \"w\": "
            "expected as many weights as values, 2, found 1");
  EXPECT_EQ(error(ExampleBuilder().Floats("a", {1})),
            "matrix \"dense\", feature \"a\": expected int64, found float");
  EXPECT_EQ(error(ExampleBuilder().Floats("key", {1})),
            "jagged \"ids\", feature \"c\", feature \"key\": expected int64, "
            "found float");
  EXPECT_EQ(error(ExampleBuilder().Int64s("w", {1})),
            "jagged \"ids\", weights of feature \"c\", feature \"w\": "
            "expected float, found int64");
}

TEST(GroupsTest, ContextOfLists) {
  FeatureSpec spec;
  spec.AddMatrix("g", DType::kFloat, {{"x", FixedLen(DType::kInt64)}})
      .AddJagged("j", DType::kInt32, {{"y", Ragged(DType::kInt64)}})
      .AddToExamples("z", VarLen(DType::kInt64));
  const auto field = [](uint8_t number, const std::string& message) {
    return std::string(1, static_cast<char>(number << 3 | 2)) +
           static_cast<char>(message.size()) + message;
  };
  const std::string context =
      ExampleBuilder().Int64s("x", {3}).Int64s("y", {4, 5}).Build();
  const auto batch = OrThrow(
      DecodeGroups(spec, {field(1, ExampleBuilder().Int64s("z", {1}).Build()) +
                          field(2, context)}));
  EXPECT_THAT(GroupValues<float>(*batch.FindTensor("g")), ElementsAre(3));
  EXPECT_THAT(GroupValues<int32_t>(*batch.FindTensor("j")), ElementsAre(4, 5));
}

TEST(GroupsTest, CopiesAndSavedBatches) {
  const FeatureSpec spec =
      FeatureSpec()
          .AddMatrix("m", DType::kFloat, {{"x", FixedLen(DType::kInt64)}})
          .Add("j", Jagged(DType::kInt32,
                           {{"y", Ragged(DType::kInt64).WeightKey("w")},
                            {"z", Ragged(DType::kInt64)}})
                        .Weights());
  const std::string record = ExampleBuilder()
                                 .Int64s("x", {3})
                                 .Int64s("y", {4, 5})
                                 .Int64s("z", {6})
                                 .Floats("w", {0.5f, 0.25f})
                                 .Build();
  Batch copy, loaded;
  {
    const auto batch = OrThrow(DecodeGroups(spec, {record, record}));
    copy = OrThrow(CopyBatch(batch));
    const size_t fields[] = {1, 0};
    loaded = OrThrow(LoadBatch(OrThrow(SaveBatch(batch, fields))));
  }
  for (const Batch& batch : {copy, loaded}) {
    EXPECT_THAT(GroupValues<float>(*batch.FindTensor("m")), ElementsAre(3, 3));
    const Tensor& jagged = *batch.FindTensor("j");
    EXPECT_EQ(jagged.kind, TensorKind::kJagged);
    EXPECT_THAT(jagged.keys, ElementsAre("y", "z"));
    EXPECT_THAT(GroupValues<int32_t>(jagged), ElementsAre(4, 5, 4, 5, 6, 6));
    EXPECT_THAT(IntsOfSplits(jagged.key_lengths), ElementsAre(2, 2, 1, 1));
    EXPECT_THAT(IntsOfSplits(jagged.key_offsets), ElementsAre(0, 2, 4, 5, 6));
    EXPECT_THAT(jagged.key_ends, ElementsAre(4, 6));
    EXPECT_THAT(std::span(jagged.weights, 6),
                ElementsAre(0.5f, 0.25f, 0.5f, 0.25f, 1, 1));
  }
}

// The tensors of a batch are counted before they are made.
TEST(GroupsTest, MemoryIsWithinTheBudget) {
  FeatureConfig wide = VarLen(DType::kInt64);
  wide.pad_to = 1 << 16;
  const FeatureSpec spec =
      FeatureSpec().AddMatrix("g", DType::kFloat64, {{"x", wide}});
  const std::vector<std::string> records(200, IntRow({1}));
  EXPECT_THAT(DecodeGroups(spec, records, 64 << 20),
              IsError(ErrorCode::kLimit));
  const std::vector<std::string> few(10, IntRow({1}));
  EXPECT_THAT(DecodeGroups(spec, few, 64 << 20), IsOk());
}

TEST(GroupsTest, JsonErrorsNameMembers) {
  const auto error = [](const std::string& member) {
    const auto spec = FeatureSpec::FromJson(
        "{\"features\": [{\"name\": \"g\", \"kind\": \"jagged\", \"as\": "
        "\"int32\", \"features\": [" +
        member + "]}]}");
    return spec.ok() ? "" : std::string(spec.status().message());
  };
  EXPECT_EQ(error(R"({"name": "x", "kind": "ragged", "dtype": "int64"})"), "");
  EXPECT_THAT(
      error(
          R"({"name": "x", "kind": "ragged", "dtype": "int64", "frist_n": 1})"),
      HasSubstr("feature \"g\", feature \"x\": unknown field \"frist_n\"; did "
                "you mean \"first_n\"?"));
  EXPECT_THAT(
      error(
          R"({"name": "x", "kind": "ragged", "dtype": "int64", "as": "int32"})"),
      HasSubstr("field \"as\" belongs to"));
  EXPECT_THAT(error("{}"), HasSubstr("feature \"g\", features[0]: field "
                                     "\"name\" is missing"));
  EXPECT_THAT(error("7"), HasSubstr("feature \"g\", features[0] is 7"));
  EXPECT_THAT(
      FeatureSpec::FromJson(
          R"({"features": [{"name": "x", "kind": "ragged", "dtype": "int64",
              "first_n": 1}]})"),
      IsError(ErrorCode::kBadSpec,
              {.text = "field \"first_n\" belongs to fixed_len and ragged in "
                       "jagged, not to ragged"}));
}

}  // namespace
}  // namespace headrace::testing
