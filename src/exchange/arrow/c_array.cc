// Exports columns and tensors as arrays of the C data interface.

#include <new>
#include <span>
#include <utility>

#include "headrace/arrow.h"
#include "src/exchange/arrow/array.h"
#include "src/exchange/arrow/c_export.h"
#include "src/exchange/arrow/c_tree.h"
#include "src/exchange/arrow/column_batch.h"

namespace headrace {
namespace arrow {
namespace {

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
