// This cold path says in words what is wrong with the row of one record.

#ifndef HEADRACE_SRC_TENSOR_EXPLAIN_H_
#define HEADRACE_SRC_TENSOR_EXPLAIN_H_

#include <string_view>

#include "headrace/status.h"
#include "src/plan/program.h"

namespace headrace::tensor {

// Explains why a row failed with `code`; file, record and offset are left to
// the caller. The code may differ if the bytes have changed since.
ErrorInfo ExplainRow(const plan::Program& program, std::string_view payload,
                     ErrorCode code);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_TENSOR_EXPLAIN_H_
