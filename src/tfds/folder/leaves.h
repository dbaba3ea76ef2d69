// VisitLeaves visits the leaves of a tree in order, and FeatureOf makes the
// feature of a spec that reads a leaf.

#ifndef HEADRACE_SRC_TFDS_FOLDER_LEAVES_H_
#define HEADRACE_SRC_TFDS_FOLDER_LEAVES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// The place of a node in its tree.
struct LeafPlace {
  std::vector<std::string> names = {};  // on the path to it
  std::vector<int64_t> lengths = {};    // of the sequences around it
  std::optional<std::string> dataset = {};
};

// Calls visit(node, place) for each leaf. Trees of ParseFeatures are no deeper
// than kDeepestFeature, which bounds the recursion.
template <class TreeNode, class Visit>
void VisitLeaves(TreeNode& node, LeafPlace* place, Visit& visit) {
  if (node.kind == NodeKind::kLeaf) return visit(node, *place);
  const bool is_dict = node.kind == NodeKind::kDict;
  if (!is_dict) place->lengths.push_back(node.length);
  if (node.kind == NodeKind::kDataset) place->dataset = node.path;
  for (auto& child : node.children) {
    if (is_dict) place->names.push_back(child.name);
    VisitLeaves(child, place, visit);
    if (is_dict) place->names.pop_back();
  }
  if (node.kind == NodeKind::kDataset) place->dataset.reset();
  if (!is_dict) place->lengths.pop_back();
}

template <class TreeNode, class Visit>
void VisitLeaves(TreeNode& root, Visit visit) {
  LeafPlace place;
  VisitLeaves(root, &place, visit);
}

// Fills `feature` for a leaf without a problem (rules E1 to E8, X3). Returns
// why the leaf cannot be read; empty if it can.
std::string FeatureOf(const Leaf& leaf, FeatureConfig* feature);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_LEAVES_H_
