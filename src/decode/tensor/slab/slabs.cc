#include "src/decode/tensor/slab/slabs.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>

#include "headrace/types.h"
#include "src/base/checked_math.h"

namespace headrace::tensor {
namespace {

constexpr size_t kAlignment = 256;

bool IsDense(const plan::Output& output) {
  return output.to != DType::kBytes && (output.layout == Layout::kFixedLen ||
                                        output.layout == Layout::kMatrix);
}

// Returns the slot that is decoded into the tensor itself, or kNoSlot.
uint32_t SlotInPlace(const plan::Program& program, const plan::Output& output) {
  if (IsSlotItself(program, output)) return output.members[0].slot;
  if (output.layout != Layout::kFixedLen || output.converts() ||
      output.reinterpret ||
      program.slots()[output.slot].form != plan::SlotForm::kDense) {
    return plan::kNoSlot;
  }
  return output.slot;
}

// Returns the size of a dense output with `rows` rows, and 0 for any other.
size_t DenseSize(const plan::Output& output, size_t rows) {
  size_t count;
  if (!IsDense(output)) return 0;
  if (!CheckedMul(rows, output.elements, &count)) return kTooLarge;
  return PlaceSize(count, DTypeSize(output.to));
}

// Calls visit(&array, bytes) for each array of a tensor that is not empty and
// belongs into a slab.
template <class Visit>
void VisitArrays(Tensor* tensor, const Visit& visit) {
  const auto visit_array = [&](const void** array, size_t count, size_t size) {
    if (count > 0) visit(array, count * size);
  };
  const auto visit_numbers = [&]<class T>(std::span<const T>* numbers) {
    const void* data = numbers->data();
    visit_array(&data, numbers->size(), sizeof(T));
    *numbers = {static_cast<const T*>(data), numbers->size()};
  };
  const auto visit_ints = [&](RowSplits* ints) {
    visit_array(&ints->data, ints->size, ints->is_int64 ? 8 : 4);
  };
  if (tensor->dtype != DType::kBytes) {
    const bool is_list = tensor->list_values == tensor->values;
    visit_array(&tensor->values, tensor->num_values, DTypeSize(tensor->dtype));
    if (is_list) tensor->list_values = tensor->values;
  }
  visit_numbers(&tensor->indices);
  // Assembler allocated the levels.
  for (const RowSplits& level : tensor->row_splits) {
    visit_ints(const_cast<RowSplits*>(&level));
  }
  visit_numbers(&tensor->lengths);
  visit_ints(&tensor->key_lengths);
  visit_ints(&tensor->key_offsets);
  if (tensor->weights != nullptr) {
    const void* weights = tensor->weights;
    visit_array(&weights, tensor->num_values, sizeof(float));
    tensor->weights = static_cast<const float*>(weights);
  }
}

Status TooLarge(size_t size, uint64_t budget) {
  const std::string bytes =
      size == kTooLarge ? "more than 2^64" : std::to_string(size);
  return Status(ErrorCode::kLimit,
                "the tensors of a batch take " + bytes +
                    " bytes of the allocator; " + std::to_string(budget) +
                    " bytes are left (Limits::max_batch_bytes): ask for fewer "
                    "rows");
}

}  // namespace

bool IsSlotItself(const plan::Program& program, const plan::Output& output) {
  if (output.layout != Layout::kMatrix || output.members.size() != 1) {
    return false;
  }
  const plan::Output& member = output.members[0];
  return !member.converts() && !member.member.present &&
         program.slots()[member.slot].form == plan::SlotForm::kDense;
}

size_t AddSizes(size_t a, size_t b) {
  size_t sum;
  return CheckedAdd(a, b, &sum) ? sum : kTooLarge;
}

// An odd number of units keeps columns that are written at the same row in
// different sets of the cache.
size_t PlaceSize(size_t size) {
  size_t units;
  if (size == 0) return 0;
  if (!CheckedAdd(size, kSlabSlack, &size) ||
      !RoundUp(size, kAlignment, &units)) {
    return kTooLarge;
  }
  return AddSizes(units, units / kAlignment % 2 == 0 ? kAlignment : 0);
}

size_t PlaceSize(size_t count, size_t value_size) {
  size_t size;
  return CheckedMul(count, value_size, &size) ? PlaceSize(size) : kTooLarge;
}

Status Slabs::Ask(BatchAllocator* allocator, const plan::Program& program,
                  size_t rows, uint64_t budget) {
  assert(!is_used());
  allocator_ = allocator;
  rows_ = rows;
  is_refused_ = false;
  slot_bytes_ = 0;
  size_t size = 0;
  for (const plan::Output& output : program.outputs()) {
    const size_t place = DenseSize(output, rows);
    size = AddSizes(size, place);
    if (SlotInPlace(program, output) != plan::kNoSlot) slot_bytes_ += place;
  }
  if (size > budget) return TooLarge(size, budget);
  places_.assign(program.outputs().size(), nullptr);
  if (size == 0) return Status();
  if (Status status = Ask(size, &slabs_[0]); !status.ok()) return status;
  uint8_t* next = slabs_[0].data;
  for (size_t i = 0; i < places_.size(); ++i) {
    const size_t place = DenseSize(program.outputs()[i], rows);
    if (place == 0) continue;
    places_[i] = next;
    next += place;
  }
  return Status();
}

Status Slabs::Ask(size_t size, Slab* slab) {
  void* const data = allocator_->Allocate(size, kAlignment);
  if (data == nullptr) {
    is_refused_ = true;
    return Status(ErrorCode::kOutOfMemory,
                  "the allocator has no memory for a batch: " +
                      std::to_string(size) + " bytes were asked for");
  }
  *slab = {static_cast<uint8_t*>(data), size};
  if (reinterpret_cast<uintptr_t>(data) % kAlignment == 0) return Status();
  return Status(ErrorCode::kInvalidArgument,
                "the allocator returned memory that does not begin at a "
                "multiple of " +
                    std::to_string(kAlignment) + " bytes");
}

void Slabs::PlaceSlots(const plan::Program& program,
                       column::ColumnSet* columns) const {
  columns->CountOutside(slot_bytes_);
  for (size_t i = 0; i < places_.size(); ++i) {
    const plan::Output& output = program.outputs()[i];
    const uint32_t slot = SlotInPlace(program, output);
    if (slot == plan::kNoSlot || places_[i] == nullptr) continue;
    columns->PlaceValues(slot, places_[i], rows_ * output.elements);
  }
}

Status Slabs::AskForRest(size_t size, uint64_t left) {
  const uint64_t not_slots = slabs_[0].size - slot_bytes_;
  if (left < not_slots || size > left - not_slots) {
    return TooLarge(size, left - std::min(left, not_slots));
  }
  used_ = 0;
  return size == 0 ? Status() : Ask(size, &slabs_[1]);
}

void* Slabs::Take(size_t size) {
  const size_t place = PlaceSize(size);
  assert(place <= slabs_[1].size - used_);
  if (place > slabs_[1].size - used_) return nullptr;
  return slabs_[1].data + std::exchange(used_, used_ + place);
}

bool Slabs::Has(const void* array) const {
  const auto at = reinterpret_cast<uintptr_t>(array);
  return std::ranges::any_of(slabs_, [at](const Slab& slab) {
    const auto begin = reinterpret_cast<uintptr_t>(slab.data);
    return at >= begin && at - begin < slab.size;
  });
}

size_t Slabs::PlacesOf(const Tensor& tensor) const {
  size_t size = 0;
  Tensor copy = tensor;
  VisitArrays(&copy, [&](const void** array, size_t bytes) {
    if (!Has(*array)) size = AddSizes(size, PlaceSize(bytes));
  });
  return size;
}

void Slabs::MoveIn(Tensor* tensor) {
  VisitArrays(tensor, [this](const void** array, size_t bytes) {
    if (Has(*array)) return;
    void* const moved = Take(bytes);
    std::memcpy(moved, *array, bytes);
    *array = moved;
  });
}

void Slabs::Free() {
  for (Slab& slab : slabs_) {
    if (slab.data != nullptr) allocator_->Free(slab.data, slab.size);
    slab = Slab();
  }
  allocator_ = nullptr;
}

}  // namespace headrace::tensor
