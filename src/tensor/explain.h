// The cold path: what is wrong with the row of one record, in words.

#ifndef HEADRACE_SRC_TENSOR_EXPLAIN_H_
#define HEADRACE_SRC_TENSOR_EXPLAIN_H_

#include <string_view>

#include "headrace/status.h"
#include "src/plan/program.h"

namespace headrace::tensor {

// The error of a record whose row failed with `code`, without file, record and
// offset. It may be of another class where the bytes have changed since.
ErrorInfo ExplainRow(const plan::Program& program, std::string_view payload,
                     ErrorCode code);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_TENSOR_EXPLAIN_H_
