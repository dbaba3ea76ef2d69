// Array is a batch as the tree of buffers that Arrow describes.
//
// One tree serves the C data interface and IPC. Offsets, validity and numbers
// are the batch's own. Memory is allocated only for what bytes need besides,
// for offsets that count something else than Arrow's or have 64 bits, and for
// indices of sparse tensors, which Arrow has in a column each.

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

// A buffer has `size` bytes at `data`. Where data is null and size is not 0, it
// has those of `values` one after another, leaving out values that are shorter
// than `shortest`.
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
  // They are in Arrow's order. A validity buffer without data says that no
  // value is null. Views point into the last num_variadic ones.
  std::span<Buffer> buffers = {};
  size_t num_variadic = 0;
  std::span<Array> children = {};
};

enum class Purpose : uint8_t {
  // Another library reads the arrays in this process: every buffer is gathered,
  // and views point into the pinned input.
  kShare,
  // The arrays are written out: values of kind bytes are gathered on the way,
  // and views come with just the bytes they need. What is written depends on
  // the values only, not on where in memory they happened to be.
  kWrite,
};

// Makes the struct array whose children are the columns or tensors, as
// MakeSchema orders them. `memory` owns what is allocated. Fails with
// kInvalidArgument for a value that is not UTF-8 and should be, kLimit for more
// bytes in a column or values in row splits than 32-bit offsets reach,
// kOutOfMemory.
Status BuildArray(const ColumnBatch& batch, BytesAs bytes_as, Purpose purpose,
                  ExportMemory* memory, Array* root);

// Builds nothing except the child for one column or tensor. Fails with
// kInvalidArgument also for an index that none has.
Status BuildField(const ColumnBatch& batch, size_t index, BytesAs bytes_as,
                  Purpose purpose, ExportMemory* memory, Array* out);

// The struct has no nulls, and room for its children.
Status StartStruct(size_t length, size_t num_children, ExportMemory* memory,
                   Array* out);

// An empty buffer points here: readable, aligned, and zero.
const void* NoBytes();

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_ARRAY_H_
