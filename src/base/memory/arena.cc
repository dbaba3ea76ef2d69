#include "src/base/memory/arena.h"

#include <algorithm>
#include <cstdlib>

#include "src/base/checked_math.h"
#include "src/base/memory/memory_marks.h"
#include "src/base/memory/memory_pool.h"

namespace headrace {
namespace {

constexpr size_t kSmallestChunk = size_t{64} << 10;

bool IsPooled(size_t size) { return size >= MemoryPool::kMinPiece; }

}  // namespace

Arena::~Arena() { Release(); }

void Arena::Release() {
  for (const Chunk& chunk : chunks()) {
    if (IsPooled(chunk.size)) {
      MemoryPool::OfProcess().Give(chunk.data, chunk.size);
    } else {
      std::free(chunk.data);
    }
  }
  num_chunks_ = 0;
  reserved_ = 0;
  full_ = 0;
  used_ = 0;
  out_of_memory_ = false;
}

bool Arena::AddChunk(size_t at_least) {
  // Doubling keeps the number of chunks logarithmic.
  size_t size =
      std::max({at_least, kSmallestChunk, static_cast<size_t>(reserved_)});
  // Rounding may push a chunk slightly over the budget.
  if (at_least > Unreserved()) return false;
  size = static_cast<size_t>(std::min<uint64_t>(size, Unreserved()));
  const size_t alignment = size >= kHugePage ? kHugePage : kAlignment;
  if (!RoundUp(size, alignment, &size)) return false;
  // Rounding may have made the chunk large enough for the pool.
  auto* const data = static_cast<uint8_t*>(
      IsPooled(size) ? MemoryPool::OfProcess().Take(size)
                     : std::aligned_alloc(kAlignment, size));
  if (data == nullptr) {
    out_of_memory_ = true;
    return false;
  }
  MarkTakenBack(data, size);
  if (num_chunks_ > 0) full_ += used_;
  chunks_[num_chunks_++] = {data, size};
  used_ = 0;
  reserved_ += size;
  return true;
}

uint64_t Arena::LeftAfter(size_t size) const {
  size_t rounded;
  if (!RoundUp(size, kAlignment, &rounded)) return 0;
  if (num_chunks_ > 0 && rounded <= Room()) return left() - rounded;
  // The rest of the last chunk is given up for a new one.
  return Unreserved() - std::min<uint64_t>(Unreserved(), rounded);
}

void* Arena::Allocate(size_t size) {
  size_t rounded;
  if (!RoundUp(size, kAlignment, &rounded)) return nullptr;
  rounded = std::max(rounded, kAlignment);
  if (num_chunks_ == 0 || rounded > Room()) {
    if (!AddChunk(rounded)) return nullptr;
  }
  void* const piece = chunks().back().data + used_;
  MarkHandedOut(piece, size);
  used_ += rounded;
  return piece;
}

void Arena::Reset() {
  if (num_chunks_ > 1) {
    const size_t wanted = static_cast<size_t>(full_) + used_;
    Release();
    // If this fails, the next Allocate reports it.
    AddChunk(static_cast<size_t>(std::min<uint64_t>(wanted, budget_)));
  } else if (num_chunks_ == 1) {
    MarkTakenBack(chunks().back().data, used_);
  }
  full_ = 0;
  used_ = 0;
  out_of_memory_ = false;
}

}  // namespace headrace
