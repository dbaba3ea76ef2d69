// RowChecker says whether the open row gives every tensor what it needs, by the
// rules of row_rules.h, and whether the batch's tensors still fit the memory.

#ifndef HEADRACE_SRC_DECODE_TENSOR_ROW_CHECKER_H_
#define HEADRACE_SRC_DECODE_TENSOR_ROW_CHECKER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headrace/status.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/tensor/inflated_row.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

class RowChecker : public decode::RowCheck {
 public:
  // What an output needs to know of the rows before the open one.
  struct RowsSoFar {
    uint64_t rows = 0;     // of all ragged levels
    uint64_t longest = 0;  // values of the longest row
    uint64_t bytes = 0;    // of all arrays in encoded values
  };

  // Starts a batch. The program must outlive it.
  void Start(const plan::Program& program);

  ErrorCode Check(column::ColumnSet* columns, bool dense_are_filled) override;

  // Rows may be taken back together; then the checker must forget them, too.
  // What it knows of them is saved before they come.
  void Save(std::vector<RowsSoFar>* saved) const;
  void Restore(const std::vector<RowsSoFar>& saved);
  // What one more row of all fixed_len_sequences takes.
  double BytesOfLongestRow() const;

 private:
  // Such an output has rules of its own.
  struct Checked {
    const plan::Output* output;
    RowsSoFar so_far = {};
    // The open row adds these, and has so many rows in its outermost dimension.
    uint64_t new_rows = 0;
    uint64_t new_bytes = 0;
    size_t length = 0;
    bool is_right = false;
    const Checked* first = nullptr;  // of its group, if it has one
  };

  // What the memory of a tensor depends on, summed over the batch.
  struct Extent {
    double rows = 0;
    double values = 0;
    double steps = 0;
    double longest = 0;  // values of the longest row
  };

  ErrorCode CheckOutput(column::ColumnSet* columns, Checked* checked);
  ErrorCode CheckGroups() const;
  static uint64_t LongestOf(const column::ColumnSet& columns,
                            const Checked& checked);
  static Extent ExtentOf(const column::ColumnSet& columns,
                         const Checked& checked);
  static Extent RoomOf(const column::ColumnSet& columns,
                       const Checked& checked);
  static double CostOf(const Checked& checked, const Extent& extent);
  double BytesOfTensors(const column::ColumnSet& columns);
  void FindGroups();

  // Only cells of dense slots that are not filled need a check.
  std::vector<const plan::Output*> dense_;
  std::vector<Checked> checked_;
  // Every row fits these outputs; only their memory counts.
  std::vector<Checked> counted_;
  std::vector<const Checked*> firsts_;  // by output; of groups alone
  InflatedRow inflated_;
  // They take no more than this, as long as the columns have grown so often.
  double most_counted_ = 0;
  uint64_t most_counted_growths_ = 0;
};

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_ROW_CHECKER_H_
