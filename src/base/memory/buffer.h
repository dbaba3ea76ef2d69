// Buffer owns bytes on the heap. It grows without exceptions or zeroing.

#ifndef HEADRACE_SRC_BASE_MEMORY_BUFFER_H_
#define HEADRACE_SRC_BASE_MEMORY_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "src/base/memory/memory_pool.h"

namespace headrace {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)),
        is_pooled_(std::exchange(other.is_pooled_, false)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(is_pooled_, other.is_pooled_);
    return *this;
  }
  ~Buffer() {
    if (is_pooled_) {
      MemoryPool::OfProcess().Give(data_, capacity_);
    } else {
      std::free(data_);
    }
  }

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t capacity() const { return capacity_; }

  // Grows the capacity to at least `capacity` and keeps the old bytes. Returns
  // false and changes nothing if there is no memory. With realloc the kernel
  // moves large blocks by page tables instead of copying them.
  bool Grow(size_t capacity) {
    if (capacity <= capacity_) return true;
    const bool is_pooled =
        data_ == nullptr && capacity >= MemoryPool::kMinPiece;
    void* const grown = is_pooled ? MemoryPool::OfProcess().Take(capacity)
                                  : std::realloc(data_, capacity);
    if (grown == nullptr) return false;
    data_ = static_cast<uint8_t*>(grown);
    capacity_ = capacity;
    is_pooled_ = is_pooled;
    return true;
  }

 private:
  uint8_t* data_ = nullptr;
  size_t capacity_ = 0;
  bool is_pooled_ = false;  // data_ is from the pool of the process
};

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_MEMORY_BUFFER_H_
