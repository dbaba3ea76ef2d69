// BatchStorage holds the rows that Batch handles refer to. BatchPool keeps
// storage for reuse.

#ifndef HEADRACE_SRC_READ_BATCH_BATCH_STORAGE_H_
#define HEADRACE_SRC_READ_BATCH_BATCH_STORAGE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "headrace/batch.h"
#include "headrace/batch_allocator.h"
#include "headrace/limits.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/base/memory/arena.h"
#include "src/base/memory/pin.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/example/list_rows.h"
#include "src/decode/tensor/list_checker.h"
#include "src/decode/tensor/row_checker.h"
#include "src/decode/tensor/slab/slabs.h"
#include "src/input/record/scanner.h"

namespace headrace {

namespace reader {
class BatchStorage;
}

// Accesses the storage of a Batch. Public headers do not name the type of the
// storage.
class BatchAccess {
 public:
  static reader::BatchStorage* StorageOf(const Batch& batch) {
    return static_cast<reader::BatchStorage*>(batch.storage_);
  }
  static Batch MakeBatch(reader::BatchStorage* storage) {
    return Batch(storage);
  }
};

}  // namespace headrace

namespace headrace::reader {

class BatchPool;

// A stretch of input that stays unchanged while the batch lives. Each value of
// kind bytes is in such a stretch.
struct PinnedBytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

// The content of a copied batch, instead of decoded rows.
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
      : columns_(limits.max_batch_bytes),
        budget_(limits.max_batch_bytes),
        input_(~uint64_t{0}) {}

  // Returns the storage of a batch, which owns a reference to it; null for
  // Batch().
  static const BatchStorage* Of(const Batch& batch) {
    return BatchAccess::StorageOf(batch);
  }
  // The batch takes over the reference that Acquire returned.
  static Batch MakeBatch(BatchStorage* storage) {
    return BatchAccess::MakeBatch(storage);
  }

  column::ColumnSet& columns() { return columns_; }
  const column::ColumnSet& columns() const { return columns_; }
  // The rows of the listed Examples; null unless the plan is for lists.
  decode::ListRows* lists() { return has_lists_ ? &lists_->rows : nullptr; }
  std::span<const RowOrigin> origins() const { return origins_; }
  // The stretches are in the order of the rows; those that OwnBytes adds are in
  // the order of the columns.
  std::span<const PinnedBytes> pinned() const { return pinned_; }
  // May be called only between Acquire and the last Unref.
  const Plan& plan() const { return *plan_; }

  // May be called only after Seal or Hold.
  size_t num_rows() const {
    return is_copy_ ? copied_num_rows_ : columns_.num_rows();
  }
  std::span<const Column> finished_columns() const {
    if (is_copy_) return copied_columns_;
    return has_lists_ ? std::span<const Column>(lists_->columns)
                      : columns_.columns();
  }
  std::span<const Tensor> tensors() const { return tensors_; }

  // The check that each row of a plan of tensors must pass; null for other
  // plans.
  decode::RowCheck* check() {
    return plan_->tensors().empty() ? nullptr : &checker_;
  }
  // Asks the pool's allocator, if it has one, for the memory of up to `rows`
  // rows. Call at most once, before the first row. After an error the storage
  // may only be released.
  Status AskForMemory(size_t rows);
  // Whether the allocator had no memory, for AskForMemory or Seal.
  bool is_refused() const { return slabs_.is_refused(); }
  // The memory that the allocator gave; slabs without data were not asked for.
  std::span<const tensor::Slabs::Slab> slabs() const { return slabs_.all(); }
  // Decodes records into rows as decode::DecodeBlock does; sets the options
  // `check` and `lists`. Values that functions have mapped are final.
  decode::BlockEnd Decode(std::span<const record::RecordSpan> records,
                          decode::BlockOptions options,
                          infer::LateFeatures* late);
  Status Seal();
  // The row that the error of Seal is about, if it is about a single row.
  const std::optional<size_t>& bad_row() const { return bad_row_; }

