#include "src/input/source/block_pool.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace headrace::source {
namespace {

// The number of base blocks that are always kept, and the maximum number of
// free large blocks. Large blocks are expensive, and two serve a file that has
// only large records.
constexpr size_t kMinBase = 16;
constexpr size_t kMaxFreeLarge = 2;
// Number of requests in a row without a need for a large block after which the
// free ones are deleted.
constexpr size_t kMaxLargeIdle = 16;

void DeleteList(Block* list, Block* (*next)(Block*)) {
  while (list != nullptr) {
    Block* const following = next(list);
    delete list;
    list = following;
  }
}

}  // namespace

size_t Block::capacity() const {
  return bytes_.capacity() < kOverhead ? 0 : bytes_.capacity() - kOverhead;
}

// On Zen 4 the kernel copies bytes aligned this way 1.4 times as fast into
// uncached memory. It copies at a tenth of its speed if the address is 1 to 15
// bytes after the file offset, modulo 4096.
void Block::AlignTo(uint64_t offset) {
  const auto place = reinterpret_cast<uintptr_t>(bytes_.data());
  shift_ = static_cast<size_t>((offset - place) % kAlignment);
}

bool Block::Grow(size_t capacity) {
  if (capacity > std::numeric_limits<size_t>::max() / 2) return false;
  return bytes_.Grow(capacity + kOverhead);
}

void Block::Seal(size_t size) { std::memset(data() + size, 0, kSlack); }

void Block::OnUnpinned() {
  // This may be the pool's last reference; the pool then deletes the block.
  std::shared_ptr<BlockPool> pool = std::move(pool_);
  pool->Return(this);
}

BlockPool::~BlockPool() {
  DeleteList(free_, [](Block* block) { return block->next_; });
}

size_t BlockPool::used() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return used_;
}

Block* BlockPool::FindFree(size_t capacity) {
  Block** best = nullptr;
  for (Block** link = &free_; *link != nullptr; link = &(*link)->next_) {
    const size_t size = (*link)->capacity();
    if (size < capacity) continue;
    // A batch that pins a small window must not pin a gigabyte with it.
    if (size > base_capacity_ && capacity <= base_capacity_) continue;
    if (best == nullptr || size < (*best)->capacity()) best = link;
    if (size == capacity) break;
  }
  if (best == nullptr) return nullptr;
  Block* const block = *best;
  *best = block->next_;
  block->next_ = nullptr;
  --(block->capacity() > base_capacity_ ? free_large_ : free_base_);
  return block;
}

Block* BlockPool::DropIdle(size_t capacity) {
  large_idle_ = capacity > base_capacity_ ? 0 : large_idle_ + 1;
  if (large_idle_ > kMaxLargeIdle && free_large_ > 0) return DropIdleLarge();
  return used_ + free_base_ > kept_ ? DropSurplus() : nullptr;
}

// Dropping one block is enough, because each request calls this.
Block* BlockPool::DropSurplus() {
  for (Block** link = &free_; *link != nullptr; link = &(*link)->next_) {
    Block* const block = *link;
    if (block->capacity() > base_capacity_) continue;
    *link = std::exchange(block->next_, nullptr);
    --free_base_;
    return block;
  }
  return nullptr;
}

// A caller that takes many blocks before it returns them reaches its peak at
// least once within twice that many requests.
void BlockPool::CountUse() {
  most_used_ = std::max(most_used_, ++used_);
  kept_ = std::max({kept_, most_used_, kMinBase});
  if (++requests_ < 2 * kept_) return;
  kept_ = std::max(most_used_, kMinBase);
  most_used_ = used_;
  requests_ = 0;
}

Block* BlockPool::DropIdleLarge() {
  Block* dropped = nullptr;
  for (Block** link = &free_; *link != nullptr;) {
    Block* const block = *link;
    if (block->capacity() <= base_capacity_) {
      link = &block->next_;
      continue;
    }
    *link = block->next_;
    block->next_ = std::exchange(dropped, block);
  }
  free_large_ = 0;
  return dropped;
}

Result<BlockPool::Taken> BlockPool::Take(size_t capacity, uint64_t offset) {
  Block* block;
  Block* dropped = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    block = FindFree(capacity);
    CountUse();
    dropped = DropIdle(capacity);
  }
  DeleteList(dropped, [](Block* item) { return item->next_; });
  if (block == nullptr) {
    block = new (std::nothrow) Block;
    if (block == nullptr || !block->Grow(capacity)) {
      delete block;
      std::lock_guard<std::mutex> lock(mutex_);
      --used_;
      return Status::OutOfMemory();
    }
  }
  block->AlignTo(offset);
  block->pool_ = shared_from_this();
  return Taken{block, Pin(block)};
}

void BlockPool::Return(Block* block) {
  const bool large = block->capacity() > base_capacity_;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    --used_;
    const bool is_kept =
        large ? free_large_ < kMaxFreeLarge : used_ + free_base_ < kept_;
    if (is_kept) {
      ++(large ? free_large_ : free_base_);
      block->next_ = std::exchange(free_, block);
      return;
    }
  }
  delete block;
}

}  // namespace headrace::source
