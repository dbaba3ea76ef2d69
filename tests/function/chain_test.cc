// Chains: which functions follow which, the ranges of their results, and values
// through several functions.

#include "src/plan/function/chain.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/plan/function/fingerprint.h"
#include "tests/naive/naive_functions.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using function::Bucketize;
using function::Chain;
using function::Clip;
using function::Function;
using function::Hash;
using function::Log1p;
using function::LookUp;
using function::Scale;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

std::shared_ptr<const function::Vocabulary> Words() {
  const std::vector<std::string_view> words = {"a", "b", "c"};
  return *function::Vocabulary::FromKeys(words);
}
std::shared_ptr<const function::Vocabulary> Numbers() {
  const std::vector<int64_t> numbers = {10, 20};
  return *function::Vocabulary::FromKeys(numbers);
}

std::string ErrorOf(DType input, std::vector<Function> functions) {
  const auto chain = Chain::Compile(input, std::move(functions));
  if (chain.ok()) return "no error";
  EXPECT_EQ(chain.status(), ErrorCode::kBadSpec);
  return std::string(chain.status().message());
}

Clip ClipTo(int lo, int hi) { return {int64_t{lo}, int64_t{hi}}; }
Clip ClipTo(float lo, float hi) { return {lo, hi}; }

// The types that the output of a chain fits.
std::vector<std::string> FittingTypes(DType input,
                                      std::vector<Function> functions,
                                      bool exact = false) {
  std::vector<std::string> names;
  const auto chain = Chain::Compile(input, std::move(functions));
  EXPECT_THAT(chain, IsOk());
  for (const auto& [dtype, name] : EnumNames<DType>()) {
    const Status status = chain->CheckFits(dtype, exact);
    if (status.ok()) {
      names.emplace_back(name);
    } else {
      EXPECT_EQ(status, ErrorCode::kBadSpec);
    }
  }
  return names;
}

TEST(Chain, Orders) {
  const Bucketize bucketize = {{1.0f, 2.0f}};
  const LookUp words = {.vocabulary = Words(), .oov_buckets = 1};
  const LookUp numbers = {.vocabulary = Numbers(), .oov_buckets = 1};
  const auto good = [](DType input, std::vector<Function> functions) {
    EXPECT_EQ(ErrorOf(input, std::move(functions)), "no error");
  };
  good(DType::kBytes, {Hash{5}});
  good(DType::kBytes, {words});
  good(DType::kInt64, {numbers});
  good(DType::kInt64, {ClipTo(1, 9), Hash{5}});
  good(DType::kInt64,
       {ClipTo(1, 9), ClipTo(2, 8), Log1p(), Scale(), bucketize});
  good(DType::kFloat, {ClipTo(1.0f, 9.0f), Log1p(), bucketize});
  good(DType::kInt64, {bucketize});

  EXPECT_EQ(ErrorOf(DType::kInt64, {}), "map needs at least one function");
  for (const Function& function : {Function(ClipTo(0, 1)), Function(Log1p()),
                                   Function(Scale()), Function(bucketize)}) {
    EXPECT_THAT(ErrorOf(DType::kBytes, {function}),
                HasSubstr("takes float or int64, not bytes"));
    EXPECT_THAT(ErrorOf(DType::kBytes, {Hash{5}, function}),
                HasSubstr("takes float or int64, not ids"));
    EXPECT_THAT(ErrorOf(DType::kInt64, {bucketize, function}),
                HasSubstr("takes float or int64, not ids"));
  }
  for (const Function& function :
       {Function(Hash{5}), Function(words), Function(numbers)}) {
    EXPECT_THAT(ErrorOf(DType::kFloat, {function}),
                HasSubstr("takes bytes or int64, not float"));
    EXPECT_THAT(ErrorOf(DType::kInt64, {Log1p(), function}),
                HasSubstr("takes bytes or int64, not float"));
    EXPECT_THAT(ErrorOf(DType::kBytes, {words, function}),
                HasSubstr("takes bytes or int64, not ids"));
  }
  EXPECT_EQ(ErrorOf(DType::kInt64, {words}),
            "vocabulary has keys of bytes, but the values are int64");
  EXPECT_EQ(ErrorOf(DType::kBytes, {numbers}),
            "vocabulary has keys of int64, but the values are bytes");
}

