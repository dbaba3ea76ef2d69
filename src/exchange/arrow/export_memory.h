// ExportMemory holds what an exported tree needs in addition to the batch: its
// nodes, offsets, views and gathered bytes. It is freed as a whole.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_EXPORT_MEMORY_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_EXPORT_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>

#include "src/base/checked_math.h"
#include "src/base/memory/arena.h"

namespace headrace::arrow {

class ExportMemory {
 public:
  ExportMemory() = default;
  ExportMemory(const ExportMemory&) = delete;
  ExportMemory& operator=(const ExportMemory&) = delete;
  ~ExportMemory();

  // Returns uninitialized bytes, aligned to 64; null if memory is exhausted. A
  // large piece is a separate allocation, no larger than asked for.
  void* Allocate(size_t size);

  // Returns false if memory is exhausted. T must not need a destructor.
  // Elements of a class are constructed; numbers are not set.
  template <class T>
  bool AllocateArray(size_t count, std::span<T>* out) {
    static_assert(std::is_trivially_destructible_v<T>);
    size_t bytes;
    if (!CheckedMul(count, sizeof(T), &bytes)) return false;
    void* const memory = Allocate(bytes);
    if (!memory) return false;
    *out = {static_cast<T*>(memory), count};
    std::uninitialized_default_construct(out->begin(), out->end());
    return true;
  }

 private:
  struct Block {
    Block* next;
    void* data;
  };

  Arena small_{std::numeric_limits<uint64_t>::max()};
  Block* large_ = nullptr;  // nodes of this list are in small_
};

// A list that grows in an ExportMemory. Memory that it has outgrown is freed
// together with the ExportMemory.
template <class T>
class GrowingList {
 public:
  explicit GrowingList(ExportMemory* memory) : memory_(memory) {}

  bool Append(const T& item) {
    if (size_ == room_.size()) {
      std::span<T> larger;
      if (!memory_->AllocateArray(size_ < 4 ? 4 : size_ * 2, &larger)) {
        return false;
      }
      for (size_t i = 0; i < size_; ++i) larger[i] = room_[i];
      room_ = larger;
    }
    room_[size_++] = item;
    return true;
  }

  size_t size() const { return size_; }
  std::span<T> items() const { return room_.first(size_); }
  T& back() const { return room_[size_ - 1]; }

 private:
  ExportMemory* memory_;
  std::span<T> room_;
  size_t size_ = 0;
};

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_EXPORT_MEMORY_H_
