// BatchStorage: what a Batch handle refers to, and the pool it returns to.

#ifndef HEADRACE_SRC_READER_BATCH_STORAGE_H_
#define HEADRACE_SRC_READER_BATCH_STORAGE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "headrace/batch.h"
#include "headrace/limits.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/base/arena.h"
#include "src/base/pin.h"
#include "src/column/column_set.h"
#include "src/decode/decode_block.h"
#include "src/record/scanner.h"
#include "src/tensor/row_checker.h"

namespace headrace::reader {

class BatchPool;

// A stretch of input that stays as it is while the batch lives. All values of
// kind bytes lie in one.
struct PinnedBytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

// What a copy of a batch has instead of rows that were decoded.
struct CopiedRows {
  size_t num_rows = 0;
  std::vector<Column> columns = {};
  std::vector<Tensor> tensors = {};
  std::vector<RowOrigin> origins = {};
  PinnedBytes bytes = {};
};

class BatchStorage {
 public:
  explicit BatchStorage(const Limits& limits)
      : columns_(limits.max_batch_bytes), input_(~uint64_t{0}) {}

  // The storage of a batch, which the batch owns a reference to; null for
  // Batch().
  static const BatchStorage* Of(const Batch& batch) { return batch.storage_; }
  // The batch takes over the reference that Acquire gave.
  static Batch MakeBatch(BatchStorage* storage) { return Batch(storage); }

  column::ColumnSet& columns() { return columns_; }
  const column::ColumnSet& columns() const { return columns_; }
  std::span<const RowOrigin> origins() const { return origins_; }
  // In row order.
  std::span<const PinnedBytes> pinned() const { return pinned_; }
  // Only between Acquire and the last Unref.
  const Plan& plan() const { return *plan_; }

  // Of the finished batch.
  size_t num_rows() const {
    return is_copy_ ? copied_num_rows_ : columns_.num_rows();
  }
  std::span<const Column> finished_columns() const {
    return is_copy_ ? std::span<const Column>(copied_columns_)
                    : columns_.columns();
  }
  std::span<const Tensor> tensors() const { return tensors_; }

  // What rows of a plan of tensors must pass; null for other plans.
  decode::RowCheck* check() {
    return plan_->tensors().empty() ? nullptr : &checker_;
  }
  // Closes the columns and makes the tensors.
  Status Seal();

  // Notes where the next rows come from, records of one window from number
  // `first_record` on, and keeps their bytes.
  void AddRecords(std::span<const record::RecordSpan> records,
                  uint64_t first_record, uint32_t file, const Pin& pin);
  // For records without a file, one by one.
  void AddOrigin(const RowOrigin& origin) { origins_.push_back(origin); }
  void PinRecords(std::span<const record::RecordSpan> records, const Pin& pin);
  // Records of `file` come so many earlier than was thought.
  void LowerRecordNumbers(uint32_t file, uint64_t by);
  // Memory for copies of input; null when there is none.
  uint8_t* AllocateInput(size_t size) {
    return static_cast<uint8_t*>(input_.Allocate(size));
  }

  // Takes the place of rows and Seal. The arrays are in AllocateInput.
  void Hold(CopiedRows rows);

  // Empties the batch and forgets what memory earlier ones needed.
  void StartAfresh();

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  // Gives the storage back to its pool with the last reference.
  void Unref();

 private:
  friend class BatchPool;
  void Start(const Plan& plan, std::shared_ptr<BatchPool> pool);
  void Clear();

  tensor::RowChecker checker_;
  std::vector<Tensor> tensors_;

  column::ColumnSet columns_;
  Arena input_;
  std::vector<RowOrigin> origins_;
  std::vector<Pin> pins_;
  std::vector<PinnedBytes> pinned_;
  bool is_copy_ = false;
  size_t copied_num_rows_ = 0;
  std::vector<Column> copied_columns_;
  std::optional<Plan> plan_;  // column names live there
  std::shared_ptr<BatchPool> pool_;
  std::atomic<uint32_t> refs_{0};
  std::unique_ptr<BatchStorage> next_;  // in the pool's list while free
};

// Storage to use again, so that steady state allocates nothing. Batches may
// outlive the reader and come back on any thread.
class BatchPool : public std::enable_shared_from_this<BatchPool> {
 public:
  explicit BatchPool(const Limits& limits) : limits_(limits) {}
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;
  ~BatchPool();

  // An empty storage with one reference, for a batch of the plan's columns.
  BatchStorage* Acquire(const Plan& plan);

 private:
  friend class BatchStorage;
  void Return(BatchStorage* storage);

  const Limits limits_;
  std::mutex mutex_;
  std::unique_ptr<BatchStorage> free_;  // a list: to give back takes no memory
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_BATCH_STORAGE_H_
