#include "src/decode/tensor/inflated_row.h"

#include <algorithm>
#include <cstring>

#include "src/base/checked_math.h"
#include "src/decode/tensor/ragged_rules.h"

namespace headrace::tensor {

Unpacked::End EndOf(compression::ZlibValue::End end) {
  switch (end) {
    case compression::ZlibValue::End::kWhole:
      break;
    case compression::ZlibValue::End::kDamaged:
      return Unpacked::End::kDamaged;
    case compression::ZlibValue::End::kLonger:
      return Unpacked::End::kLonger;
    case compression::ZlibValue::End::kNoMemory:
      return Unpacked::End::kNoMemory;
  }
  return Unpacked::End::kWhole;
}

void InflatedRow::StartBatch() {
  memory_ = nullptr;
  capacity_ = 0;
  StartRow();
}

void InflatedRow::StartRow() {
  values_.clear();
  used_ = 0;
}

bool InflatedRow::Reserve(size_t room, column::ColumnSet* columns) {
  if (room <= capacity_ - used_) return true;
  size_t capacity;
  if (!CheckedAdd(used_, room, &capacity)) return false;
  void* memory = nullptr;
  if (capacity < 2 * capacity_) {
    memory = columns->AllocateForRow(2 * capacity_);
    if (memory != nullptr) capacity = 2 * capacity_;
  }
  if (memory == nullptr) memory = columns->AllocateForRow(capacity);
  if (memory == nullptr) return false;
  if (used_ > 0) std::memcpy(memory, memory_, used_);
  memory_ = static_cast<uint8_t*>(memory);
  capacity_ = capacity;
  return true;
}

Unpacked InflatedRow::Inflate(std::string_view* value, size_t wanted,
                              column::ColumnSet* columns) {
  using Zlib = compression::ZlibValue::End;
  // If the size is not known, it is guessed, then doubled until it is enough.
  constexpr size_t kGuess = 4;
  constexpr size_t kSmall = 256;
  const size_t most =
      std::min(compression::ZlibValue::MostBytes(value->size()), wanted);
  size_t room = most;
  if (wanted == kAnySize) {
    room = std::min(most, std::max(kSmall, kGuess * value->size()));
  }
  Unpacked unpacked;
  while (true) {
    if (!Reserve(room, columns)) {
      unpacked.end = columns->out_of_memory() ? Unpacked::End::kNoMemory
                                              : Unpacked::End::kNoRoom;
      return unpacked;
    }
    const Zlib end =
        zlib_.Inflate(*value, memory_ + used_, room, &unpacked.size);
    if (end == Zlib::kLonger && room < most) {
      room = std::min(most, 2 * room);
      continue;
    }
    unpacked.end = EndOf(end);
    if (end == Zlib::kWhole) {
      values_.push_back({value, unpacked.size});
      used_ += unpacked.size;
    }
    return unpacked;
  }
}

bool InflatedRow::Keep(column::ColumnSet* columns) {
  if (values_.empty()) return true;
  auto* kept =
      static_cast<char*>(columns->AllocateForRow(std::max<size_t>(used_, 1)));
  if (kept == nullptr) return false;
  if (used_ > 0) std::memcpy(kept, memory_, used_);
  for (const Value& value : values_) {
    *value.stored = {kept, value.size};
    kept += value.size;
  }
  return true;
}

}  // namespace headrace::tensor
