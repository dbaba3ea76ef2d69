// Values of kind bytes as arrays with offsets, and as views.

#ifndef HEADRACE_SRC_ARROW_BYTES_ARRAY_H_
#define HEADRACE_SRC_ARROW_BYTES_ARRAY_H_

#include <span>

#include "headrace/batch.h"
#include "headrace/status.h"
#include "src/arrow/array.h"
#include "src/arrow/column_batch.h"
#include "src/arrow/export_memory.h"

namespace headrace::arrow {

// Each sets the buffers of `out`, whose type, length and null count are set.

// kBinary, kString: 32-bit offsets; kLargeBinary: 64-bit.
Status BuildOffsetBytes(const Column& column, ExportMemory* memory, Array* out);

// Views into `pinned`. Where a value lies outside of it, and when `pinned` is
// empty, views into a copy.
Status BuildViews(const Column& column,
                  std::span<const reader::PinnedBytes> pinned,
                  ExportMemory* memory, Array* out);

// Copies the values of every buffer that lists them.
Status Gather(ExportMemory* memory, std::span<Buffer> buffers);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_ARROW_BYTES_ARRAY_H_
