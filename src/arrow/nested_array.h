// Single values inside lists inside lists: what every array but a struct is.

#ifndef HEADRACE_SRC_ARROW_NESTED_ARRAY_H_
#define HEADRACE_SRC_ARROW_NESTED_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "headrace/arrow.h"
#include "headrace/status.h"
#include "src/arrow/array.h"
#include "src/arrow/column_batch.h"
#include "src/arrow/export_memory.h"
#include "src/arrow/layout.h"
#include "src/arrow/type.h"

namespace headrace::arrow {

// One level of `length` lists.
struct Lists {
  size_t length = 0;
  int32_t size = kVariable;  // of each; kVariable: as the offsets say
  // length + 1, the first 0. May be null for no lists at all.
  const int32_t* offsets = nullptr;
  // As Column has it.
  size_t null_count = 0;
  const uint8_t* validity = nullptr;

  // Where the items of a list begin, counted over all lists; for `length`
  // where they end.
  size_t Begin(size_t list) const {
    if (size != kVariable) return list * static_cast<size_t>(size);
    return list == 0 ? 0 : static_cast<size_t>(offsets[list]);
  }
  // The list that has this item.
  size_t Containing(size_t item) const;
};

struct NestedValues {
  std::string_view feature;      // for errors
  std::span<const Lists> lists;  // outermost first
  TypeId type;                   // of the values
  const void* values;
};

// Everything that the arrays of one batch share.
struct ArrayContext {
  const ColumnBatch& batch;
  BytesAs bytes_as;
  Purpose purpose;
  ExportMemory* memory;
};

// Sets all of `out`. Errors as BuildArray.
Status BuildNested(const ArrayContext& context, const NestedValues& nested,
                   Array* out);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_ARROW_NESTED_ARRAY_H_