TEST(Chain, Parameters) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto is_good = [](DType input, const Function& function) {
    return ErrorOf(input, {function}) == "no error";
  };
  EXPECT_FALSE(is_good(DType::kBytes, Hash{0}));
  EXPECT_FALSE(is_good(DType::kBytes, Hash{uint64_t{1} << 63}));
  EXPECT_TRUE(is_good(DType::kBytes, Hash{(uint64_t{1} << 63) - 1}));

  EXPECT_TRUE(is_good(DType::kFloat, Bucketize{{}}));
  EXPECT_TRUE(is_good(DType::kFloat, Bucketize{{-kInfinity, 0, 0, kInfinity}}));
  EXPECT_FALSE(is_good(DType::kFloat, Bucketize{{0, kNan}}));
  EXPECT_FALSE(is_good(DType::kFloat, Bucketize{{1, 0}}));

  EXPECT_TRUE(is_good(DType::kFloat, ClipTo(-kInfinity, kInfinity)));
  EXPECT_TRUE(is_good(DType::kFloat, ClipTo(1, 1)));
  EXPECT_TRUE(is_good(DType::kFloat, Clip{int64_t{0}, 1.5f}));
  EXPECT_FALSE(is_good(DType::kFloat, ClipTo(1.0f, 0.5f)));
  EXPECT_FALSE(is_good(DType::kFloat, ClipTo(kNan, 1.0f)));
  EXPECT_FALSE(is_good(DType::kFloat, ClipTo(0.0f, kNan)));
  EXPECT_FALSE(is_good(DType::kInt64, ClipTo(1, 0)));
  EXPECT_FALSE(is_good(DType::kInt64, ClipTo(0.0f, 1.0f)));

  EXPECT_TRUE(is_good(DType::kFloat, Scale{-1.0f, -2.0f}));
  for (const float std : {0.0f, -0.0f, kNan, kInfinity}) {
    EXPECT_FALSE(is_good(DType::kFloat, Scale{0.0f, std}));
  }
  EXPECT_FALSE(is_good(DType::kFloat, Scale{kNan, 1.0f}));

  EXPECT_FALSE(is_good(DType::kBytes, LookUp{.oov_buckets = 1}));
  EXPECT_FALSE(is_good(DType::kBytes, LookUp{.vocabulary = Words()}));
  EXPECT_FALSE(is_good(
      DType::kBytes,
      LookUp{.vocabulary = Words(), .oov_buckets = 1, .default_id = 0}));
  EXPECT_FALSE(is_good(
      DType::kBytes,
      LookUp{.vocabulary = Words(), .oov_first = true, .default_id = 0}));
  // The last id is the largest int64.
  LookUp most = {.vocabulary = Words(), .oov_buckets = uint64_t{kMost} - 2};
  EXPECT_TRUE(is_good(DType::kBytes, most));
  ++most.oov_buckets;
  EXPECT_FALSE(is_good(DType::kBytes, most));
}

TEST(Chain, ResultsMustFit) {
  EXPECT_THAT(FittingTypes(DType::kBytes, {Hash{128}}, true),
              ElementsAre("float", "int64", "int32", "int16", "int8", "uint64",
                          "uint32", "uint16", "uint8", "float16", "bfloat16",
                          "float64", "bool"));
  EXPECT_THAT(FittingTypes(DType::kBytes, {Hash{1000000}}),
              ElementsAre("float", "int64", "int32", "uint64", "uint32",
                          "bfloat16", "float64", "bool"));
  EXPECT_THAT(FittingTypes(DType::kBytes, {Hash{1000000}}, true),
              ElementsAre("float", "int64", "int32", "uint64", "uint32",
                          "float64", "bool"));
  EXPECT_THAT(
      FittingTypes(DType::kBytes, {Hash{uint64_t{1} << 25}}, true),
      ElementsAre("int64", "int32", "uint64", "uint32", "float64", "bool"));
  EXPECT_THAT(FittingTypes(DType::kFloat, {Log1p()}),
              ElementsAre("float", "float16", "bfloat16", "float64"));

  const auto fits = [](DType input, const Function& function, DType as) {
    return (*Chain::Compile(input, {function})).CheckFits(as, false).ok();
  };
  EXPECT_TRUE(fits(DType::kBytes, Hash{uint64_t{1} << 31}, DType::kInt32));
  EXPECT_FALSE(
      fits(DType::kBytes, Hash{(uint64_t{1} << 31) + 1}, DType::kInt32));
  EXPECT_TRUE(fits(DType::kInt64, ClipTo(-128, 127), DType::kInt8));
  EXPECT_FALSE(fits(DType::kInt64, ClipTo(-129, 127), DType::kInt8));
  EXPECT_FALSE(fits(DType::kInt64, ClipTo(-50, 50), DType::kUint8));
  const auto words = [](std::optional<int64_t> default_id, uint64_t buckets) {
    return LookUp{.vocabulary = Words(),
                  .oov_buckets = buckets,
                  .default_id = default_id};
  };
  EXPECT_TRUE(fits(DType::kBytes, words({}, 253), DType::kUint8));
  EXPECT_FALSE(fits(DType::kBytes, words({}, 254), DType::kUint8));
  EXPECT_FALSE(fits(DType::kBytes, words(-1, 0), DType::kUint8));
  EXPECT_TRUE(fits(DType::kBytes, words(255, 0), DType::kUint8));
  EXPECT_FALSE(fits(DType::kBytes, words(256, 0), DType::kUint8));
  EXPECT_TRUE(fits(DType::kFloat, Bucketize{std::vector<float>(255, 0.0f)},
                   DType::kUint8));
  EXPECT_FALSE(fits(DType::kFloat, Bucketize{std::vector<float>(256, 0.0f)},
                    DType::kUint8));
  // Of two clips, both count.
  const auto twice =
      Chain::Compile(DType::kInt64, {ClipTo(-5, 300), ClipTo(0, 1000)});
  EXPECT_THAT(twice->CheckFits(DType::kUint16, false), IsOk());
  EXPECT_EQ(twice->CheckFits(DType::kUint8, false).message(),
            "map returns integers from 0 to 300, which uint8 cannot hold");
}

