// ColumnBatch has the parts of a Batch that src/exchange/arrow needs. Tests
// fill one by hand.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_COLUMN_BATCH_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_COLUMN_BATCH_H_

#include <cstddef>
#include <span>
#include <string>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "src/read/batch/batch_storage.h"

namespace headrace::arrow {

struct ColumnBatch {
  size_t num_rows = 0;
  std::span<const Column> columns = {};
  // A plan of tensors has as many fields as tensors.
  std::span<const Tensor> tensors = {};
  std::span<const TensorField> fields = {};
  bool has_sequence_struct = false;
  bool is_raw = false;   // see PlanFields
  bool is_list = false;  // see PlanFields
  // Memory that values of kind bytes point to, in row order. Defaults and
  // padding are elsewhere.
  std::span<const reader::PinnedBytes> pinned = {};
  // Origins of the rows and the files, which errors name. Either may be empty.
  std::span<const RowOrigin> origins = {};
  std::span<const std::string> files = {};
};

// Returns the columns of a batch; they live as long as any copy of the batch.
ColumnBatch ColumnsOf(const Batch& batch);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_COLUMN_BATCH_H_
