// These functions make the tensors of a batch from its sealed columns.

#ifndef HEADRACE_SRC_DECODE_TENSOR_ASSEMBLE_H_
#define HEADRACE_SRC_DECODE_TENSOR_ASSEMBLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "headrace/batch.h"
#include "headrace/status.h"
#include "src/decode/column/column_set.h"
#include "src/decode/tensor/slab/slabs.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

// Puts the results of functions in place of the values of committed rows that
// have none yet, for outputs that Program::mapped_in_place lists; no row may be
// open. Afterwards these values are not views of records any more.
void MapInPlace(const plan::Program& program, column::ColumnSet* columns);

// Makes the program's tensors, in the order of its outputs, from sealed
// columns; a RowChecker must have accepted every row. New arrays are allocated
// from the columns' memory; returns false if none is left. With slabs, which
// may be null, dense tensors are made in the first one, and some tensors are
// left to AssembleRest.
bool Assemble(const plan::Program& program, column::ColumnSet* columns,
              Slabs* slabs, std::vector<Tensor>* tensors);

// Asks for the second slab, and completes the tensors of Assemble and
// AssembleLists in it. Returns false if no memory is left, or if the slab was
// not granted: *refused is then the error.
bool AssembleRest(const plan::Program& program, column::ColumnSet* columns,
                  Slabs* slabs, std::vector<Tensor>* tensors, Status* refused);

// The lists of a sealed batch.
struct SealedLists {
  column::ColumnSet* columns;     // a row per Example
  std::span<const int32_t> ends;  // as in decode::ListRows
  std::span<const int32_t> sizes;
  std::vector<Column>* places;  // receives the columns with a row per place
};

// Appends the tensors of the Examples, the sizes and the mask. A ListChecker
// must have accepted every list. Returns false if there is no memory.
bool AssembleLists(const plan::Program& program, const SealedLists& lists,
                   std::vector<Tensor>* tensors);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_ASSEMBLE_H_
