#include "src/exchange/arrow/c_export.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "headrace/arrow.h"
#include "headrace/batch.h"
#include "headrace/status.h"
#include "src/base/out_of_memory.h"
#include "src/exchange/arrow/array.h"
#include "src/exchange/arrow/column_batch.h"
#include "src/exchange/arrow/export_memory.h"
#include "src/exchange/arrow/layout.h"
#include "src/exchange/arrow/type.h"

namespace headrace {
namespace arrow {
namespace {

// In trees of ArrowSchema and ArrowArray every node holds a reference to one
// owner, so a consumer may move children out and release the nodes in any
// order, on any thread.

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
// out no longer has a callback, so it lives on.
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

// Returns a copy that ends with a NUL; null if memory is exhausted.
const char* Copy(const std::string& text, TreeOwner* owner) {
  std::span<char> copy;
  if (!owner->memory()->AllocateArray(text.size() + 1, &copy)) return nullptr;
  std::memcpy(copy.data(), text.c_str(), copy.size());
  return copy.data();
}

// Appends a key or a value of metadata, after its length.
void Append(std::string_view text, std::string* metadata) {
  const auto size = static_cast<int32_t>(text.size());
  metadata->append(reinterpret_cast<const char*>(&size), sizeof(size));
  metadata->append(text);
}

bool FillExtension(const Field& field, TreeOwner* owner, ArrowSchema* out) {
  if (field.extension.empty()) return true;
  constexpr int32_t kPairs = 2;
  std::string metadata(reinterpret_cast<const char*>(&kPairs), sizeof(kPairs));
  Append(kExtensionName, &metadata);
  Append(field.extension, &metadata);
  Append(kExtensionMetadata, &metadata);
  Append(field.extension_metadata, &metadata);
  out->metadata = Copy(metadata, owner);
  return out->metadata != nullptr;
}

// Returns false if memory is exhausted; what was built can be released.
bool Fill(const Field& field, TreeOwner* owner, ArrowSchema* out) {
  StartNode(owner, out);
  out->format = Copy(FormatOf(field), owner);
  out->name = Copy(field.name, owner);
  out->flags = field.nullable ? ARROW_FLAG_NULLABLE : 0;
  if (!out->format || !out->name || !FillExtension(field, owner, out)) {
    return false;
  }
  if (!AllocateChildren(owner, field.children.size(), out)) return false;
  for (size_t i = 0; i < field.children.size(); ++i) {
    if (!Fill(field.children[i], owner, out->children[i])) return false;
  }
  return true;
}

// Refuses names with a NUL: they are C strings in the C data interface.
Status CheckCNames(const Field& field) {
  if (field.name.find('\0') != std::string::npos) {
    return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                            .message = "the Arrow C data interface cannot "
                                       "carry a name that has a NUL",
                            .feature = field.name});
  }
  for (const Field& child : field.children) {
    Status status = CheckCNames(child);
    if (!status.ok()) return status;
  }
  return Status();
}

template <class Make>
Status Export(ArrowSchema* out, Make make) {
  return ExportTree(out, [&]() -> Status {
    const Result<Field> field = make();
    if (!field) return field.status();
    Status names = CheckCNames(*field);
    if (!names.ok()) return names;
    const TreeOwnerPointer owner(new (std::nothrow) TreeOwner());
    if (!owner) return Status::OutOfMemory();
    return Fill(*field, owner.get(), out) ? Status() : Status::OutOfMemory();
  });
}

// An array of views ends with a buffer of the sizes of its variadic buffers;
// IPC has these sizes in its metadata.
bool FillSizes(const Array& array, TreeOwner* owner, const void** out) {
  std::span<int64_t> sizes;
  if (!owner->memory()->AllocateArray(array.num_variadic, &sizes)) return false;
  const std::span<Buffer> variadic = array.buffers.last(array.num_variadic);
  for (size_t i = 0; i < variadic.size(); ++i) {
    sizes[i] = static_cast<int64_t>(variadic[i].size);
  }
  *out = sizes.data();
  return true;
}

bool FillBuffers(const Array& array, TreeOwner* owner, ArrowArray* out) {
  const bool views = array.type == TypeId::kBinaryView;
  const size_t count = array.buffers.size();
  std::span<const void*> pointers;
  if (!owner->memory()->AllocateArray(count + (views ? 1 : 0), &pointers)) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) pointers[i] = array.buffers[i].data;
  if (views && !FillSizes(array, owner, &pointers[count])) return false;
  out->buffers = pointers.data();
  out->n_buffers = static_cast<int64_t>(pointers.size());
  return true;
}

