// Functions of members of groups: what Plan::Compile refuses of them, and how
// JSON says them.

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

TEST(MemberChainTest, FunctionsThatAreRefused) {
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

TEST(MemberChainTest, VocabulariesThatAreRefused) {
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

TEST(MemberChainTest, NotOfOtherFeatures) {
  FeatureConfig alone = VarLen(DType::kBytes);
  alone.Map(HashBucket{9});
  EXPECT_THAT(Plan::Compile(FeatureSpec().Add("x", alone)),
              HasCode(ErrorCode::kBadSpec));
}

TEST(MemberChainTest, IdsOfWords) {
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

TEST(MemberChainTest, JsonSaysTheSame) {
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

TEST(MemberChainTest, JsonThatIsRefused) {
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
