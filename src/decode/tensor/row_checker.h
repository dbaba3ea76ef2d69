// RowChecker says whether the open row fits every tensor, by the rules of
// row_rules.h, and whether the batch's tensors still fit the memory.

#ifndef HEADRACE_SRC_DECODE_TENSOR_ROW_CHECKER_H_
#define HEADRACE_SRC_DECODE_TENSOR_ROW_CHECKER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "src/base/cast.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/tensor/inflated_row.h"
#include "src/decode/tensor/tensor_proto.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

class RowChecker : public decode::RowCheck {
 public:
  // Totals of an output over the rows before the open one.
  struct RowsSoFar {
    uint64_t rows = 0;     // of all ragged levels
    uint64_t longest = 0;  // values of the longest row
    uint64_t bytes = 0;    // of all arrays in encoded values
  };

  // Starts a batch. The program must outlive it. If `by_block`, ranges of
  // values that no row cuts are judged by FitsBlock, and not by Check.
  void Start(const plan::Program& program, bool by_block = false);
  // From now on counts the copies of columns that Slabs::MoveIn makes.
  void CountCopies() { counts_copies_ = true; }

  bool judges_by_block() const { return !by_block_.empty(); }
  // BeginBlock is called before the rows of a block are decoded. FitsBlock
  // returns whether all values of its rows are in range. If not, it takes the
  // rows back, and they must be decoded again: until the next batch, Check
  // judges all ranges.
  void BeginBlock(const column::ColumnSet& columns);
  bool FitsBlock(column::ColumnSet* columns);

  ErrorCode Check(column::ColumnSet* columns, bool dense_are_filled) override;

  // Save is called before a list's rows are decoded. If they are rolled back,
  // Restore makes the checker forget them, too.
  void Save(std::vector<RowsSoFar>* saved) const;
  void Restore(const std::vector<RowsSoFar>& saved);
  // Returns the bytes that one more row of all fixed_len_sequences takes.
  double BytesOfLongestRow() const;

 private:
  // The state of an output that is not dense.
  struct Checked {
    const plan::Output* output;
    RowsSoFar so_far = {};
    // What the open row adds, and its number of rows in the outermost
    // dimension.
    uint64_t new_rows = 0;
    uint64_t new_bytes = 0;
    size_t length = 0;
    bool is_right = false;
    const Checked* first = nullptr;  // of its group, if it has one
  };

  // The sizes, over the batch, that determine the memory of a tensor.
  struct Extent {
    double rows = 0;
    double values = 0;
    double steps = 0;
    double longest = 0;  // values of the longest row
  };

  ErrorCode CheckOutput(column::ColumnSet* columns, Checked* checked);
  ErrorCode CheckRanges(column::ColumnSet* columns, ErrorCode code);
  ErrorCode CheckGroups() const;
  void TakeBackBlock(column::ColumnSet* columns);
  static uint64_t LongestOf(const column::ColumnSet& columns,
                            const Checked& checked);
  static Extent ExtentOf(const column::ColumnSet& columns,
                         const Checked& checked);
  static Extent RoomOf(const column::ColumnSet& columns,
                       const Checked& checked);
  double CostOf(const Checked& checked, const Extent& extent) const;
  bool HasTooManyValues(const column::ColumnSet& columns);
  double BytesOfTensors(const column::ColumnSet& columns);
  void FindGroups();

  // Dense outputs, whose cells need a check only if they are not filled.
  std::vector<const plan::Output*> dense_;
  std::vector<Checked> checked_;
  // Members of which only the range of the values can be wrong.
  struct Range {
    const plan::Output* output;
    CastRange range;
    size_t judged = 0;  // values of the batch
  };
  std::vector<Range> ranges_;
  // Members whose ranges FitsBlock judges.
  std::vector<Range> by_block_;
  std::vector<RowsSoFar> before_block_;
  uint64_t kept_before_block_ = 0;
  uint32_t rows_before_block_ = 0;
  std::vector<uint32_t> defaults_before_block_;  // in the order of dense_
  // Outputs that every row fits; only their memory counts.
  std::vector<Checked> counted_;
  std::vector<const Checked*> firsts_;  // of groups, by output
  bool counts_copies_ = false;
  InflatedRow inflated_;
  TensorProto proto_;  // the value that is being judged
  // An upper bound of the bytes of counted_, and the columns' num_growths() for
  // which it is valid.
  double most_counted_ = 0;
  uint64_t most_counted_growths_ = 0;
  // Jagged groups with int32 lengths; whether their columns have room for more
  // values than those can count, and the num_growths() for which that is known.
  std::vector<const plan::Output*> jagged_;
  bool jagged_may_overflow_ = false;
  uint64_t jagged_growths_ = 0;
};

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_ROW_CHECKER_H_