// Returns false if memory is exhausted; what was built can be released.
bool Fill(const Array& array, TreeOwner* owner, ArrowArray* out) {
  StartNode(owner, out);
  out->length = array.length;
  out->null_count = array.null_count;
  if (!FillBuffers(array, owner, out)) return false;
  if (!AllocateChildren(owner, array.children.size(), out)) return false;
  for (size_t i = 0; i < array.children.size(); ++i) {
    if (!Fill(array.children[i], owner, out->children[i])) return false;
  }
  return true;
}

// Exports the array that `build` makes, as a tree that keeps `hold` alive.
template <class Build>
Status Export(Batch hold, ArrowArray* out, Build build) {
  return ExportTree(out, [&]() -> Status {
    const TreeOwnerPointer owner(new (std::nothrow) TreeOwner(std::move(hold)));
    if (!owner) return Status::OutOfMemory();
    Array root;
    Status status = build(owner->memory(), &root);
    if (!status.ok()) return status;
    return Fill(root, owner.get(), out) ? Status() : Status::OutOfMemory();
  });
}

}  // namespace

Status ExportFields(const PlanFields& fields, const ArrowOptions& options,
                    ArrowSchema* out) {
  return Export(out, [&] { return MakeSchema(fields, options); });
}

Status ExportOneField(const PlanFields& fields, size_t index,
                      const ArrowOptions& options, ArrowSchema* out) {
  return Export(out, [&] { return MakeField(fields, index, options); });
}

Status ExportColumns(const ColumnBatch& columns, Batch hold,
                     const ArrowOptions& options, ArrowArray* out) {
  return Export(std::move(hold), out, [&](ExportMemory* memory, Array* root) {
    return BuildArray(columns, options.bytes_as, Purpose::kShare, memory, root);
  });
}

Status ExportOneColumn(const ColumnBatch& columns, size_t index, Batch hold,
                       const ArrowOptions& options, ArrowArray* out) {
  return Export(std::move(hold), out, [&](ExportMemory* memory, Array* root) {
    return BuildField(columns, index, options.bytes_as, Purpose::kShare, memory,
                      root);
  });
}

}  // namespace arrow

Status ExportSchema(const Plan& plan, const ArrowOptions& options,
                    ArrowSchema* out) {
  return arrow::ExportFields(arrow::FieldsOf(plan), options, out);
}

Status ExportFieldSchema(const Plan& plan, size_t index,
                         const ArrowOptions& options, ArrowSchema* out) {
  return arrow::ExportOneField(arrow::FieldsOf(plan), index, options, out);
}

Status ExportBatch(const Batch& batch, const ArrowOptions& options,
                   ArrowArray* out) {
  arrow::ColumnBatch columns = arrow::ColumnsOf(batch);
  columns.files = options.files;
  return arrow::ExportColumns(columns, batch, options, out);
}

Status ExportField(const Batch& batch, size_t index,
                   const ArrowOptions& options, ArrowArray* out) {
  arrow::ColumnBatch columns = arrow::ColumnsOf(batch);
  columns.files = options.files;
  return arrow::ExportOneColumn(columns, index, batch, options, out);
}

}  // namespace headrace
