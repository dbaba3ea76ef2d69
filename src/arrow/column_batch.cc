#include "src/arrow/column_batch.h"

namespace headrace::arrow {

ColumnBatch ColumnsOf(const Batch& batch) {
  ColumnBatch columns{.num_rows = batch.num_rows(),
                      .columns = batch.columns(),
                      .origins = batch.origins()};
  if (batch.storage() != nullptr) columns.pinned = batch.storage()->pinned();
  return columns;
}

}  // namespace headrace::arrow
