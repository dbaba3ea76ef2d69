// RowChecker: whether a row gives every tensor what it needs, and whether the
// tensors of the batch still fit the memory. Every row is checked on its own
// (rules T, R and P of docs/semantics.md), so no row can take or leave values
// of another.

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

  // Whether rows need to be checked at all.
  bool has_work() const { return !checked_.empty() || !counted_.empty(); }

  ErrorCode Check(column::ColumnSet* columns, ErrorCode pending) override;

 private:
  // An output with rules of its own, and what its tensor takes so far.
  struct Checked {
    const plan::Output* output;
    uint64_t rows = 0;      // of ragged levels, in all
    uint64_t longest = 0;   // values of a row
    uint64_t new_rows = 0;  // of the open row
  };

  ErrorCode CheckOutput(const column::ColumnSet& columns, Checked* checked);
  ErrorCode CheckFixedLen(const column::ColumnSet& columns,
                          const plan::Output& output) const;
  ErrorCode CheckSequence(const column::ColumnSet& columns,
                          const plan::Output& output) const;
  ErrorCode CheckSparse(const column::ColumnSet& columns,
                        const plan::Output& output) const;
  ErrorCode CheckRagged(const column::ColumnSet& columns, Checked* checked);
  static uint64_t LongestOf(const column::ColumnSet& columns,
                            const Checked& checked);
  static double CostOf(const column::ColumnSet& columns,
                       const Checked& checked);
  double BytesOfTensors(const column::ColumnSet& columns) const;

  std::vector<Checked> checked_;
  // Outputs that every row fits; only their memory counts.
  std::vector<Checked> counted_;
};

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_TENSOR_ROW_CHECKER_H_
