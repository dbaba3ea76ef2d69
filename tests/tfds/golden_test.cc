// What is read of folders is what TensorFlow Datasets says of them.

#include <string>
#include <vector>

#include "headrace/tfds.h"
#include "nlohmann/json.hpp"
#include "src/base/json/json_text.h"
#include "tests/support/matchers.h"
#include "tests/tfds/golden_folders.h"

namespace headrace::testing {
namespace {

using nlohmann::json;

class GoldenFolderTest : public ::testing::TestWithParam<const char*> {
 protected:
  GoldenFolderTest() : info_(OrThrow(tfds::OpenFolder(GoldenFolder(name())))) {}

  std::string name() const { return GetParam(); }
  const tfds::Info& info() const { return info_; }
  const std::vector<json> Lines(const std::string& key) const {
    return GoldenLines(name(), key);
  }

 private:
  tfds::Info info_;
};

INSTANTIATE_TEST_SUITE_P(All, GoldenFolderTest,
                         ::testing::ValuesIn(kGoldenFolders),
                         [](const auto& test) { return test.param; });

TEST_P(GoldenFolderTest, Info) {
  const json golden = Lines("info")[0]["info"];
  EXPECT_EQ(info().name, golden["name"]);
  EXPECT_EQ(info().version, golden["version"]);
  EXPECT_EQ(info().config, "");
  EXPECT_TRUE(golden["config"].is_null());
  EXPECT_EQ(info().file_format, golden["file_format"]);
  json splits = json::object();
  for (const tfds::Split& split : info().splits) {
    splits[split.name] = {{"files", split.files},
                          {"num_bytes", split.num_bytes},
                          {"num_examples", split.num_examples},
                          {"shard_lengths", split.shard_lengths}};
  }
  EXPECT_EQ(splits, golden["splits"]);
}

TEST_P(GoldenFolderTest, Labels) {
  const json written = json::parse(ToJson(info()));
  EXPECT_EQ(written["labels"], Lines("info")[0]["info"]["labels"]);
}

TEST_P(GoldenFolderTest, Slices) {
  for (const json& golden : Lines("slice")) {
    const std::string expression = golden["slice"];
    SCOPED_TRACE(expression);
    const auto slices = Select(info(), expression);
    if (golden.contains("error")) {
      EXPECT_THAT(slices, HasCode(ErrorCode::kInvalidArgument));
      continue;
    }
    ASSERT_THAT(slices, IsOk());
    json files = json::array();
    uint64_t records = 0;
    for (const tfds::Slice& slice : *slices) {
      const tfds::Split& split = info().splits[slice.split];
      EXPECT_EQ(slice.records, split.shard_lengths[slice.shard]);
      EXPECT_EQ(slice.path, info().folder + "/" + split.files[slice.shard]);
      files.push_back({split.files[slice.shard], slice.skip, slice.take});
      records += slice.take;
    }
    EXPECT_EQ(files, golden["files"]);
    EXPECT_EQ(records, golden["num_examples"]);
  }
}

json WireFeature(const std::string& kind, DType dtype,
                 const std::vector<int64_t>& shape) {
  return {{"kind", kind}, {"dtype", DTypeName(dtype)}, {"shape", shape}};
}

json WireSequence(DType dtype, const std::vector<int64_t>& shape = {}) {
  return WireFeature("fixed_len_sequence", dtype, shape);
}

json DefaultOf(const FeatureConfig& config) {
  json values = json::array();
  if (const auto* ints =
          std::get_if<std::vector<int64_t>>(&*config.default_values)) {
    for (const int64_t value : *ints) values.push_back(value);
  } else if (const auto* floats =
                 std::get_if<std::vector<float>>(&*config.default_values)) {
    for (const float value : *floats) {
      char text[9];
      std::snprintf(text, sizeof(text), "%08x", std::bit_cast<uint32_t>(value));
      values.push_back(text);
    }
  } else {
    for (const std::string& value :
         *std::get_if<std::vector<std::string>>(&*config.default_values)) {
      std::string text;
      AppendBase64(value, &text);
      values.push_back(text);
    }
  }
  return values;
}

std::vector<int64_t> Known(std::vector<int64_t> shape) {
  std::erase(shape, -1);
  return shape;
}

// The features that TensorFlow parses, as TensorFlow Datasets asks for them.
void AddWireFeatures(const tfds::Leaf& leaf, const NamedFeature& feature,
                     json* spec) {
  const FeatureConfig& config = feature.config;
  const bool is_encoded = config.as && config.dtype == DType::kBytes;
  const std::vector<int64_t> value_shape =
      is_encoded ? std::vector<int64_t>() : leaf.shape;
  std::vector<int64_t> shape = leaf.lengths;
  shape.insert(shape.end(), value_shape.begin(), value_shape.end());
  const bool is_ragged = leaf.lengths.size() >= 2;
  const bool is_known = Known(shape) == shape;
  json& values = (*spec)[feature.key()];
  if (is_ragged) {
    values = WireSequence(config.dtype, value_shape);
  } else if (is_known) {
    values = WireFeature("fixed_len", config.dtype, shape);
  } else {
    values = WireSequence(config.dtype, Known(shape));
  }
  if (config.default_values) values["default"] = DefaultOf(config);
  for (const Partition& partition : config.partitions) {
    (*spec)[partition.key] = WireSequence(DType::kInt64);
  }
  if (!config.item_shape_key) return;
  const auto rank = static_cast<int64_t>(config.item_shape->size());
  (*spec)[*config.item_shape_key] =
      is_known ? WireFeature("fixed_len", DType::kInt64, {rank})
               : WireSequence(DType::kInt64, {rank});
}

TEST_P(GoldenFolderTest, ExampleSpec) {
  const auto columns = Choose(info());
  ASSERT_THAT(columns, IsOk());
  ASSERT_EQ(columns->leaves.size(), columns->spec.features().size());
  const json golden = Lines("info")[0]["info"]["example_spec"];
  if (golden.contains("error")) return;
  json spec = json::object();
  for (size_t i = 0; i < columns->leaves.size(); ++i) {
    AddWireFeatures(columns->leaves[i], columns->spec.features()[i], &spec);
  }
  EXPECT_EQ(spec, golden);
}

}  // namespace
}  // namespace headrace::testing
