// Texts that nobody writes by hand end in an error, soon and without a crash.

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "headrace/feature_spec.h"
#include "tests/schema/clean_message.h"
#include "tests/schema/schema_texts.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

constexpr char kSample[] = R"({"message": "sequence_example",
 "features": [
  {"name": "é", "kind": "fixed_len", "dtype": "float", "shape": [2],
   "default": [-1.5e3, "NaN"], "as": "float16"},
  {"name": "b", "kind": "fixed_len", "dtype": "bytes", "shape": [2],
   "default": ["\u00e9\n", {"b64": "/w=="}], "column": "wire"},
  {"name": "r", "kind": "ragged", "dtype": "int64", "value_key": "v",
   "partitions": [{"row_lengths": "k"}, {"uniform_row_length": 3}]}],
 "sequence_features": [
  {"name": "s", "kind": "sparse", "dtype": "int64", "index_keys": ["i"],
   "value_key": "v", "size": [10], "already_sorted": true}]})";

void ExpectRefused(std::string_view text) {
  const auto spec = FeatureSpec::FromJson(text);
  ASSERT_FALSE(spec.ok()) << text.substr(0, 200);
  ExpectCleanMessage(spec.status());
}

TEST(HostileJsonTest, TruncatedAtEveryByte) {
  const std::string_view sample = kSample;
  ASSERT_THAT(FeatureSpec::FromJson(sample), IsOk());
  for (size_t size = 0; size < sample.size(); ++size) {
    // In memory of its own, so that reading on is found.
    ExpectRefused(std::string(sample.substr(0, size)));
  }
}

TEST(HostileJsonTest, EveryByteReplaced) {
  for (const char c : {'\0', '"', '{', '}', '[', ']', ',', '\\', '\xFF', '9'}) {
    for (size_t i = 0; i + 1 < sizeof(kSample); ++i) {
      std::string text = kSample;
      text[i] = c;
      const auto spec = FeatureSpec::FromJson(text);
      if (!spec.ok()) ExpectCleanMessage(spec.status());
    }
  }
}

TEST(HostileJsonTest, RandomDamage) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::string text = kSample;
    for (size_t damage = 1 + random() % 4; damage > 0; --damage) {
      const size_t at = random() % text.size();
      const size_t from = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 8);
          break;
        default:
          text.insert(at, std::string(text, from, random() % 8));
      }
      if (text.empty()) text = " ";
    }
    const auto spec = FeatureSpec::FromJson(text);
    if (!spec.ok()) ExpectCleanMessage(spec.status());
  }
}

TEST(HostileJsonTest, Nul) {
  EXPECT_THAT(
      FeatureSpec::FromJson(std::string("{\"features\": []}\0", 17)),
      IsError(ErrorCode::kBadSpec, {.text = "line 1, column 17: a NUL"}));
  ExpectRefused(std::string("\0", 1));
  ExpectRefused(std::string("{\"features\": []}\0x", 18));
  ExpectRefused(
      std::string("{\"features\": [{\"name\": \"a\0b\", \"kind\": \"var_len\", "
                  "\"dtype\": \"int64\"}]}",
                  65));
}

TEST(HostileJsonTest, Nesting) {
  for (const char* piece : {"[", "{\"a\":", "[{\"a\":"}) {
    const std::string open = Repeat(piece, 100000);
    ExpectRefused(open);
    ExpectRefused("{\"features\": " + open);
    EXPECT_THAT(FeatureSpec::FromJson(open),
                IsError(ErrorCode::kBadSpec,
                        {.text = "more than 64 lists and objects"}));
  }
  const auto nested = [](size_t depth) {
    return Repeat("[", depth) + Repeat("]", depth);
  };
  EXPECT_THAT(FeatureSpec::FromJson(nested(64)),
              IsError(ErrorCode::kBadSpec, {.text = "a spec is an object"}));
  EXPECT_THAT(FeatureSpec::FromJson(nested(65)),
              IsError(ErrorCode::kBadSpec,
                      {.text = "line 1, column 65: more than 64"}));
  ExpectRefused(nested(100000));
}

TEST(HostileJsonTest, LargeTokens) {
  constexpr size_t kSize = (10 << 20) / kCaseStride;
  const std::string letters(kSize, 'a'), digits(kSize, '9');
  ExpectRefused(letters);
  ExpectRefused(digits);
  ExpectRefused("-" + digits);
  ExpectRefused("\"" + letters);
  ExpectRefused("\"" + letters + "\"");
  ExpectRefused("{\"" + letters + "\": 1}");
  ExpectRefused("{\"message\": \"" + letters + "\"}");
  ExpectRefused("{\"message\": 0." + digits + "}");
  ExpectRefused("{\"features\": [{\"" + letters + "\": 1}]}");
  ExpectRefused("{\"features\": [{\"name\": \"" + letters + "\"}]}");
  ExpectRefused(
      "{\"features\": [{\"name\": \"a\", \"kind\": \"fixed_len\", "
      "\"shape\": [], \"dtype\": \"bytes\", \"default\": {\"b64\": \"" +
      letters + "a\"}}]}");
  ExpectRefused(std::string(kSize, '\n'));
  ExpectRefused(std::string(kSize, '\xFF'));
}

TEST(HostileJsonTest, ManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += "\"" + std::to_string(i) + "\": 0, ";
  EXPECT_THAT(
      FeatureSpec::FromJson(text + "\"0\": 0}"),
      IsError(ErrorCode::kBadSpec, {.text = "the key \"0\" occurs twice"}));
  ExpectRefused(text + "\"x\": 0}");
}

}  // namespace
}  // namespace headrace::testing
