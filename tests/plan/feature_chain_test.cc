// Functions of features and of members of groups: what Plan::Compile refuses of
// them, and how JSON says them.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

FeatureSpec Mapped(DType dtype, std::vector<ValueFunction> map, DType as) {
  FeatureConfig member = Ragged(dtype);
  member.map = std::move(map);
  return FeatureSpec().AddJagged("g", as, {{"x", std::move(member)}});
}

void ExpectBadMap(const FeatureSpec& spec, std::string_view text) {
  EXPECT_THAT(Plan::Compile(spec),
              IsError(ErrorCode::kBadSpec,
                      {.feature = "x", .text = std::string(text)}));
}

Vocabulary Words(std::vector<std::string> keys) {
  return {.keys = std::move(keys), .default_id = -1};
}

std::vector<int64_t> IdsOf(const FeatureSpec& spec,
                           const std::vector<std::string>& records) {
  const Plan plan = OrThrow(Plan::Compile(spec));
  Decoder decoder(plan);
  const std::vector<std::string_view> views(records.begin(), records.end());
  const Batch batch = OrThrow(decoder.Decode(views));
  const auto ids = batch.tensors()[0].int64s();
  return {ids.begin(), ids.end()};
}

TEST(FeatureChainTest, FunctionsThatAreRefused) {
  const auto bad = [](DType dtype, std::vector<ValueFunction> map,
                      std::string_view text, DType as = DType::kInt64) {
    ExpectBadMap(Mapped(dtype, std::move(map), as), text);
  };
  bad(DType::kBytes, {HashBucket{0}}, "needs 1 to 2^63 - 1 buckets, not 0");
  bad(DType::kBytes, {HashBucket{-3}}, "not -3");
  bad(DType::kFloat, {HashBucket{9}}, "takes bytes or int64, not float");
  bad(DType::kBytes, {Log1p{}}, "takes float or int64, not bytes");
  bad(DType::kBytes, {HashBucket{9}, Log1p{}}, "not ids");
  bad(DType::kFloat, {Scale{0, 0}}, "scale");
  bad(DType::kFloat, {Bucketize{{2, 1}}}, "ascend");
  bad(DType::kInt64, {Clip{int64_t{3}, int64_t{2}}}, "ascend");
  bad(DType::kInt64, {Clip{0.5f, 1.5f}}, "integers");
  // What the group's type cannot hold.
  bad(DType::kBytes, {HashBucket{(int64_t{1} << 31) + 1}}, "", DType::kInt32);
  bad(DType::kFloat, {Log1p{}}, "", DType::kInt64);
  EXPECT_THAT(
      Plan::Compile(
          Mapped(DType::kBytes, {HashBucket{int64_t{1} << 31}}, DType::kInt32)),
      IsOk());
}

TEST(FeatureChainTest, VocabulariesThatAreRefused) {
  const auto bad = [](DType dtype, Vocabulary vocabulary, std::string_view text,
                      DType as = DType::kInt64) {
    ExpectBadMap(Mapped(dtype, {std::move(vocabulary)}, as), text);
  };
  bad(DType::kBytes, {.default_id = 0}, "either a file or keys");
  Vocabulary both = Words({"a"});
  both.file = "x";
  bad(DType::kBytes, both, "either a file or keys");
  bad(DType::kBytes, {.keys = std::vector<std::string>{"a"}}, "oov_buckets");
  Vocabulary cut = Words({"a"});
  cut.size = 1;
  bad(DType::kBytes, cut, "only a file can be cut");
  bad(DType::kFloat, {.file = "x", .default_id = 0}, "not float");
  bad(DType::kInt64, Words({"a"}), "has keys of bytes");
  bad(DType::kBytes, Words({"a", "a"}), "");
  bad(DType::kBytes, {.keys = std::vector<float>{1}, .default_id = 0},
      "neither bytes nor int64");
  Vocabulary negative = {.keys = std::vector<std::string>{"a"},
                         .oov_buckets = -1};
  bad(DType::kBytes, negative, "-1 oov_buckets");
  bad(DType::kBytes, Words({"a"}), "", DType::kUint8);  // the default is -1
  const TemporaryFile twice("cat\ndog\ncat\n");
  ExpectBadMap(
      Mapped(DType::kBytes, {Vocabulary{.file = twice.path(), .default_id = 0}},
             DType::kInt64),
      "cannot be mapped");
  EXPECT_THAT(Plan::Compile(Mapped(
                  DType::kBytes,
                  {Vocabulary{.file = "/no/such/words", .default_id = 0}},
                  DType::kInt64)),
              IsError(ErrorCode::kNotFound, {.file = "/no/such/words"}));
}

// ------------------------------------------------- features outside of groups

FeatureConfig As(FeatureConfig config, DType as) {
  config.as = as;
  return config;
}