TEST(Chain, DefaultsMustFit) {
  const auto chain = Chain::Compile(DType::kFloat, {Scale{0.0f, 0.5f}});
  const std::vector<float> defaults = {
      1.0f, std::numeric_limits<float>::infinity(), 40000.0f};
  EXPECT_THAT(chain->CheckDefaults(defaults.data(), 2, DType::kFloat16, false),
              IsOk());
  EXPECT_EQ(chain->CheckDefaults(defaults.data(), 3, DType::kFloat16, false)
                .message(),
            "after map, default 3 does not fit float16");
  EXPECT_THAT(chain->CheckDefaults(defaults.data(), 3, DType::kFloat, false),
              IsOk());
  EXPECT_EQ(chain->CheckDefaults(defaults.data(), 3, DType::kInt32, false),
            ErrorCode::kBadSpec);
}

TEST(Chain, BucketsLastOrFirst) {
  const std::vector<std::string_view> keys = {"c", "x", "a", "yy", ""};
  std::vector<int64_t> ids(5);
  LookUp look_up = {.vocabulary = Words(), .oov_buckets = 7};
  const auto bucket = [&](size_t i) {
    return function::HashBucket(keys[i], 7);
  };
  Chain::Compile(DType::kBytes, {look_up})->Apply(keys.data(), 5, ids.data());
  EXPECT_THAT(ids,
              ElementsAre(2, 3 + bucket(1), 0, 3 + bucket(3), 3 + bucket(4)));
  look_up.oov_first = true;
  Chain::Compile(DType::kBytes, {look_up})->Apply(keys.data(), 5, ids.data());
  EXPECT_THAT(ids, ElementsAre(9, bucket(1), 7, bucket(3), bucket(4)));
  look_up = {.vocabulary = Words(), .default_id = -4};
  Chain::Compile(DType::kBytes, {look_up})->Apply(keys.data(), 5, ids.data());
  EXPECT_THAT(ids, ElementsAre(2, -4, 0, -4, -4));

  const std::vector<int64_t> numbers = {20, 30, 10};
  look_up = {.vocabulary = Numbers(), .oov_buckets = 7};
  Chain::Compile(DType::kInt64, {look_up})
      ->Apply(numbers.data(), 3, ids.data());
  EXPECT_EQ(ids[0], 1);
  EXPECT_EQ(ids[1], 2 + static_cast<int64_t>(NaiveFingerprint64("30") % 7));
  EXPECT_EQ(ids[2], 0);
}

// More values than fit a block, and each function once in every place.
TEST(Chain, ManyValuesThroughManyFunctions) {
  constexpr size_t kValues = 1000;
  std::vector<int64_t> values;
  for (size_t i = 0; i < kValues; ++i) {
    values.push_back(static_cast<int64_t>(i) * 7 - 100);
  }
  const std::vector<float> boundaries = {0.0f, 0.5f, 1.0f};
  const auto chain = Chain::Compile(
      DType::kInt64,
      {ClipTo(-50, 5000), ClipTo(-1, 4000), Log1p(), Scale{4.0f, 3.0f},
       ClipTo(-1.0f, 1.0f), Bucketize{boundaries}});
  ASSERT_THAT(chain, IsOk());
  EXPECT_EQ(chain->input(), DType::kInt64);
  EXPECT_EQ(chain->output(), DType::kInt64);
  std::vector<int64_t> ids(kValues);
  chain->Apply(values.data(), kValues, ids.data());
  for (size_t i = 0; i < kValues; ++i) {
    const int64_t clipped = std::clamp<int64_t>(values[i], -1, 4000);
    const float log = NaiveLog1p(static_cast<float>(clipped));
    const float scaled = (log - 4.0f) / 3.0f;
    ASSERT_EQ(ids[i],
              NaiveBucketize(std::clamp(scaled, -1.0f, 1.0f), boundaries))
        << i;
  }

  const auto hashes = Chain::Compile(DType::kInt64, {ClipTo(0, 99), Hash{50}});
  hashes->Apply(values.data(), kValues, ids.data());
  for (size_t i = 0; i < kValues; ++i) {
    const std::string text =
        std::to_string(std::clamp<int64_t>(values[i], 0, 99));
    ASSERT_EQ(static_cast<uint64_t>(ids[i]), NaiveFingerprint64(text) % 50);
  }
}

TEST(Chain, IntegersAreRoundedOnceBeforeFunctionsOfFloats) {
  const std::vector<int64_t> values = {16777217, 16777219, kMost, kLeast, 0};
  std::vector<int64_t> ids(5);
  const Bucketize bucketize = {{16777216.0f, 16777220.0f}};
  Chain::Compile(DType::kInt64, {bucketize})
      ->Apply(values.data(), 5, ids.data());
  EXPECT_THAT(ids, ElementsAre(1, 2, 2, 0, 0));
}

}  // namespace
}  // namespace headrace::testing
