// These functions say in words what is wrong with the row of one record. They
// are a cold path: decoding reports only codes.

#ifndef HEADRACE_SRC_DECODE_EXPLAIN_EXPLAIN_H_
#define HEADRACE_SRC_DECODE_EXPLAIN_EXPLAIN_H_

#include <cstddef>
#include <string_view>

#include "headrace/status.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

// Explains why a row failed with `code`. Does not set file, record and offset.
// The returned code may differ if the bytes have changed since.
ErrorInfo ExplainRow(const plan::Program& program, std::string_view payload,
                     ErrorCode code);

// Does the same for a whole record, or for a message inside a record; `depth`
// is the number of messages around it. Returns kOk if nothing is wrong with it.
ErrorInfo ExplainPart(const plan::Program& program, std::string_view message,
                      int depth, ErrorCode code);

// Explains why a record that is a list of Examples failed.
ErrorInfo ExplainList(const plan::Program& program, std::string_view payload,
                      ErrorCode code);

// Explains why a list of `size` Examples cannot be filled up to `places`.
ErrorInfo ExplainShortList(const plan::Program& program, size_t size,
                           size_t places);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_EXPLAIN_EXPLAIN_H_
