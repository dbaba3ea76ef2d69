// features.json in all its forms, and in forms that it should not have.

#include <string>
#include <utility>
#include <vector>

#include "headrace/tfds.h"
#include "nlohmann/json.hpp"
#include "src/tfds/folder/metadata.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using nlohmann::json;
using tfds::Content;
using tfds::Node;
using tfds::NodeKind;

json Feature(const std::string& name, const std::string& field,
             json message = json::object()) {
  return {{"pythonClassName", "some.module." + name},
          {field, std::move(message)}};
}

json DictOf(json features) {
  return Feature("FeaturesDict", "featuresDict",
                 {{"features", std::move(features)}});
}

json TensorOf(const std::string& dtype, json dimensions = json::array()) {
  return Feature(
      "Tensor", "tensor",
      {{"dtype", dtype}, {"shape", {{"dimensions", std::move(dimensions)}}}});
}

json SequenceOf(json feature, json length = "-1") {
  return Feature(
      "Sequence", "sequence",
      {{"feature", std::move(feature)}, {"length", std::move(length)}});
}

Node TreeOf(const json& features) {
  return OrThrow(tfds::ParseFeatures(features.dump()));
}

// The feature as the only one of a dict.
Node ChildOf(const json& feature) {
  const Node root = TreeOf(DictOf({{"x", feature}}));
  EXPECT_EQ(root.kind, NodeKind::kDict);
  return root.children.at(0);
}

TEST(FeatureTreeTest, Tensor) {
  const Node leaf = ChildOf(TensorOf("object", {"2", -1, 3}));
  EXPECT_EQ(leaf.kind, NodeKind::kLeaf);
  EXPECT_EQ(leaf.problem, "");
  EXPECT_EQ(leaf.path, "x");
  EXPECT_EQ(leaf.class_name, "Tensor");
  EXPECT_EQ(leaf.dtype, "string");
  EXPECT_THAT(leaf.shape, ElementsAre(2, -1, 3));
  EXPECT_FALSE(leaf.encoding);
  EXPECT_EQ(ChildOf(Feature("Scalar", "tensor",
                            {{"dtype", "int8"},
                             {"encoding", "ZLIB"},
                             {"optional", true}}))
                .encoding,
            Encoding::kZlib);
}

TEST(FeatureTreeTest, NamesInSnakeCase) {
  const json feature = {{"python_class_name", "ClassLabel"},
                        {"class_label", {{"num_classes", 5}}}};
  const Node leaf = ChildOf(feature);
  EXPECT_EQ(leaf.content, Content::kLabel);
  EXPECT_EQ(leaf.num_classes, 5);
  json twice = feature;
  twice["classLabel"] = json::object();
  EXPECT_THAT(ChildOf(twice).problem, HasSubstr("there twice"));
}

TEST(FeatureTreeTest, Files) {
  const Node image = ChildOf(Feature(
      "Image", "image",
      {{"shape", {{"dimensions", {-1, -1, 3}}}}, {"encodingFormat", "jpeg"}}));
  EXPECT_EQ(image.content, Content::kImage);
  EXPECT_EQ(image.dtype, "uint8");
  EXPECT_EQ(image.format, "jpeg");
  EXPECT_TRUE(image.is_file);
  const Node video = ChildOf(Feature(
      "Video", "video", {{"shape", {{"dimensions", {"9", "2", "2", "3"}}}}}));
  EXPECT_EQ(video.kind, NodeKind::kSequence);
  EXPECT_EQ(video.length, 9);
  EXPECT_THAT(video.children[0].shape, ElementsAre(2, 2, 3));
  EXPECT_EQ(video.children[0].path, "x");
  const Node audio = ChildOf(Feature("Audio", "audio",
                                     {{"dtype", "int16"},
                                      {"encoding", "NONE"},
                                      {"lazyDecode", true},
                                      {"shape", {{"dimensions", {"-1"}}}}}));
  EXPECT_EQ(audio.content, Content::kAudio);
  EXPECT_TRUE(audio.is_file);
}

