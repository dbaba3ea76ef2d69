// Which leaves patterns choose, and the features that read them.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/tfds.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

constexpr std::string_view kNoSplits = R"({"name": "d"})";

std::string TensorJson(std::string_view dtype, std::string_view shape = "",
                       std::string_view more = "") {
  return R"({"pythonClassName": "Tensor", "tensor": {"dtype": ")" +
         std::string(dtype) + R"(", "shape": {"dimensions": [)" +
         std::string(shape) + "]}" + std::string(more) + "}}";
}

std::string EncodedJson(std::string_view dtype, std::string_view shape) {
  return TensorJson(dtype, shape, R"(, "encoding": "zlib")");
}

std::string ListedJson(std::string_view name, const std::string& feature,
                       int length = -1) {
  return R"({"pythonClassName": ")" + std::string(name) +
         R"(", "sequence": {"feature": )" + feature + R"(, "length": )" +
         std::to_string(length) + "}}";
}

std::string SequenceJson(const std::string& feature, int length = -1) {
  return ListedJson("Sequence", feature, length);
}

using Members = std::vector<std::pair<std::string, std::string>>;

std::string DictJson(const Members& features) {
  std::string text =
      R"({"pythonClassName": "FeaturesDict", "featuresDict": {"features": {)";
  for (const auto& [name, feature] : features) {
    if (text.back() != '{') text += ", ";
    text += "\"" + name + "\": " + feature;
  }
  return text + "}}}";
}

tfds::Info InfoOf(const Members& features) {
  return OrThrow(tfds::ParseInfo(kNoSplits, DictJson(features)));
}

// The feature of the leaf "x".
FeatureConfig ConfigOf(const std::string& feature) {
  return OrThrow(Choose(InfoOf({{"x", feature}}))).spec.features()[0].config;
}

std::string WhyNot(const std::string& feature) {
  const auto columns = Choose(InfoOf({{"x", feature}}));
  EXPECT_THAT(columns, IsError(ErrorCode::kBadSpec,
                               {.file = "features.json", .feature = "x"}));
  return std::string(columns.status().message());
}

std::vector<std::string> PathsOf(const tfds::Info& info,
                                 std::vector<std::string> patterns) {
  const tfds::Columns columns = OrThrow(Choose(info, patterns));
  std::vector<std::string> paths;
  for (const NamedFeature& feature : columns.spec.features()) {
    paths.push_back(feature.name);
  }
  return paths;
}

tfds::Info Robot() {
  const std::string scalar = TensorJson("float32");
  const std::string observation =
      DictJson({{"image", scalar}, {"state", scalar}, {"s*", scalar}});
  return InfoOf(
      {{"steps", ListedJson("Dataset", DictJson({{"observation", observation},
                                                 {"action", scalar}}))},
       {"label", scalar}});
}

TEST(ChooseTest, Paths) {
  const tfds::Info robot = Robot();
  EXPECT_THAT(PathsOf(robot, {}), SizeIs(5));
  EXPECT_THAT(PathsOf(robot, {"label", "steps/action", "label"}),
              ElementsAre("steps/action", "label"));
  EXPECT_THAT(PathsOf(robot, {"steps/observation"}),
              ElementsAre("steps/observation/image", "steps/observation/state",
                          "steps/observation/s*"));
  EXPECT_THAT(PathsOf(robot, {"steps/observation/*"}), SizeIs(3));
  EXPECT_THAT(PathsOf(robot, {"steps"}), SizeIs(4));
  EXPECT_THAT(PathsOf(robot, {"*"}), SizeIs(5));
  EXPECT_THAT(PathsOf(robot, {"*/action"}), ElementsAre("steps/action"));
  EXPECT_THAT(PathsOf(robot, {"*/*/s?*te"}),
              ElementsAre("steps/observation/state"));
  EXPECT_THAT(PathsOf(robot, {"?abel"}), ElementsAre("label"));
}

TEST(ChooseTest, NothingHasThePath) {
  const tfds::Info robot = Robot();
  const std::pair<const char*, const char*> cases[] = {
      {"labels", "did you mean \"label\"?"},
      {"steps/acton", "did you mean \"steps/action\"?"},
      {"*/label", "no feature has the path"},
      {"", "no feature has the path"},
      {"steps/", "no feature has the path"},
      {"steps?action", "no feature has the path"},
      {"*action", "no feature has the path"},
      {"steps/*image", "no feature has the path"},
      {"zzz", "the paths are \"label\", \"steps\""},
  };
  for (const auto& [pattern, text] : cases) {
    const std::string patterns[] = {"label", pattern};
    EXPECT_THAT(Choose(robot, patterns),
                IsError(ErrorCode::kInvalidArgument,
                        {.feature = pattern, .text = text}));
  }
}

