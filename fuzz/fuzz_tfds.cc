// An input is dataset_info.json, features.json, an expression of splits and a
// pattern of paths, with a byte between them that no JSON has.

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/fuzzing.h"
#include "fuzz/spec_check.h"
#include "fuzz/text_input.h"
#include "headrace/plan.h"
#include "headrace/tfds.h"
#include "nlohmann/json.hpp"

namespace headrace::fuzzing {
namespace {

constexpr char kBetween = '\x1e';

// Takes the part before the next kBetween.
std::string_view TakePart(std::string_view* input) {
  const size_t end = input->find(kBetween);
  const std::string_view part = input->substr(0, end);
  input->remove_prefix(end == std::string_view::npos ? input->size() : end + 1);
  return part;
}

void RequireCode(const Status& status, ErrorCode code) {
  Require(status.code() == code, status.ToString());
  Require(!status.message().empty(), "an error without a message");
}

void CheckSplit(const tfds::Split& split) {
  Require(split.files.size() == split.shard_lengths.size(), split.name);
  uint64_t records = 0;
  for (size_t i = 0; i < split.files.size(); ++i) {
    records += split.shard_lengths[i];
    Require(i == 0 || split.files[i - 1] < split.files[i], split.files[i]);
  }
  Require(records == split.num_examples, split.name);
}

void CheckExpression(const tfds::Info& info, std::string_view expression) {
  const auto slices = Select(info, expression);
  if (!slices.ok()) {
    return RequireCode(slices.status(), ErrorCode::kInvalidArgument);
  }
  for (const tfds::Slice& slice : *slices) {
    const tfds::Split& split = info.splits.at(slice.split);
    Require(slice.records == split.shard_lengths.at(slice.shard), "records");
    Require(slice.take > 0 && slice.skip <= slice.records &&
                slice.take <= slice.records - slice.skip,
            "a slice beyond its file");
  }
}

// Any number of items of nothing is right. The naive decoder makes each.
bool HasEmptyItems(const NamedFeature& feature) {
  const std::vector<int64_t>& shape = feature.config.shape;
  return !feature.config.partitions.empty() &&
         std::ranges::find(shape, 0) != shape.end();
}

void CheckColumns(const tfds::Columns& columns, uint64_t seed) {
  const auto& features = columns.spec.features();
  Require(features.size() == columns.leaves.size(), "leaves");
  std::set<std::string> names;
  for (size_t i = 0; i < features.size(); ++i) {
    Require(features[i].name == columns.leaves[i].path(), features[i].name);
    Require(names.insert(features[i].name).second, features[i].name);
  }
  Require(nlohmann::json::accept(ToJson(columns)), "no JSON of columns");
  const Result<Plan> plan = Plan::Compile(columns.spec);
  if (!plan.ok()) return RequireCode(plan.status(), ErrorCode::kBadSpec);
  if (std::ranges::any_of(features, HasEmptyItems)) {
    CheckSomeRecords(*plan, seed);
  } else {
    CheckSpec(columns.spec, *plan, seed);
  }
}

void CheckChoice(const tfds::Info& info, std::span<const std::string> patterns,
                 uint64_t seed) {
  const auto columns = Choose(info, patterns);
  if (columns.ok()) return CheckColumns(*columns, seed);
  const bool is_pattern =
      columns.status().code() == ErrorCode::kInvalidArgument;
  Require(!is_pattern || !patterns.empty(), "all is never wrong");
  RequireCode(columns.status(),
              is_pattern ? ErrorCode::kInvalidArgument : ErrorCode::kBadSpec);
}

std::string RandomName(Random* random) {
  static const std::vector<std::string> names = {
      "a", "b", "x", "steps", "label", "a/b", "shape", "ragged_flat_values"};
  return random->Pick(names);
}

std::string RandomDimensions(Random* random) {
  std::string text;
  for (size_t i = random->Below(4); i > 0; --i) {
    static const std::vector<std::string> sizes = {"-1", "\"-1\"", "2", "3",
                                                   "0"};
    text += random->Pick(sizes) + (i > 1 ? "," : "");
  }
  return R"("shape":{"dimensions":[)" + text + "]}";
}

std::string RandomLeaf(Random* random) {
  static const std::vector<std::string> dtypes = {
      "bool",    "int8",    "int64",    "uint8",  "uint64",   "float16",
      "float32", "float64", "bfloat16", "string", "complex64"};
  static const std::vector<std::string> encodings = {"none", "bytes", "zlib"};
  static const std::vector<std::string> others = {
      R"("Text","text":{})",
      R"("ClassLabel","classLabel":{"numClasses":"3"})",
      R"("BBoxFeature","boundingBox":{})",
      R"("Image","image":{"dtype":"uint8"})",
      R"("Video","video":{"shape":{"dimensions":[-1,2,2,3]}})",
      R"("Audio","audio":{"dtype":"int16","lazyDecode":true})",
      R"("Translation","translation":{"languages":["en","de"]})",
      R"("TranslationVariableLanguages","translation":{})",
      R"("Scalar","jsonFeature":{"json":"{\"dtype\":\"int8\"}"})"};
  if (random->OneIn(3)) {
    return R"({"pythonClassName":)" + random->Pick(others) + "}";
  }
  return R"({"pythonClassName":"m.Tensor","tensor":{"dtype":")" +
         random->Pick(dtypes) + R"(","encoding":")" + random->Pick(encodings) +
         R"(","optional":)" + (random->OneIn(4) ? "true," : "false,") +
         RandomDimensions(random) + "}}";
}

