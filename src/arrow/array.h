// Array: a batch as the tree of buffers that Arrow describes.
//
// One tree serves the C data interface and IPC. Offsets, validity and numbers
// are the batch's own; only what bytes need besides is allocated, offsets that
// count something else than Arrow's or have 64 bits, and the indices of sparse
// tensors, which Arrow has a column each.

#ifndef HEADRACE_SRC_ARROW_ARRAY_H_
#define HEADRACE_SRC_ARROW_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "headrace/arrow.h"
#include "headrace/status.h"
#include "src/arrow/column_batch.h"
#include "src/arrow/export_memory.h"
#include "src/arrow/type.h"

namespace headrace::arrow {

// Some bytes: either `size` of them at `data`, or, where data is null and size
// is not 0, those of `values` one after another, leaving out the values that
// are shorter than `shortest`.
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
  // In the order that Arrow gives. A validity buffer without data says that no
  // value is null. The last num_variadic are those that views point into.
  std::span<Buffer> buffers = {};
  size_t num_variadic = 0;
  std::span<Array> children = {};
};

// What the arrays are for.
enum class Purpose : uint8_t {
  // Another library reads them in this process: every buffer is gathered, and
  // views point into the pinned input.
  kShare,
  // They are written out: values of kind bytes are gathered on the way, and
  // views come with just the bytes they need. What is written depends on the
  // values only, not on where in memory they happened to be.
  kWrite,
};

// The struct array whose children are the columns or tensors, as MakeSchema
// orders them. What is allocated belongs to `memory`. kInvalidArgument for a
// value that is not UTF-8 and should be; kLimit for more bytes in a column than
// 32-bit offsets reach, and for row splits that they do not; kOutOfMemory.
Status BuildArray(const ColumnBatch& batch, BytesAs bytes_as, Purpose purpose,
                  ExportMemory* memory, Array* root);

// The child that stands there for one column or tensor; nothing is built for
// the others. kInvalidArgument also for an index that none has.
Status BuildField(const ColumnBatch& batch, size_t index, BytesAs bytes_as,
                  Purpose purpose, ExportMemory* memory, Array* out);

// A struct of which nothing is null, with room for its children.
Status StartStruct(size_t length, size_t num_children, ExportMemory* memory,
                   Array* out);

// Where an empty buffer points: readable, aligned, and zero.
const void* NoBytes();

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_ARROW_ARRAY_H_
