#include "src/arrow/column_batch.h"

namespace headrace::arrow {

ColumnBatch ColumnsOf(const Batch& batch) {
  ColumnBatch columns{.num_rows = batch.num_rows(),
                      .columns = batch.columns(),
                      .tensors = batch.tensors(),
                      .origins = batch.origins()};
  if (batch.storage() == nullptr) return columns;
  const Plan& plan = batch.storage()->plan();
  columns.fields = plan.tensors();
  columns.has_sequence_struct = plan.has_sequence_struct();
  columns.is_raw = plan.message() == MessageType::kRaw;
  columns.pinned = batch.storage()->pinned();
  return columns;
}

}  // namespace headrace::arrow
