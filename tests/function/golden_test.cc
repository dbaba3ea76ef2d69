// functions.jsonl.gz, TensorFlow's answers, on every target.

#include "tests/golden/golden.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/base/cast.h"
#include "src/plan/function/chain.h"
#include "src/plan/function/fingerprint.h"
#include "tests/golden/vectors.h"
#include "tests/support/each_target.h"
#include "tests/support/hex.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using function::Chain;
using nlohmann::json;

std::string BytesOf(const json& hex) {
  const auto bytes = ParseHex(hex.get<std::string>());
  if (!bytes) throw std::runtime_error("no hex digits: " + hex.dump());
  return *bytes;
}

std::vector<float> FloatsOf(const json& hex) {
  const std::string bytes = BytesOf(hex);
  std::vector<float> floats(bytes.size() / sizeof(float));
  if (floats.empty()) return floats;
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

// The values of a case in the type that records have.
struct Input {
  explicit Input(const json& golden, const char* type = "float")
      : dtype(ParseDType(golden.value("dtype", type)).value()) {
    const json& in = golden.at("in");
    if (dtype == DType::kInt64) {
      ints = in.get<std::vector<int64_t>>();
    } else if (dtype == DType::kFloat) {
      floats = FloatsOf(in);
    } else if (in.is_string()) {
      words.push_back(BytesOf(in));
    } else {
      for (const json& word : in) words.push_back(BytesOf(word));
    }
    views.assign(words.begin(), words.end());
  }
  const void* values() const {
    if (dtype == DType::kInt64) return ints.data();
    if (dtype == DType::kFloat) return floats.data();
    return views.data();
  }
  size_t size() const { return ints.size() + floats.size() + views.size(); }

  DType dtype;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string> words;
  std::vector<std::string_view> views;
};

template <class T>
std::vector<T> Applied(const Chain& chain, const Input& input) {
  std::vector<T> out(input.size());
  chain.Apply(input.values(), input.size(), out.data());
  return out;
}

bool IsSubnormal(float value) { return std::fpclassify(value) == FP_SUBNORMAL; }

void CheckHash(const json& golden) {
  const Input input(golden, "bytes");
  const auto check = [&](uint64_t buckets, std::vector<int64_t> wanted) {
    auto chain = Chain::Compile(input.dtype, {function::Hash{buckets}});
    ASSERT_TRUE(chain.ok());
    EXPECT_EQ(Applied<int64_t>(*chain, input), wanted);
  };
  if (input.dtype == DType::kInt64) {
    return check(golden.at("buckets").get<uint64_t>(),
                 golden.at("out").get<std::vector<int64_t>>());
  }
  EXPECT_EQ(
      function::Fingerprint64(input.views.at(0)),
      std::stoull(golden.at("fingerprint").get<std::string>(), nullptr, 16));
  for (const auto& [buckets, bucket] : golden.at("out").items()) {
    check(std::stoull(buckets), {bucket.get<int64_t>()});
  }
}

void CheckBucketize(const json& golden) {
  const Input input(golden);
  const std::vector<float> boundaries = FloatsOf(golden.at("boundaries"));
  auto chain = Chain::Compile(input.dtype, {function::Bucketize{boundaries}});
  if (golden.contains("error")) {
    EXPECT_EQ(chain.status(), ErrorCode::kBadSpec);
    return;
  }
  ASSERT_TRUE(chain.ok());
  const std::vector<int64_t> found = Applied<int64_t>(*chain, input);
  const auto wanted = golden.at("out").get<std::vector<int64_t>>();
  ASSERT_EQ(found.size(), wanted.size());
  // TensorFlow may take subnormal numbers for 0.
  const bool any_subnormal =
      std::any_of(boundaries.begin(), boundaries.end(), IsSubnormal);
  for (size_t i = 0; i < found.size(); ++i) {
    const float value = input.dtype == DType::kFloat ? input.floats[i] : 1.0f;
    if (!std::isnan(value) && (any_subnormal || IsSubnormal(value))) continue;
    EXPECT_EQ(found[i], wanted[i]) << i;
  }
}

void CheckVocabulary(const json& golden) {
  const Input input(golden);
  const TemporaryFile file(BytesOf(golden.at("file")));
  std::optional<uint64_t> size;
  if (golden.contains("size")) size = golden.at("size").get<uint64_t>();
  auto vocabulary =
      function::Vocabulary::FromFile(file.path(), input.dtype, size);
  // TensorFlow takes the bytes for words.
  if (golden.contains("error") ||
      golden.value("note", "") == "gzip is not undone") {
    EXPECT_EQ(vocabulary.status(), ErrorCode::kBadSpec);
    return;
  }
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.status().ToString();
  function::LookUp look_up = {.vocabulary = *vocabulary};
  look_up.oov_buckets = golden.at("oov_buckets").get<uint64_t>();
  if (!golden.at("default").is_null()) {
    look_up.default_id = golden.at("default").get<int64_t>();
  }
  auto chain = Chain::Compile(input.dtype, {look_up});
  ASSERT_TRUE(chain.ok()) << chain.status().ToString();
  EXPECT_EQ(Applied<int64_t>(*chain, input),
            golden.at("out").get<std::vector<int64_t>>());
}

// Any NaN stands for NaN, unless all bits count.
void CheckFloats(const json& golden, function::Function function,
                 bool all_bits) {
  const Input input(golden);
  auto chain = Chain::Compile(input.dtype, {std::move(function)});
  ASSERT_TRUE(chain.ok()) << chain.status().ToString();
  const std::vector<float> found = Applied<float>(*chain, input);
  const std::vector<float> wanted = FloatsOf(golden.at("out"));
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (!all_bits && std::isnan(wanted[i]) && std::isnan(found[i])) continue;
    EXPECT_EQ(std::memcmp(&found[i], &wanted[i], sizeof(float)), 0)
        << input.floats[i] << " becomes " << found[i];
  }
}

