// A small reader of the Arrow C data interface, written from its specification
// alone: what it finds wrong, and what the values are.

#ifndef HEADRACE_TESTS_ARROW_C_DATA_CHECKER_H_
#define HEADRACE_TESTS_ARROW_C_DATA_CHECKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/arrow.h"
#include "src/exchange/arrow/column_batch.h"

namespace headrace::testing {

// The first violation of the specification, or nothing. Reads every byte that
// the array may be read at.
std::string Violation(const ArrowSchema& schema, const ArrowArray& array);

// int64, list<float>, fixed[2]<binary>, {a: int8, b: null}, and with the shape
// of the extension type tensor[1,2]:fixed[2]<int64>.
std::string TypeText(const ArrowSchema& schema);

// Of one element: null, 7, 0x40900000 (a float's bits), "text" with bytes that
// are no printable ASCII as \xNN, [1, 2] and {a: 1}.
std::string ValueText(const ArrowSchema& schema, const ArrowArray& array,
                      int64_t index);

// The rows of a struct, a line each.
std::vector<std::string> RowTexts(const ArrowSchema& schema,
                                  const ArrowArray& array);
// The same from the columns that were exported.
std::vector<std::string> RowTexts(const arrow::ColumnBatch& batch);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_ARROW_C_DATA_CHECKER_H_
