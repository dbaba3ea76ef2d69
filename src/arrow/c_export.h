// The C data interface for columns and tensors that need not come from a Batch.

#ifndef HEADRACE_SRC_ARROW_C_EXPORT_H_
#define HEADRACE_SRC_ARROW_C_EXPORT_H_

#include <cstddef>

#include "headrace/arrow.h"
#include "headrace/batch.h"
#include "headrace/status.h"
#include "src/arrow/column_batch.h"
#include "src/arrow/layout.h"

namespace headrace::arrow {

// As ExportSchema.
Status ExportFields(const PlanFields& fields, const ArrowOptions& options,
                    ArrowSchema* out);
// As ExportFieldSchema.
Status ExportOneField(const PlanFields& fields, size_t index,
                      const ArrowOptions& options, ArrowSchema* out);

// As ExportBatch. The exported array keeps `hold`, on which the columns live.
Status ExportColumns(const ColumnBatch& columns, Batch hold,
                     const ArrowOptions& options, ArrowArray* out);
// As ExportField, likewise.
Status ExportOneColumn(const ColumnBatch& columns, size_t index, Batch hold,
                       const ArrowOptions& options, ArrowArray* out);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_ARROW_C_EXPORT_H_