TEST(ChooseTest, LeafKnowsItsPlace) {
  const std::string wanted[] = {"steps/observation/image"};
  const tfds::Columns columns = OrThrow(Choose(Robot(), wanted));
  const tfds::Leaf& leaf = columns.leaves.at(0);
  EXPECT_THAT(leaf.names, ElementsAre("steps", "observation", "image"));
  EXPECT_THAT(leaf.lengths, ElementsAre(-1));
  EXPECT_EQ(leaf.dataset, "steps");
  EXPECT_EQ(columns.spec.features()[0].config.group, "steps");
}

TEST(ChooseTest, KnownShapes) {
  EXPECT_EQ(ConfigOf(TensorJson("int64", "2, 3")),
            FixedLen(DType::kInt64, {2, 3}));
  EXPECT_EQ(ConfigOf(SequenceJson(TensorJson("string", "2"), 4)),
            FixedLen(DType::kBytes, {4, 2}));
  FeatureConfig narrow = FixedLen(DType::kInt64);
  narrow.as = DType::kUint8;
  EXPECT_EQ(ConfigOf(TensorJson("uint8")), narrow);
  narrow.as = DType::kUint64;
  narrow.as_bits = true;
  EXPECT_EQ(ConfigOf(TensorJson("uint64")), narrow);
  FeatureConfig wide = FixedLen(DType::kFloat);
  wide.as = DType::kFloat64;
  EXPECT_EQ(ConfigOf(TensorJson("float64")), wide);
}

TEST(ChooseTest, OneUnknownDimension) {
  FeatureConfig ragged = Ragged(DType::kInt64);
  ragged.shape = {2, -1};
  EXPECT_EQ(ConfigOf(TensorJson("int64", "2, -1")), ragged);
  ragged.shape = {-1, 3};
  EXPECT_EQ(ConfigOf(SequenceJson(TensorJson("int64", "3"))), ragged);
  ragged.shape = {3, -1};
  EXPECT_EQ(ConfigOf(SequenceJson(TensorJson("int64", "-1"), 3)), ragged);
}

TEST(ChooseTest, SequencesInSequences) {
  FeatureConfig ragged =
      Ragged(DType::kFloat,
             {{PartitionType::kRowLengths, "x/ragged_row_lengths_0"},
              {PartitionType::kRowLengths, "x/ragged_row_lengths_1"}},
             "x/ragged_flat_values");
  ragged.shape = {-1, 2, -1, 5};
  EXPECT_EQ(ConfigOf(SequenceJson(
                SequenceJson(SequenceJson(TensorJson("float32", "5")), 2))),
            ragged);
}

TEST(ChooseTest, EncodedTensors) {
  FeatureConfig fixed = FixedLen(DType::kBytes, {2, 3});
  fixed.as = DType::kUint16;
  fixed.encoding = Encoding::kZlib;
  EXPECT_EQ(ConfigOf(EncodedJson("uint16", "2, 3")), fixed);
  FeatureConfig ragged = Ragged(DType::kBytes);
  ragged.as = DType::kBfloat16;
  ragged.encoding = Encoding::kZlib;
  ragged.item_shape = {-1, 3};
  EXPECT_EQ(ConfigOf(EncodedJson("bfloat16", "-1, 3")), ragged);
  ragged.shape = {-1};
  EXPECT_EQ(ConfigOf(SequenceJson(EncodedJson("bfloat16", "-1, 3"))), ragged);
  ragged.item_shape = {-1, -1};
  ragged.value_key = "x/value";
  ragged.item_shape_key = "x/shape";
  EXPECT_EQ(ConfigOf(SequenceJson(EncodedJson("bfloat16", "-1, -1"))), ragged);
  ragged.shape = {-1, -1};
  ragged.value_key = "x/value/ragged_flat_values";
  ragged.item_shape_key = "x/shape/ragged_flat_values";
  ragged.partitions = {
      {PartitionType::kRowLengths, "x/value/ragged_row_lengths_0"}};
  EXPECT_EQ(
      ConfigOf(SequenceJson(SequenceJson(EncodedJson("bfloat16", "-1, -1")))),
      ragged);
}

