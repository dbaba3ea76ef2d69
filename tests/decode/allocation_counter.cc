#include "tests/decode/allocation_counter.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> allocations{0};

void* CountedAllocate(size_t size, size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (alignment <= alignof(std::max_align_t)) {
    return std::malloc(size == 0 ? 1 : size);
  }
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

void* AllocateOrThrow(size_t size, size_t alignment) {
  void* memory = CountedAllocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// The array forms and the sized deletes call these.
void* operator new(size_t size) { return AllocateOrThrow(size, 1); }
void* operator new(size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return CountedAllocate(size, 1);
}
void* operator new(size_t size, std::align_val_t alignment,
                   const std::nothrow_t&) noexcept {
  return CountedAllocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

// What arenas take their memory from.
extern "C" void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return CountedAllocate(size, alignment);
}

namespace headrace::testing {

size_t AllocationCount() { return allocations.load(std::memory_order_relaxed); }

}  // namespace headrace::testing
