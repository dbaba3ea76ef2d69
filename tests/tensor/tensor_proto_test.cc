// Values of bytes that hold serialized TensorProtos.

#include "src/decode/tensor/tensor_proto.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/reader.h"
#include "tests/naive/batch_tensors.h"
#include "tests/naive/naive_convert.h"
#include "tests/naive/naive_tensor_proto.h"
#include "tests/random/random_tensor_proto.h"
#include "tests/support/example_builder.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/resident.h"
#include "tests/support/temporary_file.h"
#include "tests/support/wire_writer.h"
#include "tests/tensor/one_feature.h"

namespace headrace::testing {
namespace {

using tensor::TensorFault;
using tensor::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Sizes = std::vector<int64_t>;
using Levels = std::vector<Sizes>;

std::string BytesOfFloats(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) {
    bytes += Fixed32(std::bit_cast<uint32_t>(value));
  }
  return bytes;
}

std::string FloatTensor(const Sizes& shape, const std::vector<float>& values) {
  return TensorOfContent(DType::kFloat, shape, BytesOfFloats(values));
}

FeatureConfig Protos(FeatureConfig config, DType as) {
  config.as = as;
  config.encoding = Encoding::kTensorProto;
  return config;
}

FeatureConfig OneProto(Sizes shape, DType as = DType::kFloat) {
  return Protos(FixedLen(DType::kBytes, std::move(shape)), as);
}

FeatureConfig RaggedProtos(Sizes item_shape, Sizes shape = {},
                           DType as = DType::kFloat) {
  FeatureConfig config = Protos(Ragged(DType::kBytes), as);
  config.shape = std::move(shape);
  config.item_shape = std::move(item_shape);
  return config;
}

std::string ProtoRow(std::vector<std::string> values) {
  return ExampleBuilder().Bytes("x", std::move(values)).Build();
}

std::vector<uint32_t> FloatBits(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) {
    bits.push_back(std::bit_cast<uint32_t>(value));
  }
  return bits;
}

TEST(TensorProtosTest, OneValuePerRow) {
  NaiveTensor tensor =
      TensorOfFeature(OneProto({2}), {ProtoRow({FloatTensor({2}, {1, 2})}),
                                      ProtoRow({FloatTensor({2}, {3, 4})})});
  EXPECT_THAT(tensor.shape, ElementsAre(2, 2));
  EXPECT_EQ(tensor.values.floats, FloatBits({1, 2, 3, 4}));

  tensor = TensorOfFeature(RaggedProtos({-1, -1}),
                           {ProtoRow({FloatTensor({1, 3}, {1, 2, 3})}),
                            ProtoRow({FloatTensor({2, 0}, {})}),
                            ProtoRow({FloatTensor({2, 1}, {4, 5})})});
  EXPECT_EQ(tensor.row_splits, (Levels{{0, 1, 3, 5}, {0, 3, 3, 3, 4, 5}}));
  EXPECT_EQ(tensor.values.floats, FloatBits({1, 2, 3, 4, 5}));

  // A dimension without elements says nothing about the other one.
  tensor = TensorOfFeature(RaggedProtos({-1, 0}),
                           {ProtoRow({FloatTensor({3, 0}, {})})});
  EXPECT_EQ(tensor.row_splits, (Levels{{0, 3}}));
  EXPECT_THAT(tensor.shape, ElementsAre(0));
}

TEST(TensorProtosTest, ManyValuesPerRow) {
  NaiveTensor tensor = TensorOfFeature(
      RaggedProtos({-1}, {-1}),
      {ProtoRow({FloatTensor({1}, {1}), FloatTensor({2}, {2, 3})}),
       ProtoRow({}), ProtoRow({FloatTensor({0}, {})})});
  EXPECT_EQ(tensor.row_splits, (Levels{{0, 2, 2, 3}, {0, 1, 3, 3}}));
  EXPECT_EQ(tensor.values.floats, FloatBits({1, 2, 3}));

  tensor =
      TensorOfFeature(RaggedProtos({}, {-1}),
                      {ProtoRow({FloatTensor({}, {1}), FloatTensor({}, {2})})});
  EXPECT_EQ(tensor.row_splits, (Levels{{0, 2}}));
  EXPECT_EQ(tensor.values.floats, FloatBits({1, 2}));
}

