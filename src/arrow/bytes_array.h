// Values of kind bytes as arrays with offsets, and as views.

#ifndef HEADRACE_SRC_ARROW_BYTES_ARRAY_H_
#define HEADRACE_SRC_ARROW_BYTES_ARRAY_H_

#include <span>
#include <string_view>

#include "headrace/status.h"
#include "src/arrow/array.h"
#include "src/arrow/column_batch.h"
#include "src/arrow/export_memory.h"

namespace headrace::arrow {

struct BytesValues {
  std::string_view feature;  // for errors
  std::span<const std::string_view> values;
};

// Each sets the buffers of `out`, whose type, length and null count are set.

// kBinary, kString: 32-bit offsets; kLargeBinary: 64-bit.
Status BuildOffsetBytes(const BytesValues& bytes, ExportMemory* memory,
                        Array* out);

// Views into `pinned`, and into a copy of the values that lie outside of it:
// one of each, however often it comes.
Status BuildSharedViews(const BytesValues& bytes,
                        std::span<const reader::PinnedBytes> pinned,
                        ExportMemory* memory, Array* out);

// Views into a copy of all values, one after another.
Status BuildCompactViews(const BytesValues& bytes, ExportMemory* memory,
                         Array* out);

// Copies the values of every buffer that lists them.
Status Gather(ExportMemory* memory, std::span<Buffer> buffers);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_ARROW_BYTES_ARRAY_H_
