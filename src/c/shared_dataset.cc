#include "src/c/shared_dataset.h"

namespace headrace::c {

std::unique_ptr<Dataset> SharedDataset::TakeCopy() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Dataset> copy = std::move(free_.back());
      free_.pop_back();
      return copy;
    }
  }
  return std::make_unique<Dataset>(dataset_);
}

Result<Batch> SharedDataset::Take(std::span<const uint64_t> rows) {
  std::unique_ptr<Dataset> copy = TakeCopy();
  Result<Batch> batch = copy->Take(rows);
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(copy));
  return batch;
}

}  // namespace headrace::c