std::string RandomFeature(Random* random, int depth) {
  if (depth == 0 || random->OneIn(3)) return RandomLeaf(random);
  if (random->OneIn(2)) {
    const std::string name = random->OneIn(3) ? "Dataset" : "Sequence";
    return R"({"pythonClassName":")" + name + R"(","sequence":{"feature":)" +
           RandomFeature(random, depth - 1) + R"(,"length":)" +
           (random->OneIn(3) ? "2" : "\"-1\"") + "}}";
  }
  std::string features;
  for (size_t i = random->Below(5); i > 0; --i) {
    if (!features.empty()) features += ",";
    features += "\"" + RandomName(random) + std::to_string(i) +
                "\":" + RandomFeature(random, depth - 1);
  }
  if (random->OneIn(5)) {
    return R"({"type":"FeaturesDict","content":{)" + features + "}}";
  }
  return R"({"pythonClassName":"FeaturesDict","featuresDict":{"features":{)" +
         features + "}}}";
}

}  // namespace

void CheckInput(std::string_view input) {
  const uint64_t seed = input.size();
  const std::string_view info_text = TakePart(&input);
  const std::string_view features = TakePart(&input);
  const std::string_view expression = TakePart(&input);
  const Result<tfds::Info> info = tfds::ParseInfo(info_text, features);
  if (!info.ok()) return RequireCode(info.status(), ErrorCode::kBadSpec);
  for (const tfds::Split& split : info->splits) CheckSplit(split);
  Require(!ToTree(info->features).empty(), "no tree");
  Require(nlohmann::json::accept(ToJson(*info)), "no JSON of the folder");
  CheckExpression(*info, expression);
  CheckExpression(*info, "all");
  CheckChoice(*info, {}, seed);
  const std::string patterns[] = {std::string(input)};
  CheckChoice(*info, patterns, seed);
}

std::string NewInput(Random* random) {
  static const std::vector<std::string> infos = {
      R"({"name":"d","splits":[{"name":"train","shardLengths":["3","0","4"],
          "numBytes":"70"},{"name":"test","shard_lengths":[2],
          "filepathTemplate":"{SPLIT}/{SHARD_X_OF_Y}.{FILEFORMAT}"}]})",
      R"({"name":"d","fileFormat":"tfrecord","version":"1.0.0"})"};
  static const std::vector<std::string> expressions = {
      "train",       "train[:50%]+test", "train[1shard]", "all",
      "train[-2:3]", "train[12.5%:]",    "test[0shard:]"};
  static const std::vector<std::string> patterns = {"*", "a1", "*/b2",
                                                    "steps1/*", "x?"};
  return random->Pick(infos) + kBetween + RandomFeature(random, 5) + kBetween +
         random->Pick(expressions) + kBetween + random->Pick(patterns);
}

// Changes one part, so that the others are still understood.
std::string ChangeInput(std::string_view input, Random* random) {
  const std::string fresh = NewInput(random);
  std::string_view fresh_rest = fresh;
  const size_t changed = random->Below(4);
  std::string text;
  for (size_t i = 0; i < 4; ++i) {
    const std::string_view part = TakePart(&input);
    const std::string_view fresh_part = TakePart(&fresh_rest);
    if (i > 0) text += kBetween;
    if (i != changed) {
      text += part;
    } else if (random->OneIn(3)) {
      text += fresh_part;
    } else {
      text += ChangeText(part, random);
    }
  }
  return text;
}

}  // namespace headrace::fuzzing
