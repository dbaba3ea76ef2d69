#include "src/sample/robot.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "src/sample/jpeg.h"

namespace headrace::sample {
namespace {

constexpr size_t kJoints = 7;
constexpr size_t kImageSide = 224;
// Coordinates of places are integers, in parts of 1 / kParts, which floats hold
// exactly.
constexpr int64_t kParts = 1024;

using Place = std::array<int64_t, kJoints>;

constexpr std::array<std::string_view, 6> kInstructions = {
    "pick up the red block", "open the drawer",    "close the drawer",
    "push the bowl left",    "wipe the table top", "press the button"};

// Returns the place that an instruction names, the same in all episodes.
Place GoalOf(size_t instruction) {
  Place goal;
  for (size_t i = 0; i < kJoints; ++i) {
    goal[i] = static_cast<int64_t>(Spread(instruction * kJoints + i) %
                                   (2 * kParts + 1)) -
              kParts;
  }
  return goal;
}

// The steps of one episode, by column.
struct Episode {
  std::vector<float> actions;
  std::vector<float> states;
  std::vector<std::string> images;

  size_t steps() const { return images.size(); }
};

void AddPlace(const Place& place, std::vector<float>* to) {
  for (const int64_t part : place) {
    to->push_back(static_cast<float>(part) / static_cast<float>(kParts));
  }
}

Episode Move(const Place& goal, size_t steps, Random* random) {
  Episode episode;
  Place state;
  for (int64_t& joint : state) joint = random->Between(-kParts, kParts);
  for (size_t step = 0; step < steps; ++step) {
    Place action;
    for (size_t i = 0; i < kJoints; ++i) {
      action[i] = (goal[i] - state[i]) / 8 + random->Between(-8, 8);
    }
    AddPlace(state, &episode.states);
    AddPlace(action, &episode.actions);
    episode.images.push_back(RandomJpeg(kImageSide, random));
    for (size_t i = 0; i < kJoints; ++i) state[i] += action[i];
  }
  return episode;
}

// Returns one flag per step; only the flag of step `at` is true, if that step
// exists.
std::vector<int64_t> FlagAt(size_t at, size_t steps) {
  std::vector<int64_t> flags(steps);
  if (at < steps) flags[at] = 1;
  return flags;
}

std::string FeatureNode(std::string_view of_class, std::string_view body) {
  return std::string(
             "{\"pythonClassName\": \"tensorflow_datasets.core.features.")
      .append(of_class)
      .append("\", ")
      .append(body)
      .append("}");
}

std::string TensorNode(std::string_view dtype, size_t length = 0) {
  std::string shape = "{}";
  if (length > 0)
    shape = "{\"dimensions\": [\"" + std::to_string(length) + "\"]}";
  return FeatureNode(length > 0 ? "tensor_feature.Tensor" : "scalar.Scalar",
                     "\"tensor\": {\"dtype\": \"" + std::string(dtype) +
                         "\", \"encoding\": \"none\", \"shape\": " + shape +
                         "}");
}

std::string TextNode() {
  return FeatureNode("text_feature.Text", "\"text\": {}");
}

std::string ImageNode() {
  const std::string side = "\"" + std::to_string(kImageSide) + "\"";
  return FeatureNode(
      "image_feature.Image",
      "\"image\": {\"dtype\": \"uint8\", \"encodingFormat\": \"jpeg\", "
      "\"shape\": {\"dimensions\": [" +
          side + ", " + side + ", \"3\"]}}");
}

using NamedNodes = std::vector<std::pair<std::string_view, std::string>>;

std::string DictNode(const NamedNodes& children) {
  std::string inside;
  for (const auto& [name, node] : children) {
    inside += inside.empty() ? "\n\"" : ",\n\"";
    inside.append(name).append("\": ").append(node);
  }
  return FeatureNode("features_dict.FeaturesDict",
                     "\"featuresDict\": {\"features\": {" + inside + "}}");
}

std::string DatasetNode(const std::string& step) {
  return FeatureNode(
      "dataset_feature.Dataset",
      "\"sequence\": {\"feature\": " + step + ", \"length\": \"-1\"}");
}

}  // namespace

void BuildEpisode(uint64_t index, Random* random, ExampleBuilder* builder) {
  const size_t instruction = random->Below(kInstructions.size());
  const auto steps = static_cast<size_t>(random->Between(20, 60));
  const bool succeeds = !random->OneIn(4);  // otherwise it is cut short
  const Episode episode = Move(GoalOf(instruction), steps, random);
  const std::vector<int64_t> is_end =
      FlagAt(succeeds ? steps - 1 : steps, steps);
  builder->Int64("episode_metadata/episode_id", static_cast<int64_t>(index));
  builder->Bytes("episode_metadata/file_path",
                 "episode_" + std::to_string(index) + ".hdf5");
  builder->Floats("steps/action", episode.actions);
  builder->Floats("steps/discount", std::vector<float>(steps, 1.0f));
  builder->Int64s("steps/is_first", FlagAt(0, steps));
  builder->Int64s("steps/is_last", FlagAt(steps - 1, steps));
  builder->Int64s("steps/is_terminal", is_end);
  builder->Bytes(
      "steps/language_instruction",
      std::vector<std::string>(steps, std::string(kInstructions[instruction])));
  builder->Bytes("steps/observation/image", episode.images);
  builder->Floats("steps/observation/state", episode.states);
  builder->Floats("steps/reward",
                  std::vector<float>(is_end.begin(), is_end.end()));
}

std::string EpisodeFeatures() {
  return DictNode(
      {{"episode_metadata", DictNode({{"episode_id", TensorNode("int32")},
                                      {"file_path", TextNode()}})},
       {"steps", DatasetNode(DictNode(
                     {{"action", TensorNode("float32", kJoints)},
                      {"discount", TensorNode("float32")},
                      {"is_first", TensorNode("bool")},
                      {"is_last", TensorNode("bool")},
                      {"is_terminal", TensorNode("bool")},
                      {"language_instruction", TextNode()},
                      {"observation",
                       DictNode({{"image", ImageNode()},
                                 {"state", TensorNode("float32", kJoints)}})},
                      {"reward", TensorNode("float32")}}))}});
}

}  // namespace headrace::sample
