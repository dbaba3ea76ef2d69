// ColumnBatch: what this room needs of a Batch. Tests fill one by hand.

#ifndef HEADRACE_SRC_ARROW_COLUMN_BATCH_H_
#define HEADRACE_SRC_ARROW_COLUMN_BATCH_H_

#include <cstddef>
#include <span>
#include <string>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "src/reader/batch_storage.h"

namespace headrace::arrow {

struct ColumnBatch {
  size_t num_rows = 0;
  std::span<const Column> columns = {};
  // Of a plan of tensors: as many of either.
  std::span<const Tensor> tensors = {};
  std::span<const TensorField> fields = {};
  bool has_sequence_struct = false;
  bool is_raw = false;  // as PlanFields
  // Where values of kind bytes point to, in row order. Defaults, and what fills
  // up padding, lie elsewhere.
  std::span<const reader::PinnedBytes> pinned = {};
  // For errors: one a row, and the names of the files. Either may be empty.
  std::span<const RowOrigin> origins = {};
  std::span<const std::string> files = {};
};

// Lives as long as any copy of the batch.
ColumnBatch ColumnsOf(const Batch& batch);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_ARROW_COLUMN_BATCH_H_