TEST(ChooseTest, OptionalFeatures) {
  const auto optional = [](std::string_view dtype, std::string_view shape) {
    return ConfigOf(TensorJson(dtype, shape, R"(, "optional": true)"));
  };
  const std::pair<const char*, DefaultValues> cases[] = {
      {"int8", std::vector<int64_t>{-128, -128}},
      {"int64", std::vector<int64_t>{INT64_MIN, INT64_MIN}},
      {"uint32", std::vector<int64_t>{0, 0}},
      {"float16", std::vector<float>{-65504, -65504}},
      {"float32", std::vector<float>{-3.4028235e38F, -3.4028235e38F}},
      {"float64", std::vector<float>{-INFINITY, -INFINITY}},
      {"string", std::vector<std::string>{"", ""}},
  };
  for (const auto& [dtype, values] : cases) {
    EXPECT_EQ(optional(dtype, "2").default_values, values) << dtype;
  }
  EXPECT_FALSE(optional("int8", "-1").default_values);
  EXPECT_FALSE(
      ConfigOf(SequenceJson(TensorJson("int8", "", R"(, "optional": true)"), 3))
          .default_values);
}

TEST(ChooseTest, Unreadable) {
  const std::pair<std::string, const char*> cases[] = {
      {TensorJson("int8", "-1, -1"), "two dimensions differ"},
      {SequenceJson(TensorJson("int8", "-1")), "two dimensions differ"},
      {TensorJson("int8", "0, -1"), "a dimension of 0"},
      {SequenceJson(SequenceJson(TensorJson("int8", "-1"))), "differ in shape"},
      {TensorJson("bfloat16"), "only with an encoding"},
      {TensorJson("complex64"), "records hold complex64"},
      {TensorJson("float"), "the dtype \"float\""},
      {EncodedJson("string", "2"), "strings cannot be encoded"},
      {TensorJson("int8", "1000000000, 1000000000, 1000000000",
                  R"(, "optional": true)"),
       "more than 16777216 elements"},
      {R"({"pythonClassName": "my.Own"})", "does not know the class"},
  };
  for (const auto& [feature, text] : cases) {
    EXPECT_THAT(WhyNot(feature), HasSubstr(text)) << feature;
  }
}

TEST(ChooseTest, OthersStayReadable) {
  const tfds::Info info = InfoOf({{"own", R"({"pythonClassName": "my.Own"})"},
                                  {"x", TensorJson("int64")}});
  EXPECT_THAT(Choose(info), HasCode(ErrorCode::kBadSpec));
  EXPECT_THAT(PathsOf(info, {"x"}), ElementsAre("x"));
}

TEST(ChooseTest, EqualPathsAndKeys) {
  const std::string scalar = TensorJson("int64");
  const Members cases[] = {
      {{"a", DictJson({{"b", scalar}})}, {"a/b", scalar}},
      {{"a", EncodedJson("int64", "-1, -1")}, {"a/shape", scalar}},
      {{"a", SequenceJson(SequenceJson(scalar))},
       {"a/ragged_row_lengths_0", scalar}},
      {{"a", DictJson({{"b", SequenceJson(SequenceJson(scalar))}})},
       {"a/b", scalar}},
  };
  for (const Members& features : cases) {
    EXPECT_THAT(Choose(InfoOf(features)),
                IsError(ErrorCode::kBadSpec, {.text = "the same key"}));
  }
}

TEST(ChooseTest, NoDictAround) {
  const auto info = tfds::ParseInfo(kNoSplits, TensorJson("int64"));
  ASSERT_THAT(info, IsOk());
  EXPECT_THAT(Choose(*info),
              IsError(ErrorCode::kBadSpec, {.text = "has no name"}));
}

TEST(ChooseTest, Tree) {
  EXPECT_EQ(ToTree(Robot().features),
            "FeaturesDict\n"
            "  steps: Dataset [?] of FeaturesDict\n"
            "    observation: FeaturesDict\n"
            "      image: Tensor float32\n"
            "      state: Tensor float32\n"
            "      s*: Tensor float32\n"
            "    action: Tensor float32\n"
            "  label: Tensor float32\n");
}

}  // namespace
}  // namespace headrace::testing