TEST(FeatureTreeTest, Translations) {
  const Node two = ChildOf(
      Feature("Translation", "translation", {{"languages", {"en", "fr"}}}));
  EXPECT_EQ(two.kind, NodeKind::kDict);
  EXPECT_EQ(two.children.at(1).path, "x/fr");
  const Node many =
      ChildOf(Feature("TranslationVariableLanguages", "translation"));
  EXPECT_EQ(many.kind, NodeKind::kSequence);
  EXPECT_EQ(many.length, -1);
  EXPECT_EQ(many.children.at(0).children.at(0).path, "x/language");
  EXPECT_EQ(many.children.at(0).children.at(1).path, "x/translation");
}

TEST(FeatureTreeTest, LengthThatProtobufLeavesOut) {
  json sequence = SequenceOf(TensorOf("int64"));
  EXPECT_EQ(ChildOf(sequence).length, -1);
  sequence["sequence"].erase("length");
  EXPECT_EQ(ChildOf(sequence).length, 0);
}

TEST(FeatureTreeTest, OlderForm) {
  const json tensor = {
      {"type", "Tensor"},
      {"content", {{"shape", {nullptr, 3}}, {"dtype", "bool"}}}};
  const json sequence = {
      {"type", "a.Sequence"},
      {"content", {{"feature", tensor}, {"length", nullptr}}}};
  const Node root =
      TreeOf({{"type", "a.FeaturesDict"}, {"content", {{"s", sequence}}}});
  const Node& s = root.children.at(0);
  EXPECT_EQ(s.length, -1);
  EXPECT_THAT(s.children.at(0).shape, ElementsAre(-1, 3));
  EXPECT_EQ(s.children.at(0).problem, "");
}

TEST(FeatureTreeTest, OlderFormWithMessages) {
  const json message = {{"features", {{"x", TensorOf("int64")}}}};
  const json as_object = {{"type", "FeaturesDict"},
                          {"proto_cls", "tensorflow_datasets.FeaturesDict"},
                          {"content", message}};
  json as_text = as_object;
  as_text["content"] = message.dump();
  for (const json& features : {as_object, as_text}) {
    EXPECT_EQ(TreeOf(features).children.at(0).dtype, "int64");
  }
}

TEST(FeatureTreeTest, JsonFeature) {
  const json content = {{"shape", {2}}, {"dtype", "int8"}};
  const Node leaf =
      ChildOf(Feature("Tensor", "jsonFeature", {{"json", content.dump()}}));
  EXPECT_EQ(leaf.problem, "");
  EXPECT_EQ(leaf.dtype, "int8");
  EXPECT_THAT(
      ChildOf(Feature("Tensor", "jsonFeature", {{"json", "{"}})).problem,
      HasSubstr("not valid JSON"));
}

TEST(FeatureTreeTest, EmptyDict) {
  const Node dict = ChildOf(Feature("FeaturesDict", "featuresDict"));
  EXPECT_EQ(dict.kind, NodeKind::kDict);
  EXPECT_THAT(dict.children, IsEmpty());
}

TEST(FeatureTreeTest, Problems) {
  const std::pair<json, const char*> cases[] = {
      {7, "it is 7, not a feature"},
      {json::object(), "has no \"pythonClassName\""},
      {Feature("Graph", "graph"), "does not know the class"},
      {Feature("Tensor", "text"),
       "\"tensor\", which a Tensor needs, is missing"},
      {Feature("Tensor", "tensor"), "\"dtype\" is missing"},
      {{{"pythonClassName", 3}}, "\"pythonClassName\" is 3, not a text"},
      {Feature("Tensor", "tensor", json::array()), "is a list, not an object"},
      {TensorOf("int8", {"-2"}), "\"shape\" is \"-2\""},
      {TensorOf("int8", {1.5}), "\"shape\" is 1.5"},
      {TensorOf("int8", {"99999999999999999999"}), "not a size or -1"},
      {TensorOf("int8", json(std::vector<int>(33, 1))), "33 dimensions"},
      {Feature("Tensor", "tensor", {{"dtype", "int8"}, {"encoding", "gzip"}}),
       "it takes \"none\""},
      {Feature("Text", "text", {{"useEncoder", "x"}}), "a vocabulary"},
      {Feature("ClassLabel", "classLabel", {{"numClasses", "-3"}}), "negative"},
      {SequenceOf(TensorOf("int8"), -2), "less than -1"},
      {SequenceOf(TensorOf("int8"), "many"), "not a whole number"},
      {Feature("Sequence", "sequence"), "\"feature\" is missing"},
      {Feature("Video", "video"), "\"shape\" is missing"},
      {Feature("Translation", "translation"), "\"languages\" is missing"},
      {{{"type", "Text"}}, "\"content\" is missing"},
      {{{"type", "Text"}, {"content", 3}}, "\"content\" is 3"},
      {{{"type", "Text"}, {"content", "3"}}, "not a JSON object"},
  };
  for (const auto& [feature, text] : cases) {
    const Node node = ChildOf(feature);
    EXPECT_EQ(node.kind, NodeKind::kLeaf) << feature;
    EXPECT_THAT(node.problem, HasSubstr(text)) << feature;
  }
}

