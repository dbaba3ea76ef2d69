// Writes an Info and Columns as JSON.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/tfds.h"
#include "src/base/json/json_writer.h"
#include "src/tfds/folder/leaves.h"

namespace headrace::tfds {
namespace {

std::string_view KindText(NodeKind kind) {
  switch (kind) {
    case NodeKind::kDict:
      return "dict";
    case NodeKind::kSequence:
      return "sequence";
    case NodeKind::kDataset:
      return "dataset";
    default:
      return "leaf";
  }
}

std::string_view ContentText(Content content) {
  switch (content) {
    case Content::kText:
      return "text";
    case Content::kLabel:
      return "label";
    case Content::kImage:
      return "image";
    case Content::kAudio:
      return "audio";
    case Content::kBox:
      return "box";
    default:
      return "tensor";
  }
}

void WriteLeafMembers(const Node& node, JsonWriter* json) {
  if (!node.problem.empty()) return json->Add("problem", node.problem);
  json->Add("content", ContentText(node.content));
  json->Add("dtype", node.dtype);
  json->Add("shape", node.shape);
  if (node.encoding) json->Add("encoding", NameOf(*node.encoding));
  if (node.is_file) json->Add("is_file", true);
  if (node.optional) json->Add("optional", true);
  if (!node.format.empty()) json->Add("format", node.format);
  if (node.num_classes >= 0) json->Add("num_classes", node.num_classes);
}

void WriteNode(const Node& node, JsonWriter* json) {
  json->Object([&] {
    json->Add("name", node.name);
    json->Add("path", node.path);
    json->Add("class", node.class_name);
    json->Add("kind", KindText(node.kind));
    if (node.kind == NodeKind::kLeaf) return WriteLeafMembers(node, json);
    if (node.kind != NodeKind::kDict) json->Add("length", node.length);
    json->AddList("children", node.children,
                  [&](const Node& child) { WriteNode(child, json); });
  });
}

void WriteLabels(const Node& root, JsonWriter* json) {
  json->AddObject("labels", [&] {
    VisitLeaves(root, [json](const Node& leaf, const LeafPlace&) {
      if (leaf.num_classes < 0) return;
      json->AddObject(leaf.path, [&] {
        json->Add("num_classes", leaf.num_classes);
        if (leaf.label_names.empty()) return json->AddNull("names");
        json->Add("names", leaf.label_names);
      });
    });
  });
}

// Adds the text, or null if it is empty.
void AddText(std::string_view key, std::string_view text, JsonWriter* json) {
  if (text.empty()) return json->AddNull(key);
  json->Add(key, text);
}

void WriteLeaf(const Leaf& leaf, JsonWriter* json) {
  const Node& node = leaf.node;
  json->Add("path", leaf.path());
  json->Add("names", leaf.names);
  json->Add("class", node.class_name);
  json->Add("content", ContentText(node.content));
  json->Add("dtype", leaf.dtype);
  json->Add("lengths", leaf.lengths);
  json->Add("shape", leaf.shape);
  json->Add("is_file", node.is_file);
  json->Add("file_dtype", node.is_file ? node.dtype : std::string());
  json->Add("file_shape", node.is_file ? node.shape : std::vector<int64_t>());
  AddText("format", node.format, json);
  json->Add("dataset", leaf.dataset);
}

}  // namespace

std::string ToJson(const Info& info) {
  return JsonObject([&](JsonWriter& json) {
    json.Add("folder", info.folder);
    json.Add("name", info.name);
    AddText("version", info.version, &json);
    AddText("config", info.config, &json);
    json.Add("file_format", info.file_format);
    json.AddList("splits", info.splits, [&](const Split& split) {
      json.Object([&] {
        json.Add("name", split.name);
        json.Add("num_examples", split.num_examples);
        json.Add("num_bytes", split.num_bytes);
        json.Add("shard_lengths", split.shard_lengths);
        json.Add("files", split.files);
      });
    });
    json.Key("features");
    WriteNode(info.features, &json);
    WriteLabels(info.features, &json);
  });
}

std::string ToJson(const Columns& columns) {
  return JsonObject([&](JsonWriter& json) {
    json.AddRaw("spec", columns.spec.ToJson());
    json.AddList("leaves", columns.leaves, [&](const Leaf& leaf) {
      json.Object([&] { WriteLeaf(leaf, &json); });
    });
    json.Add("empty_dicts", columns.empty_dicts);
  });
}

}  // namespace headrace::tfds
