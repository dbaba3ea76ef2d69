// Array is a batch as the tree of buffers that Arrow describes.
//
// One tree serves the C data interface and IPC. Offsets, validity and numbers
// are those of the batch. Memory is allocated only for the extra buffers of
// bytes columns, for offsets where Arrow needs 64 bits or counts other units,
// and for the indices of sparse tensors, because each dimension of the indices
// is a separate column in Arrow.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_ARRAY_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "headrace/arrow.h"
#include "headrace/status.h"
#include "src/exchange/arrow/column_batch.h"
#include "src/exchange/arrow/export_memory.h"
#include "src/exchange/arrow/type.h"

namespace headrace::arrow {

// A buffer of `size` bytes at `data`. If data is null and size is not 0, its
// bytes are those of `values` one after another, without the values that are
// shorter than `shortest`.
struct Buffer {
  const void* data = nullptr;
  uint64_t size = 0;
  std::span<const std::string_view> values = {};
  size_t shortest = 0;

  bool gathered() const { return data != nullptr || size == 0; }
};

struct Array {
  TypeId type = TypeId::kNull;
  int64_t length = 0;
  int64_t null_count = 0;
  // In Arrow's order. A validity buffer without data means that no value is
  // null. Views point into the last num_variadic buffers.
  std::span<Buffer> buffers = {};
  size_t num_variadic = 0;
  std::span<Array> children = {};
};

enum class Purpose : uint8_t {
  // Another library reads the arrays in this process: every buffer is gathered,
  // and views point into the pinned input.
  kShare,
  // The arrays are written out: values of kind bytes are gathered while they
  // are written, and the buffers of views have only the bytes that the views
  // need. The output depends only on the values, not on where they are in
  // memory.
  kWrite,
};

// Makes the struct array whose children are the columns or tensors, in the
// order of MakeSchema. `memory` owns what is allocated. Returns
// kInvalidArgument for a value that must be UTF-8 and is not, kLimit if 32-bit
// offsets cannot count the bytes of a column or the values that row splits
// divide, and kOutOfMemory.
Status BuildArray(const ColumnBatch& batch, BytesAs bytes_as, Purpose purpose,
                  ExportMemory* memory, Array* root);

// Builds only the child for one column or tensor. Also returns kInvalidArgument
// for an index that is out of range.
Status BuildField(const ColumnBatch& batch, size_t index, BytesAs bytes_as,
                  Purpose purpose, ExportMemory* memory, Array* out);

// Makes a struct without nulls, with room for its children.
Status StartStruct(size_t length, size_t num_children, ExportMemory* memory,
                   Array* out);

// Returns what empty buffers point to: readable, aligned zeros.
const void* NoBytes();

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_ARRAY_H_
