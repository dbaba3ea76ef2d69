// SharedDataset is a dataset that any number of threads may use together.

#ifndef HEADRACE_SRC_C_SHARED_DATASET_H_
#define HEADRACE_SRC_C_SHARED_DATASET_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/dataset.h"
#include "headrace/status.h"

namespace headrace::c {

class SharedDataset {
 public:
  SharedDataset(Dataset dataset, ArrowOptions arrow)
      : dataset_(std::move(dataset)), arrow_(std::move(arrow)) {
    // Errors of rows name their files.
    arrow_.files = dataset_.files();
  }

  // Rows are never taken from this dataset, so it has no open files; each copy
  // has its own.
  const Dataset& dataset() const { return dataset_; }
  const ArrowOptions& arrow() const { return arrow_; }

  Result<Batch> Take(std::span<const uint64_t> rows);

 private:
  std::unique_ptr<Dataset> TakeCopy();

  const Dataset dataset_;
  ArrowOptions arrow_;
  std::mutex mutex_;                            // guards free_
  std::vector<std::unique_ptr<Dataset>> free_;  // copies not in use
};

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_SHARED_DATASET_H_
