// Builds every array except structs: single values inside lists inside lists.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_NESTED_ARRAY_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_NESTED_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "headrace/arrow.h"
#include "headrace/status.h"
#include "src/exchange/arrow/array.h"
#include "src/exchange/arrow/column_batch.h"
#include "src/exchange/arrow/export_memory.h"
#include "src/exchange/arrow/layout.h"
#include "src/exchange/arrow/type.h"

namespace headrace::arrow {

// One level of lists, `length` of them.
struct Lists {
  size_t length = 0;
  int32_t size = kVariable;  // of each list; kVariable: see offsets
  // length + 1 offsets, the first 0. May be null if there are no lists at all.
  const int32_t* offsets = nullptr;
  // As in Column.
  size_t null_count = 0;
  const uint8_t* validity = nullptr;

  // Returns the first item of a list, counted over all lists; for `length`, the
  // end of all items.
  size_t Begin(size_t list) const {
    if (size != kVariable) return list * static_cast<size_t>(size);
    return list == 0 ? 0 : static_cast<size_t>(offsets[list]);
  }
  size_t Containing(size_t item) const;
};

struct NestedValues {
  std::string_view feature;      // named in errors
  std::span<const Lists> lists;  // outermost first
  TypeId type;                   // type of the values
  const void* values;
};

// Context that the arrays of one batch share.
struct ArrayContext {
  const ColumnBatch& batch;
  BytesAs bytes_as;
  Purpose purpose;
  ExportMemory* memory;
};

// Sets all of `out`. Errors are those of BuildArray.
Status BuildNested(const ArrayContext& context, const NestedValues& nested,
                   Array* out);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_NESTED_ARRAY_H_
