#include "src/base/memory/memory_pool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "src/base/checked_math.h"
#include "src/base/memory/memory_marks.h"

namespace headrace {
namespace {

constinit MemoryPool process_pool;

// Returns the number of bytes to allocate, or 0 if it does not fit a size_t.
size_t PieceFor(size_t size) {
  if (size <= MemoryPool::kMaxPiece) return std::bit_ceil(size);
  size_t rounded;
  return RoundUp(size, kHugePage, &rounded) ? rounded : 0;
}

void* Allocate(size_t piece) {
  void* const data = std::aligned_alloc(std::min(piece, kHugePage), piece);
  if (data != nullptr) AdviseHugePages(data, piece);
  return data;
}

// Lets the kernel reclaim the pages as long as nothing is written to them
// again.
bool LendToKernel([[maybe_unused]] void* data, [[maybe_unused]] size_t piece) {
#ifdef MADV_FREE
  return madvise(data, piece, MADV_FREE) == 0;
#else
  return false;
#endif
}

}  // namespace

MemoryPool& MemoryPool::OfProcess() { return process_pool; }

// The slots for pieces of one size are followed by half as many slots for
// pieces of twice that size.
std::span<MemoryPool::Slot> MemoryPool::SlotsFor(size_t piece) {
  const size_t count = kMaxKept / piece;
  return std::span(slots_).subspan(slots_.size() - 2 * count, count);
}

void* MemoryPool::TakeKept(size_t piece) {
  for (Slot& slot : SlotsFor(piece)) {
    if (slot.load(std::memory_order_relaxed) == nullptr) continue;
    void* const data = slot.exchange(nullptr, std::memory_order_acquire);
    if (data == nullptr) continue;
    kept_.fetch_sub(piece, std::memory_order_relaxed);
    return data;
  }
  return nullptr;
}

bool MemoryPool::Keep(void* data, size_t piece) {
  const size_t before = kept_.fetch_add(piece, std::memory_order_relaxed);
  if (before + piece <= kMaxKept && LendToKernel(data, piece)) {
    MarkTakenBack(data, piece);
    for (Slot& slot : SlotsFor(piece)) {
      void* empty = nullptr;
      if (slot.compare_exchange_strong(empty, data, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
  }
  kept_.fetch_sub(piece, std::memory_order_relaxed);
  return false;
}

void* MemoryPool::Take(size_t size) {
  const size_t piece = PieceFor(size);
  if (piece == 0) return nullptr;
  void* data = piece <= kMaxPiece ? TakeKept(piece) : nullptr;
  if (data == nullptr) data = Allocate(piece);
  if (data == nullptr && kept() > 0) {
    Clear();
    data = Allocate(piece);
  }
  if (data != nullptr) MarkHandedOut(data, size);
  return data;
}

void MemoryPool::Give(void* data, size_t size) {
  const size_t piece = PieceFor(size);
  if (piece <= kMaxPiece && Keep(data, piece)) return;
  std::free(data);
}

void MemoryPool::Clear() {
  for (size_t piece = kMinPiece; piece <= kMaxPiece; piece *= 2) {
    while (void* const data = TakeKept(piece)) std::free(data);
  }
}

}  // namespace headrace