TEST(TensorProtosTest, Strings) {
  const std::string content = Hex("02 00 03") + "abcde";
  NaiveTensor tensor =
      TensorOfFeature(OneProto({3}, DType::kBytes),
                      {ProtoRow({TensorOfContent(DType::kBytes, {3}, content)}),
                       ProtoRow({TensorHead(DType::kBytes, {3}) +
                                 LenField(8, "x") + LenField(8, "yz")})});
  EXPECT_THAT(tensor.values.bytes,
              ElementsAre("ab", "", "cde", "x", "yz", "yz"));
  tensor = TensorOfFeature(
      RaggedProtos({-1}, {-1}, DType::kBytes),
      {ProtoRow({TensorHead(DType::kBytes, {2}),
                 TensorHead(DType::kBytes, {1}) + LenField(8, "a")})});
  EXPECT_EQ(tensor.row_splits, (Levels{{0, 2}, {0, 2, 3}}));
  EXPECT_THAT(tensor.values.bytes, ElementsAre("", "", "a"));
}

// The batch outlives the records, so it must have the strings.
TEST(TensorProtosTest, StringsAreTheBatchsOwn) {
  Result<Batch> batch{Batch()};
  {
    std::vector<std::string> records = {ProtoRow(
        {TensorHead(DType::kBytes, {1}) + LenField(8, std::string(100, 'q'))})};
    batch = DecodeFeature(OneProto({1}, DType::kBytes), records);
    records[0].assign(records[0].size(), '!');
  }
  ASSERT_THAT(batch, IsOk());
  EXPECT_EQ(batch->tensors()[0].bytes()[0], std::string(100, 'q'));
}

TEST(TensorProtosTest, OtherFeaturesMayReadTheKey) {
  FeatureConfig again = VarLen(DType::kBytes);
  again.column = "x";
  auto plan =
      Plan::Compile(FeatureSpec().Add("x", OneProto({1})).Add("bytes", again));
  ASSERT_THAT(plan, IsOk());
  const std::string value = FloatTensor({1}, {7});
  const std::string record = ProtoRow({value});
  const std::string_view views[] = {record};
  const auto batch = Decoder(*plan).Decode(views);
  ASSERT_THAT(batch, IsOk());
  EXPECT_EQ(batch->tensors()[0].floats()[0], 7);
  EXPECT_EQ(batch->tensors()[1].bytes()[0], value);
}

TEST(TensorProtosTest, BadRowsAreSkipped) {
  const std::vector<std::string> records = {ProtoRow({FloatTensor({1}, {1})}),
                                            ProtoRow({"no tensor"}),
                                            ProtoRow({FloatTensor({1}, {2})})};
  const auto batch = DecodeFeature(RaggedProtos({-1}, {-1}), records,
                                   {.on_row_error = OnRowError::kSkip});
  ASSERT_THAT(batch, IsOk());
  EXPECT_EQ(TensorsOf(*batch).tensors[0].values.floats, FloatBits({1, 2}));
}

struct BadProto {
  FeatureConfig config;
  std::vector<std::string> values;
  std::string text;
  ErrorCode code = ErrorCode::kWrongCount;
};

void ExpectRefused(const std::vector<BadProto>& cases) {
  for (const BadProto& bad : cases) {
    SCOPED_TRACE(bad.text);
    const std::string record =
        bad.values.empty() ? std::string() : ProtoRow(bad.values);
    EXPECT_THAT(DecodeFeature(bad.config, {record}),
                IsError(bad.code, {.text = bad.text}));
  }
}

TEST(TensorProtosTest, ValuesThatAreNoTensors) {
  constexpr int64_t k62 = int64_t{1} << 62;
  const std::string two = FloatTensor({2}, {1, 2});
  const std::string head = TensorHead(DType::kFloat, {2});
  const auto wide = [&](const Sizes& shape) {
    return TensorHead(DType::kFloat, shape);
  };
  const auto no_tensor = [](const std::string& why) {
    return "feature \"x\": the value is not a tensor: " + why;
  };
  ExpectRefused({
      {OneProto({2}),
       {two.substr(0, two.size() - 1)},
       no_tensor("a field runs past the end of its message")},
      {OneProto({2}), {""}, no_tensor("it has no dtype")},
      {OneProto({2}), {VarintField(1, 0)}, no_tensor("it has no dtype")},
      {OneProto({2}),
       {head + VarintField(1, 34)},
       no_tensor("its dtype is 34, which tensorflow.DataType does not have")},
      {OneProto({2}),
       {head + VarintField(1, ~uint64_t{0})},
       no_tensor("its dtype is -1, which")},
      {OneProto({2}),
       {head + VarintField(1, 101)},
       no_tensor("its dtype is 101, that of a reference")},
      {OneProto({2}), {wide({-5})}, no_tensor("dimension 0 is -5")},
      {OneProto({2}),
       {wide({k62, 2, 0})},
       no_tensor("it has 2^63 elements or more")},
      {OneProto({2}),
       {wide(Sizes(255, 1))},
       no_tensor("it has 255 dimensions, more than 254")},
      {OneProto({2}),
       {head + LenField(4, "1234567")},
       no_tensor("its content has 7 bytes, 2 elements of float were declared")},
      {OneProto({2}),
       {head + LenField(5, "1234567")},
       no_tensor("packed values of which the last is cut")},
      {OneProto({2}),
       {head + LenField(2, LenField(2, LenField(2, "\xFF")))},
       no_tensor("a name that is not UTF-8")},
      {OneProto({2}, DType::kBool),
       {TensorOfContent(DType::kBool, {2}, std::string("\x00\x02", 2))},
       no_tensor("its content has a bool that is neither 0 nor 1")},
      {OneProto({2}, DType::kBytes),
       {TensorOfContent(DType::kBytes, {2}, Hex("01 01 61"))},
       no_tensor("its content is not 2 strings")},
  });
}

