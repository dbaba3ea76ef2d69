
#ifndef HEADRACE_SRC_TENSOR_ASSEMBLE_H_
#define HEADRACE_SRC_TENSOR_ASSEMBLE_H_

#include <vector>

#include "headrace/batch.h"
#include "src/column/column_set.h"
#include "src/plan/program.h"

namespace headrace::tensor {

// Makes the program's tensors, in the order of its outputs, of sealed columns
// whose every row a RowChecker has accepted. New arrays come from the columns'
// memory; false when there is none.
bool Assemble(const plan::Program& program, column::ColumnSet* columns,
              std::vector<Tensor>* tensors);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_TENSOR_ASSEMBLE_H_
