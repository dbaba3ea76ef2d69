// RowChecker: whether the open row gives every tensor what it needs, by the
// rules of row_rules.h, and whether the tensors of the batch still fit the
// memory.

#ifndef HEADRACE_SRC_TENSOR_ROW_CHECKER_H_
#define HEADRACE_SRC_TENSOR_ROW_CHECKER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headrace/status.h"
#include "src/column/column_set.h"
#include "src/decode/decode_block.h"
#include "src/plan/program.h"

namespace headrace::tensor {

class RowChecker : public decode::RowCheck {
 public:
  // For a new batch. The program must outlive it.
  void Start(const plan::Program& program);

  bool looks_at_every_row() const override {
    return !checked_.empty() || !counted_.empty();
  }
  ErrorCode Check(column::ColumnSet* columns, bool dense_are_filled) override;

 private:
  // An output with rules of its own, and what its tensor takes so far.
  struct Checked {
    const plan::Output* output;
    uint64_t rows = 0;      // of ragged levels, in all
    uint64_t longest = 0;   // values of a row
    uint64_t new_rows = 0;  // of the open row
  };

  static ErrorCode CheckOutput(const column::ColumnSet& columns,
                               Checked* checked);
  static uint64_t LongestOf(const column::ColumnSet& columns,
                            const Checked& checked);
  static double CostOf(const column::ColumnSet& columns,
                       const Checked& checked);
  double BytesOfTensors(const column::ColumnSet& columns) const;

  // Dense slots, of which only cells that are not filled need a look.
  std::vector<const plan::Output*> dense_;
  std::vector<Checked> checked_;
  // Outputs that every row fits; only their memory counts.
  std::vector<Checked> counted_;
};

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_TENSOR_ROW_CHECKER_H_
