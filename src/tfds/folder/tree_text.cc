// Writes the tree of features as indented text.

#include <cstddef>
#include <string>

#include "headrace/tfds.h"
#include "src/base/text/quote.h"

namespace headrace::tfds {
namespace {

constexpr size_t kMaxNames = 10;  // of labels on a line

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
    // Odd characters are escaped as in quotes, which are left out.
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

std::string ToTree(const Node& root) {
  std::string text;
  AppendNode(root, "", &text);
  return text;
}

}  // namespace headrace::tfds
