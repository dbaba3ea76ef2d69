// Exports columns and tensors of any origin to the C data interface.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_C_EXPORT_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_C_EXPORT_H_

#include <cstddef>

#include "headrace/arrow.h"
#include "headrace/batch.h"
#include "headrace/status.h"
#include "src/exchange/arrow/column_batch.h"
#include "src/exchange/arrow/layout.h"

namespace headrace::arrow {

Status ExportFields(const PlanFields& fields, const ArrowOptions& options,
                    ArrowSchema* out);
Status ExportOneField(const PlanFields& fields, size_t index,
                      const ArrowOptions& options, ArrowSchema* out);

// The exported array keeps `hold`, which owns the columns, alive.
Status ExportColumns(const ColumnBatch& columns, Batch hold,
                     const ArrowOptions& options, ArrowArray* out);
Status ExportOneColumn(const ColumnBatch& columns, size_t index, Batch hold,
                       const ArrowOptions& options, ArrowArray* out);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_C_EXPORT_H_
