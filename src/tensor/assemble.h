// From the columns of a batch to its tensors.

#ifndef HEADRACE_SRC_TENSOR_ASSEMBLE_H_
#define HEADRACE_SRC_TENSOR_ASSEMBLE_H_

#include <vector>

#include "headrace/batch.h"
#include "src/column/column_set.h"
#include "src/plan/program.h"

namespace headrace::tensor {

// Makes the program's tensors of sealed columns, whose every row a RowChecker
// has accepted. What is not in the columns already comes from their memory;
// false when there is none. `tensors` is filled in the order of the outputs.
bool Assemble(const plan::Program& program, column::ColumnSet* columns,
              std::vector<Tensor>* tensors);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_TENSOR_ASSEMBLE_H_
