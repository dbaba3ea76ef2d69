// MemoryPool keeps large pieces of memory for the next reader that needs it.
//
// The first touch of new memory costs nearly as much as copying a file into it,
// because the kernel clears each page. A reader needs tens of megabytes, and so
// does the next reader of the process.
//
// Memory in the pool is not lost to other programs: the kernel takes its pages
// when it needs them (MADV_FREE). Without MADV_FREE the pool keeps nothing.
//
// Thread-safe. No thread ever waits for another, so the pool also works in a
// child of a process that forks while a thread uses it.

#ifndef HEADRACE_SRC_BASE_MEMORY_MEMORY_POOL_H_
#define HEADRACE_SRC_BASE_MEMORY_MEMORY_POOL_H_

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <span>

namespace headrace {

// Fresh pages of 4 KiB cost more than decoding or copying into them, so large
// memory uses pages of 2 MiB if the system has them.
inline constexpr size_t kHugePage = size_t{2} << 20;

// Asks for huge pages, as a hint. `data` must begin at a multiple of kHugePage.
// Does nothing for smaller memory, which may begin anywhere.
inline void AdviseHugePages(void* data, size_t size) {
#ifdef MADV_HUGEPAGE
  if (size >= kHugePage) madvise(data, size, MADV_HUGEPAGE);
#else
  static_cast<void>(data);
  static_cast<void>(size);
#endif
}

class MemoryPool {
 public:
  // Sizes of pieces in bytes, which are powers of two; larger memory is not
  // kept.
  static constexpr size_t kMinPiece = size_t{256} << 10;
  static constexpr size_t kMaxPiece = size_t{32} << 20;
  // Maximum number of bytes that the pool keeps. Two threads have five batches
  // at a time, and 256 images of 100 KiB are 26 MB; the rest is for columns.
  static constexpr size_t kMaxKept = size_t{256} << 20;

  constexpr MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Returns the pool of all readers of this process, which is never destroyed.
  static MemoryPool& OfProcess();

  // Returns `size` bytes, at least kMinPiece, or null if there is no memory.
  // They begin at a page, at a huge page if they fill one; their content is
  // undefined.
  void* Take(size_t size);
  // Takes back what Take returned for this size.
  void Give(void* data, size_t size);

  // Returns all kept memory to the system.
  void Clear();
  size_t kept() const { return kept_.load(std::memory_order_relaxed); }

 private:
  using Slot = std::atomic<void*>;

  std::span<Slot> SlotsFor(size_t piece);
  void* TakeKept(size_t piece);
  bool Keep(void* data, size_t piece);

  // Each size of pieces has slots for kMaxKept bytes.
  std::array<Slot, 2 * kMaxKept / kMinPiece> slots_ = {};
  std::atomic<size_t> kept_{0};
};

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_MEMORY_MEMORY_POOL_H_
