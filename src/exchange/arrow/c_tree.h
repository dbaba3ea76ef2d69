// In trees of ArrowSchema and ArrowArray every node holds a reference to one
// owner, so a consumer may move children out and release the nodes in any
// order, on any thread.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_C_TREE_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_C_TREE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "headrace/batch.h"
#include "headrace/status.h"
#include "src/base/out_of_memory.h"
#include "src/exchange/arrow/export_memory.h"

namespace headrace::arrow {

// TreeOwner owns the memory of a tree, and its batch. It starts with one
// reference. Create it with new (std::nothrow).
class TreeOwner {
 public:
  // A schema needs no batch.
  explicit TreeOwner(Batch batch = {}) : batch_(std::move(batch)) {}

  void Ref() { references_.fetch_add(1, std::memory_order_relaxed); }
  // The last reference deletes the owner.
  void Unref() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  ExportMemory* memory() { return &memory_; }

  struct Unreferencer {
    void operator()(TreeOwner* owner) const { owner->Unref(); }
  };

 private:
  ~TreeOwner() = default;

  std::atomic<size_t> references_{1};
  Batch batch_;
  ExportMemory memory_;
};

// Holds the reference that the owner starts with.
using TreeOwnerPointer = std::unique_ptr<TreeOwner, TreeOwner::Unreferencer>;

// The release callback of ArrowSchema and ArrowArray. A child that was moved
// out has no callback any more and lives on.
template <class Node>
void ReleaseNode(Node* node) {
  for (int64_t i = 0; i < node->n_children; ++i) {
    Node* const child = node->children[i];
    if (child->release != nullptr) child->release(child);
  }
  auto* const owner = static_cast<TreeOwner*>(node->private_data);
  node->release = nullptr;
  owner->Unref();
}

// Makes an empty node, which has a reference to `owner` and can be released.
template <class Node>
void StartNode(TreeOwner* owner, Node* node) {
  *node = {};
  owner->Ref();
  node->private_data = owner;
  node->release = &ReleaseNode<Node>;
}

// Allocates `count` children, none of which needs a release yet. Returns false
// if memory is exhausted.
template <class Node>
bool AllocateChildren(TreeOwner* owner, size_t count, Node* node) {
  std::span<Node> children;
  std::span<Node*> pointers;
  if (!owner->memory()->AllocateArray(count, &children) ||
      !owner->memory()->AllocateArray(count, &pointers)) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    children[i] = {};
    pointers[i] = &children[i];
  }
  node->children = pointers.data();
  node->n_children = static_cast<int64_t>(count);
  return true;
}

// Calls `fill`, which puts a tree into `out`. After an error `out` is released.
template <class Node, class Fill>
Status ExportTree(Node* out, Fill&& fill) {
  *out = {};
  Status status = CatchOutOfMemory(fill);
  if (!status.ok() && out->release != nullptr) out->release(out);
  return status;
}

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_C_TREE_H_
