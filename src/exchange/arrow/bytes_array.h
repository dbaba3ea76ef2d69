// Makes arrays of values of kind bytes, with offsets or views.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_BYTES_ARRAY_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_BYTES_ARRAY_H_

#include <span>
#include <string_view>

#include "headrace/status.h"
#include "src/exchange/arrow/array.h"
#include "src/exchange/arrow/column_batch.h"
#include "src/exchange/arrow/export_memory.h"

namespace headrace::arrow {

struct BytesValues {
  std::string_view feature;  // for errors
  std::span<const std::string_view> values;
};

// The Build functions set the buffers of `out`, whose type, length and null
// count must be set already.

// kBinary and kString have 32-bit offsets, kLargeBinary 64-bit ones.
Status BuildOffsetBytes(const BytesValues& bytes, ExportMemory* memory,
                        Array* out);

// Views point into `pinned`, or into one copy of each value that is not in it.
Status BuildSharedViews(const BytesValues& bytes,
                        std::span<const reader::PinnedBytes> pinned,
                        ExportMemory* memory, Array* out);

// Views point into a copy of all values, one after another.
Status BuildCompactViews(const BytesValues& bytes, ExportMemory* memory,
                         Array* out);

// Copies the values of each buffer that only lists them, one after another.
Status Gather(ExportMemory* memory, std::span<Buffer> buffers);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_BYTES_ARRAY_H_
