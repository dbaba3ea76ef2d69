
#ifndef HEADRACE_SRC_DECODE_TENSOR_ASSEMBLE_H_
#define HEADRACE_SRC_DECODE_TENSOR_ASSEMBLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "headrace/batch.h"
#include "src/decode/column/column_set.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

// Makes the program's tensors, in the order of its outputs, of sealed columns
// whose every row a RowChecker has accepted. New arrays come from the columns'
// memory; false when there is none.
bool Assemble(const plan::Program& program, column::ColumnSet* columns,
              std::vector<Tensor>* tensors);

// What the lists of a sealed batch have.
struct SealedLists {
  column::ColumnSet* columns;     // a row per Example
  std::span<const int32_t> ends;  // as in decode::ListRows
  std::span<const int32_t> sizes;
  std::vector<Column>* places;  // gets columns that the tensors are made of
};

// Appends the tensors of the Examples, of sizes and mask. `columns` has what
// ListChecker has accepted.
bool AssembleLists(const plan::Program& program, const SealedLists& lists,
                   std::vector<Tensor>* tensors);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_ASSEMBLE_H_
