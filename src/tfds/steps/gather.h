// Gather makes a tensor from items of other tensors, for StepPlan. Items are
// rows, or steps of rows.

#ifndef HEADRACE_SRC_TFDS_STEPS_GATHER_H_
#define HEADRACE_SRC_TFDS_STEPS_GATHER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headrace/batch.h"
#include "headrace/types.h"
#include "src/read/batch/batch_storage.h"

namespace headrace::steps {

// All items of one tensor, one after another in memory. Each dense item has
// `item_values` values. `splits` divide ragged items; the last level counts
// units of `item_values` values.
struct Items {
  const void* values = nullptr;
  std::span<const RowSplits> splits = {};
  size_t item_values = 1;
};

// `count` consecutive items of batch `batch`, from item `begin` on.
struct Run {
  uint32_t batch = 0;
  size_t begin = 0;
  size_t count = 0;
};

// Collects items. Neighbours in the same batch become one run.
class Runs {
 public:
  void Add(uint32_t batch, size_t item) {
    if (!runs_.empty()) {
      Run& last = runs_.back();
      if (last.batch == batch && last.begin + last.count == item) {
        ++last.count;
        return;
      }
    }
    runs_.push_back({batch, item, 1});
  }
  std::span<const Run> all() const { return runs_; }

 private:
  std::vector<Run> runs_;
};

// Puts the items of the runs, in order, into `tensor`: sets its values, which
// are not copied if they are one run, and fills `levels`, the levels of row
// splits inside items. The caller sets everything else of the tensor. Returns
// false if memory runs out, or if a split does not fit its type.
bool Gather(std::span<const Items> batches, std::span<const Run> runs,
            DType dtype, reader::BatchStorage* storage,
            std::span<RowSplits> levels, Tensor* tensor);

}  // namespace headrace::steps

#endif  // HEADRACE_SRC_TFDS_STEPS_GATHER_H_
