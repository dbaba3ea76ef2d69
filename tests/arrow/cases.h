// Batches that every form of Arrow must carry, for C++ and Python tests alike.

#ifndef HEADRACE_TESTS_ARROW_CASES_H_
#define HEADRACE_TESTS_ARROW_CASES_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/arrow/column_maker.h"

namespace headrace::testing {

struct Case {
  std::string name;
  std::unique_ptr<ColumnMaker> columns;
  bool is_utf8 = true;      // all values of kind bytes
  bool has_c_names = true;  // no name has a NUL
};

const std::vector<Case>& Cases();

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_ARROW_CASES_H_