void CheckClip(const json& golden) {
  if (golden.value("dtype", "float") == "int64") {
    const Input input(golden);
    auto chain = Chain::Compile(
        DType::kInt64, {function::Clip{golden.at("min").get<int64_t>(),
                                       golden.at("max").get<int64_t>()}});
    ASSERT_TRUE(chain.ok());
    EXPECT_EQ(Applied<int64_t>(*chain, input),
              golden.at("out").get<std::vector<int64_t>>());
    return;
  }
  CheckFloats(golden,
              function::Clip{FloatsOf(golden.at("min")).at(0),
                             FloatsOf(golden.at("max")).at(0)},
              true);
}

uint64_t BitsAt(const std::vector<uint8_t>& bytes, size_t i, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * size, size);
  return bits;
}

void CheckCast(const json& golden) {
  json values = golden;
  values["dtype"] = golden.at("from");
  const Input input(values);
  const DType to = ParseDType(golden.at("to").get<std::string>()).value();
  const size_t size = DTypeSize(to);
  std::vector<uint8_t> out(input.size() * size);
  Cast(input.dtype, to, input.values(), input.size(), out.data());
  const auto own_nans = golden.value("nan", std::vector<size_t>{});
  ASSERT_EQ(golden.at("out").size(), input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    const auto* const value = static_cast<const uint8_t*>(input.values()) +
                              i * DTypeSize(input.dtype);
    const json& wanted = golden.at("out")[i];
    EXPECT_EQ(FindUncastable(input.dtype, to, false, value, 1),
              wanted.is_null() ? 0u : 1u)
        << i;
    if (wanted.is_null() ||
        std::find(own_nans.begin(), own_nans.end(), i) != own_nans.end()) {
      continue;
    }
    EXPECT_EQ(BitsAt(out, i, size), wanted.get<uint64_t>()) << i;
  }
}

void CheckCase(const json& golden) {
  const std::string name = golden.at("f").get<std::string>();
  if (name == "hash_bucket") return CheckHash(golden);
  if (name == "bucketize") return CheckBucketize(golden);
  if (name == "vocabulary") return CheckVocabulary(golden);
  if (name == "clip") return CheckClip(golden);
  if (name == "cast") return CheckCast(golden);
  if (name == "log1p") return CheckFloats(golden, function::Log1p(), false);
  if (name != "scale") throw std::runtime_error("no function: " + name);
  CheckFloats(golden,
              function::Scale{FloatsOf(golden.at("mean")).at(0),
                              FloatsOf(golden.at("std")).at(0)},
              false);
}

TEST(Functions, AgreeWithTensorFlow) {
  const auto lines = ReadGoldenLines(VectorPath("functions.jsonl.gz"));
  ASSERT_TRUE(lines) << "no file " << VectorPath("functions.jsonl.gz");
  EXPECT_GT(lines->size(), 1000u);
  std::map<std::string, int> counts;
  bool is_first = true;
  ForEachTarget([&] {
    for (size_t i = 0; i < lines->size(); ++i) {
      const json golden = json::parse((*lines)[i]);
      const std::string name = golden.at("f").get<std::string>();
      if (is_first) ++counts[name];
      // These do not depend on the target.
      if (!is_first && (name == "hash_bucket" || name == "vocabulary")) {
        continue;
      }
      SCOPED_TRACE("line " + std::to_string(i + 1));
      ASSERT_NO_THROW(CheckCase(golden));
    }
    is_first = false;
  });
  EXPECT_EQ(counts.size(), 7u);
}

}  // namespace
}  // namespace headrace::testing
