// Builds the arrays of tensors: lists and values, nested as in layout.h.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_TENSOR_ARRAY_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_TENSOR_ARRAY_H_

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/exchange/arrow/array.h"
#include "src/exchange/arrow/nested_array.h"

namespace headrace::arrow {

// Sets all of `out`. Errors are those of BuildArray.
Status BuildTensor(const ArrayContext& context, const TensorField& field,
                   const Tensor& tensor, Array* out);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_TENSOR_ARRAY_H_
