// BatchStorage and BatchPool, and the Batch handles that refer to them.

#include "headrace/batch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/memory/page_slack.h"
#include "src/decode/explain/explain.h"
#include "src/decode/tensor/assemble.h"
#include "src/plan/compile/program.h"
#include "src/read/batch/batch_storage.h"

namespace headrace::reader {
namespace {

// Values of at most kShort bytes are copied as if they had kShort bytes.
constexpr size_t kShort = 16;

// Records that are decoded before their values are mapped.
constexpr size_t kRowsOfBlock = 256;

// Copies a value to `to` and returns the end of the copy. May write kShort
// bytes even if the value is shorter: most values are short, and copying a
// fixed size is faster.
uint8_t* CopyValue(std::string_view value, uint8_t* to) {
  const size_t size = value.size();
  if (size <= kShort && HasSlack(value.data(), size, kShort)) {
    std::memcpy(to, value.data(), kShort);
  } else if (size > 0) {
    std::memcpy(to, value.data(), size);
  }
  return to + size;
}

}  // namespace

void BatchStorage::PinRecords(std::span<const record::RecordSpan> records,
                              const Pin& pin) {
  if (records.empty() || !plan::Program::Of(*plan_).keeps_views()) return;
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
  const uint64_t step = first_record == kUnknown ? 0 : 1;
  uint64_t number = first_record;
  for (const record::RecordSpan& span : records) {
    origins_.push_back({.record = number,
                        .offset = span.offset,
                        .file = file,
                        .recovered = span.recovered});
    number += step;
  }
}

bool BatchStorage::OwnBytes() {
  return OwnBytesOf(&columns_) &&
         (!has_lists_ || OwnBytesOf(&lists_->rows.columns));
}

bool BatchStorage::OwnBytesOf(column::ColumnSet* columns) {
  for (uint32_t slot = 0; slot < columns->num_slots(); ++slot) {
    const column::Builder& builder = columns->builder(slot);
    if (builder.kind != Kind::kBytes || builder.values == nullptr ||
        builder.mapped > 0) {
      continue;
    }
    const std::span values(reinterpret_cast<std::string_view*>(builder.values),
                           columns->Count(builder));
    size_t size = 0;
    for (const std::string_view value : values) size += value.size();
    if (size == 0) continue;
    uint8_t* to = AllocateInput(size + kShort);
    if (to == nullptr) return false;
    PinStretch({to, size}, Pin());
    for (std::string_view& value : values) {
      const auto* const copy = reinterpret_cast<const char*>(to);
      to = CopyValue(value, to);
      value = {copy, value.size()};
    }
  }
  return true;
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
  slabs_.Free();
  // The pool must outlive the call, and this storage may have the last
  // reference to it.
  const std::shared_ptr<BatchPool> pool = std::move(pool_);
  pool->Return(this);
}

void BatchStorage::Start(const Plan& plan, std::shared_ptr<BatchPool> pool) {
  plan_ = plan;
  pool_ = std::move(pool);
  const plan::Program& program = plan::Program::Of(*plan_);
  columns_.Start(program.slots(), program.keeps_nulls());
  StartLists(program);
  StartCheckers(program);
  refs_.store(1, std::memory_order_relaxed);
}

void BatchStorage::StartLists(const plan::Program& program) {
  has_lists_ = program.lists() != nullptr;
  if (!has_lists_) return;
  if (lists_ == nullptr) {
    lists_ = std::make_unique<Lists>(budget_);
    lists_->rows.columns.ShareBudget(&columns_);
    columns_.ShareBudget(&lists_->rows.columns);
  }
  lists_->rows.Start(program);
}

void BatchStorage::StartCheckers(const plan::Program& program) {
  checker_.Start(program, /*by_block=*/!has_lists_);
  if (!has_lists_) return;
  const plan::ListParts& parts = *program.lists();
  const bool has_tensors = !program.tensors().empty();
  lists_->checker.Start(*parts.examples);
  lists_->list_checker.Start(program, &lists_->checker);
  if (parts.wrapper) lists_->wrapper_checker.Start(*parts.wrapper);
  lists_->rows.check = has_tensors ? &lists_->checker : nullptr;
  lists_->rows.list_check = has_tensors ? &lists_->list_checker : nullptr;
  lists_->rows.wrapper_check =
      parts.wrapper ? &lists_->wrapper_checker : nullptr;
}

void BatchStorage::StartAfresh() {
  origins_.clear();
  pins_.clear();
  pinned_.clear();
  const plan::Program& program = plan::Program::Of(*plan_);
  columns_.StartAfresh(program.slots(), program.keeps_nulls());
  if (has_lists_) lists_->rows.StartAfresh(program);
  StartCheckers(program);
  UseSlabs(program);
}

// Returns an error if a list of the batch is too short and cannot be padded,
// because a feature has no default. Only the whole batch shows which lists are
// too short, so no row can be skipped for this error.
Status BatchStorage::CheckShortLists() {
  const plan::Program& program = plan::Program::Of(*plan_);
  const tensor::Required required =
      tensor::FindRequired(*program.lists()->examples);
  const std::vector<int32_t>& sizes = lists_->rows.sizes;
  if (required.output == nullptr || sizes.empty()) return Status();
  const size_t row = static_cast<size_t>(
      std::min_element(sizes.begin(), sizes.end()) - sizes.begin());
  const size_t places = tensor::ListPlaces(
      program.lists()->list_size,
      static_cast<size_t>(*std::max_element(sizes.begin(), sizes.end())));
  if (static_cast<size_t>(sizes[row]) >= places) return Status();
  ErrorInfo info = tensor::ExplainShortList(
      program, static_cast<size_t>(sizes[row]), places);
  info.record = origins_[row].record;
  bad_row_ = row;
  return Status(std::move(info));
}

bool BatchStorage::SealLists(const plan::Program& program) {
  decode::ListRows& rows = lists_->rows;
  if (!rows.columns.Seal()) return false;
  if (program.tensors().empty()) {
    GatherColumns();
    return true;
  }
  return tensor::AssembleLists(
      program, {&rows.columns, rows.ends, rows.sizes, &lists_->places},
      &tensors_);
}

// Presents the features of the Examples as feature lists with one step for each
// Example of the list.
void BatchStorage::GatherColumns() {
  const decode::ListRows& rows = lists_->rows;
  const auto context = columns_.columns();
  lists_->columns.assign(context.begin(), context.end());
  for (Column column : rows.columns.columns()) {
    column.in_sequence = true;
    column.num_rows = rows.sizes.size();
    column.step_null_count = column.null_count;
    column.step_validity = column.validity;
    column.step_offsets = column.offsets;
    column.null_count = 0;
    column.validity = nullptr;
    column.offsets = rows.ends.data();
    lists_->columns.push_back(column);
  }
}

// Decodes a block of rows whose records and values fit the cache together.
decode::BlockEnd BatchStorage::DecodeRows(
    std::span<const record::RecordSpan> records,
    const decode::BlockOptions& options, infer::LateFeatures* late) {
  const plan::Program& program = plan::Program::Of(*plan_);
  const bool by_block = checker_.judges_by_block();
  const size_t bad_rows = options.bad_rows ? options.bad_rows->size() : 0;
  if (by_block) checker_.BeginBlock(columns_);
  decode::BlockEnd end =
      decode::DecodeBlock(program, records, options, &columns_, late);
  if (by_block && !checker_.FitsBlock(&columns_)) {
    if (options.bad_rows) options.bad_rows->resize(bad_rows);
    end = decode::DecodeBlock(program, records, options, &columns_, late);
  }
  tensor::MapInPlace(program, &columns_);
  return end;
}

decode::BlockEnd BatchStorage::Decode(
    std::span<const record::RecordSpan> records, decode::BlockOptions options,
    infer::LateFeatures* late) {
  options.check = check();
  options.lists = lists();
  const plan::Program& program = plan::Program::Of(*plan_);
  if (program.mapped_in_place().empty() && !checker_.judges_by_block()) {
    return decode::DecodeBlock(program, records, options, &columns_, late);
  }
  decode::BlockEnd end;
  const size_t most_rows = options.most_rows;
  const size_t rows_before = columns_.num_rows();
  while (end.num_decoded < records.size()) {
    const size_t begin = end.num_decoded;
    const size_t bad_rows = options.bad_rows ? options.bad_rows->size() : 0;
    const auto block =
        records.subspan(begin, std::min(kRowsOfBlock, records.size() - begin));
    options.most_rows = most_rows - (columns_.num_rows() - rows_before);
    const decode::BlockEnd end_of_block = DecodeRows(block, options, late);
    if (options.bad_rows) {
      for (decode::BadRow& bad :
           std::span(*options.bad_rows).subspan(bad_rows)) {
        bad.index += begin;
      }
    }
    end = {begin + end_of_block.num_decoded, end_of_block.code};
    if (end_of_block.num_decoded < block.size()) break;
  }
  return end;
}

Status BatchStorage::AskForMemory(size_t rows) {
  BatchAllocator* const allocator = pool_->allocator();
  if (allocator == nullptr) return Status();
  const plan::Program& program = plan::Program::Of(*plan_);
  Status status = slabs_.Ask(allocator, program, rows, budget_);
  if (status.ok()) UseSlabs(program);
  return status;
}

void BatchStorage::UseSlabs(const plan::Program& program) {
  if (!slabs_.is_used()) return;
  slabs_.PlaceSlots(program, &columns_);
  checker_.CountCopies();
  if (has_lists_) lists_->checker.CountCopies();
}

Status BatchStorage::Seal() {
  tensors_.clear();
  bad_row_.reset();
  const plan::Program& program = plan::Program::Of(*plan_);
  if (has_lists_ && !program.tensors().empty()) {
    if (Status status = CheckShortLists(); !status.ok()) return status;
  }
  tensor::Slabs* const slabs = slabs_.is_used() ? &slabs_ : nullptr;
  Status refused;
  if (columns_.Seal() &&
      tensor::Assemble(program, &columns_, slabs, &tensors_) &&
      (!has_lists_ || SealLists(program)) &&
      (slabs == nullptr ||
       tensor::AssembleRest(program, &columns_, slabs, &tensors_, &refused))) {
    return Status();
  }
  if (!refused.ok()) return refused;
  if (columns_.out_of_memory() ||
      (has_lists_ && lists_->rows.columns.out_of_memory())) {
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
  // Free one storage at a time. Destroying the first one would destroy the rest
  // of the list by recursion.
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

Status AllocatorNeedsSpec() {
  return Status(ErrorCode::kInvalidArgument,
                "an allocator is for tensors: give a spec, too");
}

}  // namespace headrace::reader

namespace headrace {
namespace {

reader::BatchStorage* StorageOf(const Batch& batch) {
  return BatchAccess::StorageOf(batch);
}

template <class T>
const T* FindNamed(std::span<const T> all, std::string_view name,
                   bool in_sequence) {
  for (const T& one : all) {
    if (one.name == name && one.in_sequence == in_sequence) return &one;
  }
  return nullptr;
}

}  // namespace

Batch::Batch(const Batch& other) : storage_(other.storage_) {
  if (storage_) StorageOf(*this)->Ref();
}

Batch::Batch(Batch&& other) noexcept
    : storage_(std::exchange(other.storage_, nullptr)) {}

Batch& Batch::operator=(Batch other) noexcept {
  std::swap(storage_, other.storage_);
  return *this;
}

Batch::~Batch() {
  if (storage_) StorageOf(*this)->Unref();
}

size_t Batch::num_rows() const {
  return storage_ ? StorageOf(*this)->num_rows() : 0;
}

std::span<const Column> Batch::columns() const {
  // If the plan is of tensors, the storage's columns are only their source.
  if (storage_ == nullptr || StorageOf(*this)->plan().columns().empty())
    return {};
  return StorageOf(*this)->finished_columns();
}

const Column* Batch::Find(std::string_view name, bool in_sequence) const {
  return FindNamed(columns(), name, in_sequence);
}

std::span<const Tensor> Batch::tensors() const {
  return storage_ ? StorageOf(*this)->tensors() : std::span<const Tensor>();
}

const Tensor* Batch::FindTensor(std::string_view name, bool in_sequence) const {
  return FindNamed(tensors(), name, in_sequence);
}

std::span<const RowOrigin> Batch::origins() const {
  return storage_ ? StorageOf(*this)->origins() : std::span<const RowOrigin>();
}

}  // namespace headrace