TEST(TensorProtosTest, OtherTensors) {
  const std::string two = FloatTensor({2}, {1, 2});
  ExpectRefused({
      {OneProto({2}),
       {TensorHead(DType::kFloat, {2, 1})},
       "feature \"x\": expected a tensor of shape [2], found shape [2, 1]"},
      {OneProto({}), {two}, "expected a tensor of shape [], found shape [2]"},
      {OneProto({2}, DType::kInt32),
       {two},
       "feature \"x\": expected a tensor of int32, found one of float",
       ErrorCode::kWrongKind},
      {OneProto({2}),
       {VarintField(1, 8)},
       "expected a tensor of float, found one of tensorflow.DataType 8",
       ErrorCode::kWrongKind},
      {OneProto({2}), {two, two}, "expected 1 value, found 2"},
      {RaggedProtos({-1}), {two, two}, "expected 1 value, found 2"},
      {RaggedProtos({-1}),
       {},
       "required bytes feature is missing",
       ErrorCode::kMissingFeature},
      {RaggedProtos({2, -1}, {-1}),
       {TensorHead(DType::kFloat, {2, 0}), TensorHead(DType::kFloat, {3, 1})},
       "feature \"x\", value 1: expected a tensor of shape [2, -1], found "
       "shape [3, 1]"},
      // A wrong kind comes before a wrong count.
      {RaggedProtos({-1}, {-1}),
       {"", TensorHead(DType::kFloat64, {1})},
       "feature \"x\", value 1: expected a tensor of float, found one of "
       "float64",
       ErrorCode::kWrongKind},
  });
}

TEST(TensorProtosTest, ErrorsSayWhatWasExpected) {
  const auto batch = DecodeFeature(OneProto({2}), {ProtoRow({"\x08"})});
  ASSERT_FALSE(batch.ok());
  const ErrorInfo& info = *batch.status().info();
  EXPECT_EQ(info.feature, "x");
  EXPECT_EQ(info.expected, "a tensor of float");
  EXPECT_EQ(info.found, "a field runs past the end of its message");
}

// Ten bytes may declare any number of elements.
TEST(TensorProtosTest, BombsTakeNoMemory) {
  constexpr int64_t kElements = int64_t{1} << 40;
  const DecodeOptions options{.limits = {.max_batch_bytes = 16 << 20}};
  const uint64_t before = ResidentBytes();
  for (const DType type : {DType::kInt8, DType::kFloat64, DType::kBytes}) {
    const std::string bomb = TensorHead(type, {kElements});
    EXPECT_THAT(DecodeFeature(RaggedProtos({-1}, {}, type), {ProtoRow({bomb})},
                              options),
                HasCode(ErrorCode::kLimit));
    // A shape that is another one is no matter of memory.
    EXPECT_THAT(DecodeFeature(OneProto({2}, type), {ProtoRow({bomb})}, options),
                HasCode(ErrorCode::kWrongCount));
  }
  // Rows without elements take splits, and several values add up.
  EXPECT_THAT(
      DecodeFeature(RaggedProtos({-1, 0}),
                    {ProtoRow({TensorHead(DType::kFloat, {kElements, 0})})},
                    options),
      HasCode(ErrorCode::kLimit));
  const std::string large = TensorHead(DType::kFloat, {2 << 20});
  EXPECT_THAT(DecodeFeature(RaggedProtos({-1}, {-1}),
                            {ProtoRow({large, large, large})}, options),
              HasCode(ErrorCode::kLimit));
  EXPECT_LT(ResidentGrowth(before), uint64_t{64} << 20);
}

