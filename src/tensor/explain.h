// The cold path: what is wrong with the row of one record, in words.

#ifndef HEADRACE_SRC_TENSOR_EXPLAIN_H_
#define HEADRACE_SRC_TENSOR_EXPLAIN_H_

#include <string_view>

#include "headrace/status.h"
#include "src/plan/program.h"

namespace headrace::tensor {

// As decode::ExplainRow, for every class that a row can fail with.
ErrorInfo ExplainRow(const plan::Program& program, std::string_view payload,
                     ErrorCode code);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_TENSOR_EXPLAIN_H_