DType TypeOf(const FeatureConfig& config) {
  const Plan plan = OrThrow(Plan::Compile(FeatureSpec().Add("x", config)));
  return plan.tensors()[0].feature.tensor_dtype();
}

TEST(FeatureChainTest, TypesOfTensors) {
  const auto mapped = [](DType dtype, std::vector<ValueFunction> map) {
    FeatureConfig config = VarLen(dtype);
    config.map = std::move(map);
    return config;
  };
  EXPECT_EQ(TypeOf(mapped(DType::kBytes, {HashBucket{9}})), DType::kInt64);
  EXPECT_EQ(TypeOf(mapped(DType::kBytes, {Words({"a"})})), DType::kInt64);
  EXPECT_EQ(TypeOf(mapped(DType::kFloat, {Bucketize{{1}}})), DType::kInt64);
  EXPECT_EQ(TypeOf(mapped(DType::kInt64, {Clip{int64_t{0}, int64_t{9}}})),
            DType::kInt64);
  EXPECT_EQ(TypeOf(mapped(DType::kFloat, {Clip{0.0f, 9.0f}})), DType::kFloat);
  EXPECT_EQ(TypeOf(mapped(DType::kInt64, {Log1p{}})), DType::kFloat);
  EXPECT_EQ(TypeOf(mapped(DType::kInt64, {Scale{}, Bucketize{{1}}})),
            DType::kInt64);
  for (const DType as : {DType::kInt8, DType::kBool, DType::kBfloat16}) {
    EXPECT_EQ(TypeOf(As(mapped(DType::kBytes, {HashBucket{9}}), as)), as);
  }
}

TEST(FeatureChainTest, FeaturesThatAreRefused) {
  const auto bad = [](const FeatureConfig& config, std::string_view text) {
    ExpectBadMap(FeatureSpec().Add("x", config), text);
  };
  FeatureConfig ids = VarLen(DType::kBytes);
  ids.Map(HashBucket{300});
  bad(As(ids, DType::kUint8), "from 0 to 299, which uint8 cannot hold");
  bad(As(ids, DType::kBytes), "cannot become bytes");
  FeatureConfig rounded = VarLen(DType::kInt64);
  rounded.Map(Log1p{});
  bad(As(rounded, DType::kInt32), "cannot become int32");
  FeatureConfig wide = VarLen(DType::kInt64);
  wide.Map(Clip{int64_t{-1}, int64_t{9}});
  bad(As(wide, DType::kUint64), "uint64 cannot hold");
  FeatureConfig lonely = FixedLen(DType::kInt64).Default(1);
  lonely.Map(Scale{0, 1e-30f});
  bad(As(lonely, DType::kFloat16), "default 1 does not fit float16");
  // Those that hold arrays, or whose bits are kept.
  FeatureConfig tensors = FixedLen(DType::kBytes);
  tensors.Map(HashBucket{9}).encoding = Encoding::kTensorProto;
  bad(As(tensors, DType::kInt64), "both an encoding and functions");
  tensors.encoding = Encoding::kZlib;
  bad(As(tensors, DType::kInt64), "both an encoding and functions");
  FeatureConfig bits = VarLen(DType::kInt64);
  bits.Map(Clip{int64_t{0}, int64_t{9}}).as_bits = true;
  bad(As(bits, DType::kUint64), "both as_bits and functions");
  FeatureConfig arrays = Ragged(DType::kBytes);
  arrays.Map(HashBucket{9}).item_shape = {2};
  bad(As(arrays, DType::kInt32), "item shape");
}

// The default goes through the functions, other padding does not.
TEST(FeatureChainTest, DefaultsAndPadding) {
  const std::string record = ExampleBuilder().Int64s("x", {5}).Build();
  const std::vector<std::string> records = {
      ExampleBuilder().Build(), record,
      ExampleBuilder().Int64s("x", {7, 9}).Build()};
  const auto ids_of = [](FeatureConfig config,
                         const std::vector<std::string>& of) {
    config.Map(Bucketize{{-1, 0, 6}});
    return IdsOf(FeatureSpec().Add("x", config), of);
  };
  EXPECT_THAT(ids_of(FixedLen(DType::kInt64).Default(-1), {records[0], record}),
              ElementsAre(1, 2));
  FeatureConfig padded = VarLen(DType::kInt64);
  padded.pad_to = 2;
  EXPECT_THAT(ids_of(padded, records), ElementsAre(0, 0, 2, 0, 3, 3));
  const FeatureConfig steps = FixedLenSequence(DType::kInt64, {}, true);
  EXPECT_THAT(ids_of(steps, records), ElementsAre(0, 0, 2, 0, 3, 3));
  FeatureConfig filled = steps;
  EXPECT_THAT(ids_of(filled.Default(-1), records),
              ElementsAre(1, 1, 2, 1, 3, 3));
}