// A row that fits no batch with the rows before it begins the next one.
TEST(TensorProtosTest, BatchesEndBeforeTheLimit) {
  const std::string value = TensorHead(DType::kFloat, {256, 1024});
  const std::vector<std::string> records(64, ProtoRow({value}));
  const Limits limits{.max_batch_bytes = 8 << 20};
  EXPECT_THAT(
      DecodeFeature(RaggedProtos({-1, 1024}), records, {.limits = limits}),
      HasCode(ErrorCode::kLimit));
  const TemporaryFile file(RecordFile(records));
  auto reader = Reader::Open(
      {file.path()},
      *Plan::Compile(FeatureSpec().Add("x", RaggedProtos({-1, 1024}))),
      {.limits = limits});
  ASSERT_THAT(reader, IsOk());
  size_t rows = 0, batches = 0;
  while (const auto batch = reader->Next()) {
    rows += batch->num_rows();
    ++batches;
  }
  EXPECT_THAT(reader->status(), IsOk());
  EXPECT_EQ(rows, records.size());
  EXPECT_GT(batches, 8u);
}

// Any spelling of a tensor, at the end of a page, with memory for its elements
// alone.
TEST(TensorProtosTest, AgreeWithLibprotobuf) {
  Random random(24);
  GuardedBytes guarded(size_t{1} << 16);
  size_t tensors = 0;
  for (size_t i = 0; i < 20'000; ++i) {
    const auto types = EnumNames<DType>();
    const DType type = types[random.Below(types.size())].value;
    Sizes shape(random.Below(3));
    for (int64_t& size : shape) size = static_cast<int64_t>(random.Below(5));
    const std::string value = RandomTensorProto(type, shape, &random);
    TensorProto proto;
    const TensorFault fault =
        proto.Read(guarded.PlaceAtEnd(value), type, shape);
    const NaiveTensorProto expected = NaiveReadTensor(value, type, shape);
    ASSERT_EQ(fault == TensorFault::kNone,
              expected.end == NaiveTensorProto::End::kTensor)
        << ToHex(value);
    ASSERT_EQ(fault == TensorFault::kOtherType,
              expected.end == NaiveTensorProto::End::kOtherType)
        << ToHex(value);
    ASSERT_EQ(fault == TensorFault::kMalformed,
              expected.end == NaiveTensorProto::End::kMalformed)
        << ToHex(value);
    if (fault != TensorFault::kNone || type == DType::kBytes) continue;
    ++tensors;
    const auto count = static_cast<size_t>(proto.elements());
    std::string elements(count * DTypeSize(type), '\xA5');
    proto.Write(count, reinterpret_cast<uint8_t*>(elements.data()));
    ASSERT_EQ(*NaiveElements(elements, type), expected.elements)
        << ToHex(value);
  }
  EXPECT_GT(tensors, 10'000u);
}

TEST(TensorProtosTest, SpecsThatAreRefused) {
  const auto refused = [](const FeatureConfig& config,
                          const std::string& text) {
    EXPECT_THAT(Plan::Compile(FeatureSpec().Add("x", config)),
                IsError(ErrorCode::kBadSpec, {.text = text}));
  };
  FeatureConfig config = OneProto({2});
  config.as.reset();
  refused(config, "is encoded as tensor_proto and needs `as`");
  refused(Protos(VarLen(DType::kBytes), DType::kBytes),
          "which only the bytes of fixed_len and ragged can be (S13)");
  refused(Protos(FixedLen(DType::kInt64), DType::kInt64),
          "which only the bytes of fixed_len and ragged can be (S13)");
  refused(Protos(Ragged(DType::kBytes), DType::kFloat),
          "is encoded as tensor_proto and needs an item shape (S13)");
  config = RaggedProtos({-1, -1});
  config.item_shape_key = "s";
  refused(config, "has an item_shape_key, but a TensorProto has its shape");
  refused(RaggedProtos({}), "is one value per row, which fixed_len reads");
  refused(RaggedProtos({-2}), "has item shape [-2]");
  refused(OneProto({1 << 30}, DType::kFloat64), "is larger than 2^31 bytes");
  refused(OneProto({1}).Default("x"),
          "is read from TensorProtos and cannot have a default (S5)");
  EXPECT_THAT(
      Plan::Compile(FeatureSpec().AddSequence("x", RaggedProtos({-1}, {-1}))),
      IsError(ErrorCode::kBadSpec, {.text = "outside feature lists"}));
}

TEST(TensorProtosTest, JsonAndPlanNameTheEncoding) {
  const FeatureSpec spec =
      FeatureSpec()
          .Add("x", OneProto({2}, DType::kBytes))
          .Add("y", RaggedProtos({-1, 3}, {-1}, DType::kBfloat16));
  const auto read = FeatureSpec::FromJson(spec.ToJson());
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(*read, spec);
  EXPECT_THAT(spec.ToJson(), HasSubstr("\"encoding\": \"tensor_proto\""));
  EXPECT_THAT(Plan::Compile(spec)->ToString(),
              HasSubstr("bytes as bfloat16 of tensor_proto"));
}

}  // namespace
}  // namespace headrace::testing
