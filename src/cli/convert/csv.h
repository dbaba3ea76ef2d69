// CSV (RFC 4180) has no lists, so it can hold only columns of at most one value
// per row.

#ifndef HEADRACE_SRC_CLI_CONVERT_CSV_H_
#define HEADRACE_SRC_CLI_CONVERT_CSV_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/status.h"

namespace headrace::cli {

// Appends the first line, which has the names.
void AppendCsvHeader(std::span<const ColumnField> columns, std::string* out);

// Appends a row. A null and an empty list are an empty cell; an empty string is
// "". Bytes that are not UTF-8 are "b64:" and their base64. Returns
// kWrongCount, and appends nothing, for a list of more than one value.
Status AppendCsvRow(const Batch& batch, size_t row, std::string* out);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_CONVERT_CSV_H_
