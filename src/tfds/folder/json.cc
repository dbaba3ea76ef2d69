// Writes an Info and Columns as JSON, and a tree of features as indented text.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/tfds.h"
#include "src/base/json/json_writer.h"
#include "src/base/text/quote.h"
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
    case NodeKind::kLeaf:
      break;
  }
  return "leaf";
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
    case Content::kTensor:
      break;
  }
  return "tensor";
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

constexpr size_t kMaxNames = 10;  // names of labels on a line

std::string SizeText(int64_t size) {
  return size < 0 ? "?" : std::to_string(size);
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += SizeText(shape[i]);
  }
  return text + "]";
}

std::string LabelsText(const Node& leaf) {
  if (leaf.num_classes < 0) return std::string();
  std::string text = ", " + std::to_string(leaf.num_classes) + " classes";
  for (size_t i = 0; i < leaf.label_names.size(); ++i) {
    if (i == kMaxNames) return text + ", ...";
    // Quote escapes odd characters; its quotation marks are removed.
    const std::string quoted = Quote(leaf.label_names[i]);
    text += i == 0 ? ": " : ", ";
    text += quoted.substr(1, quoted.size() - 2);
  }
  return text;
}

std::string LeafText(const Node& leaf) {
  if (!leaf.problem.empty()) {
    return Quote(leaf.class_name) + ", not readable: " + leaf.problem;
  }
  std::string text = leaf.class_name + " " + Quote(leaf.dtype).substr(1);
  text.pop_back();
  if (!leaf.shape.empty()) text += " " + ShapeText(leaf.shape);
  if (!leaf.format.empty()) text += ", " + Quote(leaf.format);
  if (leaf.is_file && leaf.format.empty()) text += ", encoded file";
  if (leaf.encoding) {
    text += *leaf.encoding == Encoding::kRaw ? ", as bytes" : ", as zlib";
  }
  if (leaf.optional) text += ", optional";
  return text + LabelsText(leaf);
}

void AppendNode(const Node& node, const std::string& indent,
                std::string* text) {
  switch (node.kind) {
    case NodeKind::kLeaf:
      *text += LeafText(node) + "\n";
      return;
    case NodeKind::kDict:
      *text += node.class_name + "\n";
      for (const Node& child : node.children) {
        const std::string name = Quote(child.name);
        *text += indent + "  " + name.substr(1, name.size() - 2) + ": ";
        AppendNode(child, indent + "  ", text);
      }
      return;
    default:
      *text += node.class_name + " [" + SizeText(node.length) + "] of ";
      AppendNode(node.children.front(), indent, text);
  }
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

std::string ToTree(const Node& root) {
  std::string text;
  AppendNode(root, "", &text);
  return text;
}

}  // namespace headrace::tfds
