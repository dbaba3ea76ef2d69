#include "headrace/batch.h"

#include <utility>

#include "src/plan/program.h"
#include "src/reader/batch_storage.h"
#include "src/tensor/assemble.h"

namespace headrace::reader {

void BatchStorage::PinRecords(std::span<const record::RecordSpan> records,
                              const Pin& pin) {
  if (records.empty()) return;
  const uint8_t* const begin = records.front().payload;
  const uint8_t* const end = records.back().payload + records.back().size;
  PinStretch({begin, static_cast<size_t>(end - begin)}, pin);
}

void BatchStorage::PinStretch(const PinnedBytes& bytes, const Pin& pin) {
  pinned_.push_back(bytes);
  if (pin && (pins_.empty() || !(pins_.back() == pin))) pins_.push_back(pin);
}

void BatchStorage::AddRecords(std::span<const record::RecordSpan> records,
                              uint64_t first_record, uint32_t file,
                              const Pin& pin) {
  PinRecords(records, pin);
  for (const record::RecordSpan& span : records) {
    origins_.push_back({.record = first_record++,
                        .offset = span.offset,
                        .file = file,
                        .recovered = span.recovered});
  }
}

void BatchStorage::LowerRecordNumbers(uint32_t file, uint64_t by) {
  for (RowOrigin& origin : origins_) {
    if (origin.file == file) origin.record -= by;
  }
}

void BatchStorage::Hold(CopiedRows rows) {
  is_copy_ = true;
  copied_num_rows_ = rows.num_rows;
  copied_columns_ = std::move(rows.columns);
  tensors_ = std::move(rows.tensors);
  origins_ = std::move(rows.origins);
  pinned_.push_back(rows.bytes);
}

void BatchStorage::Unref() {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Clear();
  // The pool must outlive the call, and the storage may be its last owner.
  const std::shared_ptr<BatchPool> pool = std::move(pool_);
  pool->Return(this);
}

void BatchStorage::Start(const Plan& plan, std::shared_ptr<BatchPool> pool) {
  plan_ = plan;
  pool_ = std::move(pool);
  const plan::Program& program = plan::Program::Of(*plan_);
  columns_.Start(program.slots(), program.keeps_nulls());
  checker_.Start(program);
  refs_.store(1, std::memory_order_relaxed);
}

void BatchStorage::StartAfresh() {
  origins_.clear();
  pins_.clear();
  pinned_.clear();
  const plan::Program& program = plan::Program::Of(*plan_);
  columns_.StartAfresh(program.slots(), program.keeps_nulls());
  checker_.Start(program);
}

Status BatchStorage::Seal() {
  tensors_.clear();
  if (columns_.Seal() &&
      tensor::Assemble(plan::Program::Of(*plan_), &columns_, &tensors_)) {
    return Status();
  }
  if (columns_.out_of_memory()) {
    return Status::OutOfMemory();
  }
  return Status(ErrorCode::kLimit,
                "the batch does not fit its memory (Limits::max_batch_bytes); "
                "ask for fewer rows");
}

void BatchStorage::Clear() {
  origins_.clear();
  pins_.clear();
  pinned_.clear();
  input_.Reset();
}

BatchPool::~BatchPool() {
  // One at a time: destroying a whole list would recurse over its length.
  while (free_) free_ = std::move(free_->next_);
}

BatchStorage* BatchPool::Acquire(const Plan& plan) {
  std::unique_ptr<BatchStorage> storage;
  {
    const std::lock_guard lock(mutex_);
    storage = std::move(free_);
    if (storage) free_ = std::move(storage->next_);
  }
  if (!storage) storage = std::make_unique<BatchStorage>(limits_);
  storage->Start(plan, shared_from_this());
  return storage.release();
}

void BatchPool::Return(BatchStorage* storage) {
  const std::lock_guard lock(mutex_);
  storage->next_ = std::move(free_);
  free_.reset(storage);
}

}  // namespace headrace::reader

namespace headrace {

Batch::Batch(const Batch& other) : storage_(other.storage_) {
  if (storage_) storage_->Ref();
}

Batch::Batch(Batch&& other) noexcept
    : storage_(std::exchange(other.storage_, nullptr)) {}

Batch& Batch::operator=(Batch other) noexcept {
  std::swap(storage_, other.storage_);
  return *this;
}

Batch::~Batch() {
  if (storage_) storage_->Unref();
}

size_t Batch::num_rows() const { return storage_ ? storage_->num_rows() : 0; }

std::span<const Column> Batch::columns() const {
  // Columns of a plan of tensors, if any, are what its tensors are made of.
  if (storage_ == nullptr || storage_->plan().columns().empty()) return {};
  return storage_->finished_columns();
}

const Column* Batch::Find(std::string_view name, bool in_sequence) const {
  for (const Column& column : columns()) {
    if (column.name == name && column.in_sequence == in_sequence) {
      return &column;
    }
  }
  return nullptr;
}

std::span<const Tensor> Batch::tensors() const {
  return storage_ ? storage_->tensors() : std::span<const Tensor>();
}

const Tensor* Batch::FindTensor(std::string_view name, bool in_sequence) const {
  for (const Tensor& tensor : tensors()) {
    if (tensor.name == name && tensor.in_sequence == in_sequence) {
      return &tensor;
    }
  }
  return nullptr;
}

std::span<const RowOrigin> Batch::origins() const {
  return storage_ ? storage_->origins() : std::span<const RowOrigin>();
}

}  // namespace headrace
