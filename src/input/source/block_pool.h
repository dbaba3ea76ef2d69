// BlockPool allocates the memory of windows and reuses it once it is unpinned.

#ifndef HEADRACE_SRC_INPUT_SOURCE_BLOCK_POOL_H_
#define HEADRACE_SRC_INPUT_SOURCE_BLOCK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "headrace/status.h"
#include "src/base/memory/buffer.h"
#include "src/base/memory/pin.h"
#include "src/input/source/window.h"

namespace headrace::source {

class BlockPool;

// A Block holds the bytes of one window. The pool owns it while it is free; its
// pins own it while it is used. A used block keeps its pool alive, so it may
// outlive the source.
class Block : public Pinnable {
 public:
  static constexpr size_t kAlignment = 64;
  // Bytes of memory per block beyond its capacity.
  static constexpr size_t kOverhead = kSlack + kAlignment;

  uint8_t* data() { return bytes_.data() + shift_; }
  // Bytes that may be filled. Seal uses the kSlack bytes after them.
  size_t capacity() const;
  // Grows to at least `capacity` and keeps the bytes. Returns false and changes
  // nothing if there is no memory.
  bool Grow(size_t capacity);
  // Zeroes the slack after `size` bytes, so that reading it is defined.
  void Seal(size_t size);

 private:
  friend class BlockPool;
  void AlignTo(uint64_t offset);
  void OnUnpinned() override;

  Buffer bytes_;
  size_t shift_ = 0;                 // of data(), less than kAlignment
  std::shared_ptr<BlockPool> pool_;  // set while used
  Block* next_ = nullptr;            // in the pool's list while free
};

// Thread-safe, because pins are dropped on any thread.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
 public:
  // Nearly all requests are for `base_capacity` bytes.
  explicit BlockPool(size_t base_capacity) : base_capacity_(base_capacity) {}
  ~BlockPool();

  struct Taken {
    Block* block = nullptr;
    Pin pin;
  };
  // Returns a block of at least `capacity` bytes with one pin on it, a free one
  // if possible. Fails with kOutOfMemory. The block is aligned for bytes of a
  // file from `offset` on: their file offsets and addresses are equal modulo
  // Block::kAlignment, which makes copying fastest.
  Result<Taken> Take(size_t capacity, uint64_t offset = 0);
  // Returns the number of pinned blocks.
  size_t used();

 private:
  friend class Block;
  void Return(Block* block);
  // The caller holds mutex_ and deletes what the Drop functions return.
  Block* FindFree(size_t capacity);
  Block* DropIdle(size_t capacity);
  Block* DropSurplus();
  Block* DropIdleLarge();
  void CountUse();

  const size_t base_capacity_;
  std::mutex mutex_;
  Block* free_ = nullptr;
  size_t free_base_ = 0;   // free blocks that are not large
  size_t free_large_ = 0;  // free blocks over base_capacity_
  size_t large_idle_ = 0;  // requests since the last for a large block
  // A batch pins its blocks and returns them all together. So the pool keeps as
  // many blocks as were recently used together.
  size_t used_ = 0;       // pinned blocks
  size_t most_used_ = 0;  // at a time, since requests_ was 0
  size_t requests_ = 0;
  size_t kept_ = 0;  // base blocks to keep, used and free
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_BLOCK_POOL_H_
