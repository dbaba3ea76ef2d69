// ToJson of an Info and of Columns.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/tfds.h"
#include "src/plan/spec/json_writer.h"
#include "src/tfds/folder/leaves.h"

namespace headrace::tfds {
namespace {

using spec::JsonWriter;

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
  if (!node.problem.empty()) return json->Text("problem", node.problem);
  json->Text("content", ContentText(node.content));
  json->Text("dtype", node.dtype);
  json->Numbers("shape", node.shape);
  if (node.encoding) json->Text("encoding", NameOf(*node.encoding));
  if (node.is_file) json->Flag("is_file", true);
  if (node.optional) json->Flag("optional", true);
  if (!node.format.empty()) json->Text("format", node.format);
  if (node.num_classes >= 0) {
    json->Number("num_classes", node.num_classes);
  }
}

void WriteNode(const Node& node, JsonWriter* json) {
  json->Open('{');
  json->Text("name", node.name);
  json->Text("path", node.path);
  json->Text("class", node.class_name);
  json->Text("kind", KindText(node.kind));
  if (node.kind == NodeKind::kLeaf) {
    WriteLeafMembers(node, json);
  } else {
    if (node.kind != NodeKind::kDict) {
      json->Number("length", node.length);
    }
    json->Key("children");
    json->Open('[');
    for (const Node& child : node.children) {
      json->Item();
      WriteNode(child, json);
    }
    json->Close(']');
  }
  json->Close('}');
}

void WriteSplit(const Split& split, JsonWriter* json) {
  json->Open('{');
  json->Text("name", split.name);
  json->Number("num_examples", split.num_examples);
  json->Number("num_bytes", split.num_bytes);
  json->Numbers("shard_lengths", split.shard_lengths);
  json->Texts("files", split.files);
  json->Close('}');
}

void WriteLabels(const Node& root, JsonWriter* json) {
  json->Key("labels");
  json->Open('{');
  VisitLeaves(root, [json](const Node& leaf, const LeafPlace&) {
    if (leaf.num_classes < 0) return;
    json->Key(leaf.path);
    json->Open('{');
    json->Number("num_classes", leaf.num_classes);
    if (leaf.label_names.empty()) {
      json->Null("names");
    } else {
      json->Texts("names", leaf.label_names);
    }
    json->Close('}');
  });
  json->Close('}');
}

void WriteLeaf(const Leaf& leaf, JsonWriter* json) {
  json->Open('{');
  json->Text("path", leaf.path());
  json->Texts("names", leaf.names);
  json->Text("class", leaf.node.class_name);
  json->Text("content", ContentText(leaf.node.content));
  json->Text("dtype", leaf.dtype);
  json->Numbers("lengths", leaf.lengths);
  json->Numbers("shape", leaf.shape);
  json->Flag("is_file", leaf.node.is_file);
  json->Text("file_dtype", leaf.node.is_file ? leaf.node.dtype : "");
  json->Numbers("file_shape",
                leaf.node.is_file ? leaf.node.shape : std::vector<int64_t>());
  json->TextOrNull("format", leaf.node.format);
  if (leaf.dataset) {
    json->Text("dataset", *leaf.dataset);
  } else {
    json->Null("dataset");
  }
  json->Close('}');
}

}  // namespace

std::string ToJson(const Info& info) {
  std::string text;
  JsonWriter json(&text);
  json.Open('{');
  json.Text("folder", info.folder);
  json.Text("name", info.name);
  json.TextOrNull("version", info.version);
  json.TextOrNull("config", info.config);
  json.Text("file_format", info.file_format);
  json.Key("splits");
  json.Open('[');
  for (const Split& split : info.splits) {
    json.Item();
    WriteSplit(split, &json);
  }
  json.Close(']');
  json.Key("features");
  WriteNode(info.features, &json);
  WriteLabels(info.features, &json);
  json.Close('}');
  return text;
}

std::string ToJson(const Columns& columns) {
  std::string text;
  JsonWriter json(&text);
  json.Open('{');
  json.Raw("spec", columns.spec.ToJson());
  json.Key("leaves");
  json.Open('[');
  for (const Leaf& leaf : columns.leaves) {
    json.Item();
    WriteLeaf(leaf, &json);
  }
  json.Close(']');
  json.Key("empty_dicts");
  json.Open('[');
  for (const std::vector<std::string>& names : columns.empty_dicts) {
    json.Item();
    json.List(names);
  }
  json.Close(']');
  json.Close('}');
  return text;
}

}  // namespace headrace::tfds