  // Adds the origins of the next rows, and pins the bytes of their records,
  // which are in one window. `first_record` is the number of the first record
  // in its file, or kUnknown.
  void AddRecords(std::span<const record::RecordSpan> records,
                  uint64_t first_record, uint32_t file, const Pin& pin);
  // Adds the origin of one row, for records that are not from one window.
  void AddOrigin(const RowOrigin& origin) { origins_.push_back(origin); }
  void PinRecords(std::span<const record::RecordSpan> records, const Pin& pin);
  void PinStretch(const PinnedBytes& bytes, const Pin& pin);
  // Copies the values of kind bytes, so that the batch owns them. Call before
  // Seal. Returns false if there is no memory.
  bool OwnBytes();
  // Allocates room for copies of input; null if there is no memory.
  uint8_t* AllocateInput(size_t size) {
    return static_cast<uint8_t*>(input_.Allocate(size));
  }

  // Makes this the storage of a copied batch; no rows are added, and Seal is
  // not called. The arrays of `rows` are in memory from AllocateInput.
  void Hold(CopiedRows rows);

  // Empties the batch and forgets how much memory earlier ones needed.
  void StartAfresh();

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  // The last reference returns the storage to its pool.
  void Unref();

 private:
  friend class BatchPool;
  // The parts of a batch of lists, except the rows of the contexts.
  struct Lists {
    explicit Lists(uint64_t budget) : rows(budget) {}

    decode::ListRows rows;
    tensor::RowChecker checker;
    tensor::RowChecker wrapper_checker;
    tensor::ListChecker list_checker;
    std::vector<Column> places;
    std::vector<Column> columns;  // of the contexts, then of the Examples
  };

  void Start(const Plan& plan, std::shared_ptr<BatchPool> pool);
  void StartLists(const plan::Program& program);
  void StartCheckers(const plan::Program& program);
  void UseSlabs(const plan::Program& program);
  bool OwnBytesOf(column::ColumnSet* columns);
  bool SealLists(const plan::Program& program);
  void GatherColumns();
  Status CheckShortLists();
  decode::BlockEnd DecodeRows(std::span<const record::RecordSpan> records,
                              const decode::BlockOptions& options,
                              infer::LateFeatures* late);
  void Clear();

  tensor::RowChecker checker_;
  std::vector<Tensor> tensors_;
  tensor::Slabs slabs_;

  column::ColumnSet columns_;
  const uint64_t budget_;
  bool has_lists_ = false;
  std::optional<size_t> bad_row_;
  std::unique_ptr<Lists> lists_;  // made by the first plan of lists
  Arena input_;
  std::vector<RowOrigin> origins_;
  std::vector<Pin> pins_;
  std::vector<PinnedBytes> pinned_;
  bool is_copy_ = false;
  size_t copied_num_rows_ = 0;
  std::vector<Column> copied_columns_;
  std::optional<Plan> plan_;  // owns column names
  std::shared_ptr<BatchPool> pool_;
  std::atomic<uint32_t> refs_{0};
  std::unique_ptr<BatchStorage> next_;  // in the pool's list while free
};

// The pool keeps storage for reuse, so that the steady state allocates nothing.
// Batches may outlive the reader and be released on any thread.
class BatchPool : public std::enable_shared_from_this<BatchPool> {
 public:
  // `allocator` may be null.
  explicit BatchPool(const Limits& limits,
                     std::shared_ptr<BatchAllocator> allocator = nullptr)
      : limits_(limits), allocator_(std::move(allocator)) {}
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;
  ~BatchPool();

  // Returns empty storage for the plan's columns, with one reference.
  BatchStorage* Acquire(const Plan& plan);
  BatchAllocator* allocator() const { return allocator_.get(); }

 private:
  friend class BatchStorage;
  void Return(BatchStorage* storage);

  const Limits limits_;
  const std::shared_ptr<BatchAllocator> allocator_;
  std::mutex mutex_;
  std::unique_ptr<BatchStorage> free_;  // a list: Return allocates nothing
};

// Returns the error of an allocator beside a plan that makes no tensors.
Status AllocatorNeedsSpec();

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_BATCH_BATCH_STORAGE_H_