TEST(FeatureChainTest, PlansNameTheFunctions) {
  const FeatureSpec spec =
      FeatureSpec()
          .Add("x", FixedLen(DType::kInt64).Map(Log1p{}).Map(Scale{}))
          .AddSequence("x", VarLen(DType::kBytes).Map(HashBucket{9}));
  EXPECT_EQ(OrThrow(Plan::Compile(spec)).ToString(),
            "tensors of tf.train.SequenceExample: 2, of 2 keys\n"
            "  \"x\": fixed_len int64 as float [], required, from key \"x\" in "
            "place, log1p, scale by mean 0.0, std 1.0\n"
            "  ##SEQUENCE##.\"x\": var_len bytes as int64, from key \"x\", "
            "hash_bucket 9\n");
}

// ----------------------------------------------------------------- of members

TEST(FeatureChainTest, IdsOfWords) {
  const TemporaryFile file("cat\r\ndog");
  const std::vector<std::string> records = {
      ExampleBuilder().Bytes("x", {"dog", "cow", "cat"}).Build(),
      ExampleBuilder().Build(), ExampleBuilder().Bytes("x", {"cat"}).Build()};
  Vocabulary words = {.file = file.path(), .default_id = 7};
  EXPECT_THAT(IdsOf(Mapped(DType::kBytes, {words}, DType::kInt64), records),
              ElementsAre(1, 7, 0, 0));
  words.default_id.reset();
  words.oov_buckets = 1;
  EXPECT_THAT(IdsOf(Mapped(DType::kBytes, {words}, DType::kInt64), records),
              ElementsAre(1, 2, 0, 0));
  words.oov_first = true;
  EXPECT_THAT(IdsOf(Mapped(DType::kBytes, {words}, DType::kInt64), records),
              ElementsAre(2, 0, 1, 1));
}

TEST(FeatureChainTest, JsonSaysTheSame) {
  const FeatureSpec spec =
      FeatureSpec()
          .AddJagged(
              "g", DType::kInt64,
              {{"a", Ragged(DType::kBytes).Map(HashBucket{97})},
               {"b", Ragged(DType::kBytes)
                         .Map(Vocabulary{.keys = std::vector<std::string>{"a"},
                                         .oov_buckets = 2,
                                         .oov_first = true})},
               {"c", Ragged(DType::kInt64)
                         .Map(Vocabulary{.keys = std::vector<int64_t>{-1, 5},
                                         .default_id = -9})},
               {"d",
                Ragged(DType::kBytes)
                    .Map(Vocabulary{.file = "w", .oov_buckets = 1, .size = 3})},
               {"e", Ragged(DType::kFloat).Map(Bucketize{{-0.5f, 2}})},
               {"f", Ragged(DType::kInt64)
                         .Map(Clip{std::numeric_limits<int64_t>::min(),
                                   int64_t{9}})}})
          .AddMatrix("m", DType::kFloat,
                     {{"x", FixedLen(DType::kFloat)
                                .Map(Clip{0.5f, 100.0f})
                                .Map(Log1p{})
                                .Map(Scale{3.5f, 2})}});
  const auto read = FeatureSpec::FromJson(spec.ToJson());
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(*read, spec) << spec.ToJson();
}

TEST(FeatureChainTest, JsonThatIsRefused) {
  const auto bad = [](std::string_view map, std::string_view text) {
    const auto spec = FeatureSpec::FromJson(
        R"({"features": [{"name": "g", "kind": "jagged", "as": "int64", )"
        R"("features": [{"name": "x", "kind": "ragged", "dtype": "int64", )"
        R"("map": [)" +
        std::string(map) + "]}]}]}");
    EXPECT_THAT(spec, IsError(ErrorCode::kBadSpec,
                              {.feature = "x", .text = std::string(text)}))
        << map;
  };
  bad("3", "functions like");
  bad("{}", "functions like");
  bad(R"({"hash_buckets": 3})", "did you mean \"hash_bucket\"");
  bad(R"({"hash_bucket": 3, "log1p": true})", "one function per object");
  bad(R"({"hash_bucket": 1.5})", "whole numbers");
  bad(R"({"bucketize": 3})", "list of boundaries");
  bad(R"({"clip": [1]})", "two bounds");
  bad(R"({"log1p": false})", "takes true");
  bad(R"({"scale": {"mean": 1}})", "\"mean\" and \"std\"");
  bad(R"({"vocabulary": "w", "oov": "middle"})", "\"first\" or \"last\"");
  bad(R"({"vocabulary": "w", "oov_bucket": 3})",
      "did you mean \"oov_buckets\"");
  bad(R"({"keys": "a", "default": 0})", "list of keys");
}

}  // namespace
}  // namespace headrace::testing
