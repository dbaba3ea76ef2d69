// ListChecker says whether a list fits its tensors and the memory of the batch.
// A RowChecker judges the rows of the list one by one; ListChecker judges the
// places that fill up short lists, by rules Q2 and Q4 of docs/semantics.md.

#ifndef HEADRACE_SRC_DECODE_TENSOR_LIST_CHECKER_H_
#define HEADRACE_SRC_DECODE_TENSOR_LIST_CHECKER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headrace/status.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/list_rows.h"
#include "src/decode/tensor/row_checker.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

// The tensor that keeps short lists from being filled up: a place without an
// Example has no features, and the tensor has no values for such a place.
// `code` is the reason, mostly kMissingFeature. If there are several such
// tensors, this is the one that rule E2 reports first. `output` is null if
// short lists can be filled up.
struct Required {
  const plan::Output* output = nullptr;
  ErrorCode code = ErrorCode::kOk;
};
Required FindRequired(const plan::Program& examples);

// Returns the number of places in each list of a batch: `list_size` or, if that
// is 0, the size of the longest list, but at least 1.
size_t ListPlaces(uint64_t list_size, size_t longest);

class ListChecker : public decode::ListCheck {
 public:
  // Starts a batch. `examples` judges the rows of the Examples; it and the
  // program must outlive the batch.
  void Start(const plan::Program& program, RowChecker* examples);

  void Begin() override { examples_->Save(&saved_); }
  ErrorCode Check(column::ColumnSet* context, column::ColumnSet* examples,
                  size_t count) override;
  void RollBack() override { examples_->Restore(saved_); }

 private:
  double BytesOfPlaces(const column::ColumnSet& examples, size_t lists,
                       size_t places, bool is_even) const;

  RowChecker* examples_ = nullptr;
  const plan::ListParts* parts_ = nullptr;
  Required required_;
  std::vector<RowChecker::RowsSoFar> saved_;
  // Bytes of a place without an Example, without the padding of
  // fixed_len_sequences.
  double place_bytes_ = 0;
  std::vector<uint32_t> coordinate_slots_;  // of COO tensors
  size_t longest_ = 0;
  size_t shortest_ = 0;
};

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_LIST_CHECKER_H_
