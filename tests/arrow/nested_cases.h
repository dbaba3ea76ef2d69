// Feature lists and tensors, with the type and the rows that they must have in
// every form of Arrow. For C++ and Python tests alike.

#ifndef HEADRACE_TESTS_ARROW_NESTED_CASES_H_
#define HEADRACE_TESTS_ARROW_NESTED_CASES_H_

#include <memory>
#include <string>
#include <vector>

#include "headrace/arrow.h"
#include "src/exchange/arrow/column_batch.h"
#include "src/exchange/arrow/layout.h"

namespace headrace::testing {

struct NestedCase {
  std::string name;
  // As TypeText and RowTexts have it; BYTES stands for what BytesAs chooses.
  std::string type;
  std::vector<std::string> rows;
  arrow::PlanFields fields;
  arrow::ColumnBatch batch;
  std::shared_ptr<void> memory;  // of the two
};

const std::vector<NestedCase>& NestedCases();

// `type` with BYTES replaced.
std::string TypeIn(const NestedCase& c, BytesAs bytes_as);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_ARROW_NESTED_CASES_H_
