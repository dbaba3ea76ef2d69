// Removes the padding of lists of Examples, which Arrow does not have.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_UNPADDED_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_UNPADDED_H_

#include "headrace/batch.h"
#include "headrace/status.h"
#include "src/exchange/arrow/export_memory.h"

namespace headrace::arrow {

// Removes the padding of short lists from a tensor of the Examples of lists.
// Its row_offsets, and its first row splits, then lead from lists to Examples;
// with `takes_values` its values are rows of Examples, one after another.
// Returns kInvalidArgument for a ragged tensor that has rows where there is no
// Example, and kOutOfMemory.
Status TakeOutPadding(bool takes_values, ExportMemory* memory, Tensor* tensor);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_UNPADDED_H_
