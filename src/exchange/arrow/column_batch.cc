#include "src/exchange/arrow/column_batch.h"

namespace headrace::arrow {

ColumnBatch ColumnsOf(const Batch& batch) {
  ColumnBatch columns{.num_rows = batch.num_rows(),
                      .columns = batch.columns(),
                      .tensors = batch.tensors(),
                      .origins = batch.origins()};
  const auto* const storage = reader::BatchStorage::Of(batch);
  if (storage == nullptr) return columns;
  const Plan& plan = storage->plan();
  columns.fields = plan.tensors();
  columns.has_sequence_struct = plan.has_sequence_struct();
  columns.is_raw = plan.message() == MessageType::kRaw;
  columns.is_list = IsListOfExamples(plan.message());
  columns.pinned = storage->pinned();
  return columns;
}

}  // namespace headrace::arrow
