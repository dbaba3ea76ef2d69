// Lists of Examples are padded in tensors, and not in Arrow.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_UNPADDED_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_UNPADDED_H_

#include "headrace/batch.h"
#include "headrace/status.h"
#include "src/exchange/arrow/export_memory.h"

namespace headrace::arrow {

// Takes what fills up short lists out of a tensor of the Examples of lists. Its
// row_offsets, and the first row splits, then lead from lists to Examples; with
// `takes_values` its values are rows of Examples, one after another. Fails with
// kInvalidArgument for a ragged tensor that has rows where there is no Example,
// and with kOutOfMemory.
Status TakeOutPadding(bool takes_values, ExportMemory* memory, Tensor* tensor);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_UNPADDED_H_
