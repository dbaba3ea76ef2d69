#include "tests/process/allocation_counter.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "tests/process/failing_allocator.h"
#include "tests/support/effort.h"

namespace {

// Initialised statically: the loader may allocate before anybody else does.
std::atomic<size_t> allocations{0};
std::atomic<size_t> live{0};
std::atomic<size_t> page_returns{0};

// False where the allocation must fail.
[[maybe_unused]] bool Count() {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (!headrace::testing::AllocationFails()) return true;
  errno = ENOMEM;
  return false;
}

[[maybe_unused]] void* CountLive(void* memory) {
  if (memory != nullptr) live.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

}  // namespace

// What is replaced: nothing, operator new, or malloc. A sanitizer has replaced
// malloc already, and those of threads and of memory operator new, too.
#define HEADRACE_COUNT_NOTHING 0
#define HEADRACE_COUNT_NEW 1
#define HEADRACE_COUNT_MALLOC 2

#if defined(__SANITIZE_THREAD__)
#define HEADRACE_COUNT HEADRACE_COUNT_NOTHING
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HEADRACE_COUNT HEADRACE_COUNT_NOTHING
#endif
#endif
#if !defined(HEADRACE_COUNT)
#if defined(__GLIBC__) && !HEADRACE_TESTS_INSTRUMENTED
#define HEADRACE_COUNT HEADRACE_COUNT_MALLOC
#else
#define HEADRACE_COUNT HEADRACE_COUNT_NEW
#endif
#endif

#if HEADRACE_COUNT == HEADRACE_COUNT_MALLOC

// operator new calls these.
extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

void* malloc(size_t size) noexcept {
  return Count() ? CountLive(__libc_malloc(size)) : nullptr;
}
void* calloc(size_t count, size_t size) noexcept {
  return Count() ? CountLive(__libc_calloc(count, size)) : nullptr;
}
void* realloc(void* memory, size_t size) noexcept {
  if (!Count()) return nullptr;
  void* const moved = __libc_realloc(memory, size);
  return memory == nullptr ? CountLive(moved) : moved;
}
void* aligned_alloc(size_t alignment, size_t size) {
  return Count() ? CountLive(__libc_memalign(alignment, size)) : nullptr;
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (!Count()) return ENOMEM;
  *memory = CountLive(__libc_memalign(alignment, size));
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) noexcept {
  if (memory != nullptr) live.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(memory);
}

int munmap(void* memory, size_t size) noexcept {
  page_returns.fetch_add(1, std::memory_order_relaxed);
  return static_cast<int>(syscall(SYS_munmap, memory, size));
}
int madvise(void* memory, size_t size, int advice) noexcept {
  page_returns.fetch_add(1, std::memory_order_relaxed);
  return static_cast<int>(syscall(SYS_madvise, memory, size, advice));
}

}  // extern "C"

#elif HEADRACE_COUNT == HEADRACE_COUNT_NEW

namespace {

void* CountedAllocate(size_t size, size_t alignment) {
  if (!Count()) return nullptr;
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
// Where the constructor of what was allocated so throws.
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t,
                     const std::nothrow_t&) noexcept {
  std::free(memory);
}

// What arenas take their memory from.
extern "C" void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return CountedAllocate(size, alignment);
}

#endif

namespace headrace::testing {

bool AllocationsAreCounted() {
  return HEADRACE_COUNT != HEADRACE_COUNT_NOTHING;
}

size_t AllocationCount() { return allocations.load(std::memory_order_relaxed); }

size_t PageReturnCount() {
  return page_returns.load(std::memory_order_relaxed);
}

size_t LiveAllocations() { return live.load(std::memory_order_relaxed); }

}  // namespace headrace::testing