TEST(FeatureTreeTest, DatasetInSequence) {
  json dataset = SequenceOf(DictOf({{"a", TensorOf("int8")}}));
  dataset["pythonClassName"] = "Dataset";
  EXPECT_EQ(ChildOf(dataset).kind, NodeKind::kDataset);
  EXPECT_THAT(ChildOf(SequenceOf(dataset)).children[0].problem,
              HasSubstr("have no place"));
}

TEST(FeatureTreeTest, Nesting) {
  std::string text = TensorOf("int8").dump();
  for (int i = 0; i < 70; ++i) text = SequenceOf(json::parse(text)).dump();
  Node node = OrThrow(tfds::ParseFeatures(text));
  int depth = 0;
  while (!node.children.empty()) {
    Node child = std::move(node.children[0]);
    node = std::move(child);
    ++depth;
  }
  EXPECT_EQ(depth, tfds::kDeepestFeature);
  EXPECT_THAT(node.problem, HasSubstr("more than 64 features"));

  for (const char* const open : {"[", "{\"sequence\":{\"feature\":"}) {
    std::string deep;
    for (int i = 0; i < 10000; ++i) deep += open;
    EXPECT_THAT(tfds::ParseFeatures(deep),
                IsError(ErrorCode::kBadSpec, {.text = "more than 512"}));
  }
}

TEST(FeatureTreeTest, TextsInTexts) {
  json node = {{"type", "Text"}, {"content", json::object()}};
  for (int i = 0; i < 12; ++i) {
    node = {{"type", "FeaturesDict"}, {"content", json{{"a", node}}.dump()}};
  }
  Node tree = TreeOf(node);
  std::string path;
  while (!tree.children.empty()) {
    Node child = std::move(tree.children[0]);
    tree = std::move(child);
  }
  EXPECT_EQ(tree.problem, "");
  EXPECT_EQ(tree.path, "a/a/a/a/a/a/a/a/a/a/a/a");
}

TEST(FeatureTreeTest, LongPath) {
  const Node root =
      TreeOf(DictOf({{std::string(2000, 'n'), TensorOf("int8")}}));
  EXPECT_THAT(root.children[0].problem, HasSubstr("more than 1000 bytes"));
  EXPECT_EQ(root.children[0].path.size(), tfds::kLongestPath);
}

TEST(FeatureTreeTest, Many) {
  for (const size_t number : {tfds::kMaxFeatures - 1, tfds::kMaxFeatures}) {
    std::string text = R"({"type":"FeaturesDict","content":{)";
    for (size_t i = 0; i < number; ++i) {
      if (i > 0) text += ",";
      text += "\"" + std::to_string(i) + "\":{}";
    }
    const auto tree = tfds::ParseFeatures(text + "}}");
    EXPECT_EQ(tree.ok(), number < tfds::kMaxFeatures);
    std::string languages;
    for (size_t i = 0; i < number; ++i) languages += ",\"a\"";
    const auto translation = tfds::ParseFeatures(
        R"({"type":"Translation","content":{"languages":["b")" + languages +
        "]}}");
    EXPECT_THAT(translation, IsError(ErrorCode::kBadSpec,
                                     {.text = "more than 100000 features"}));
  }
}

TEST(FeatureTreeTest, NoTree) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "line 1, column 1"},
      {"{", "line 1"},
      {"[]", "it is a list, not a feature"},
      {"{\"a\":1,\"a\":2}", "\"a\" occurs twice"},
      {"\"\xff\"", "line 1, column 2"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(tfds::ParseFeatures(text),
                IsError(ErrorCode::kBadSpec, {.text = message}))
        << text;
  }
}

}  // namespace
}  // namespace headrace::testing
