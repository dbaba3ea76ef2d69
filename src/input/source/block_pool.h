// BlockPool is the memory of windows, reused as soon as nobody pins it.

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

// A Block has the bytes of one window. Its pool owns it while it is free, its
// pins while it is used; a used block keeps its pool alive, so it may outlive
// the source.
class Block : public Pinnable {
 public:
  static constexpr size_t kAlignment = 64;
  // A block takes so much memory besides its capacity.
  static constexpr size_t kOverhead = kSlack + kAlignment;

  uint8_t* data() { return bytes_.data() + shift_; }
  // Bytes may be filled up to here; kSlack more are there for Seal.
  size_t capacity() const;
  // Keeps the bytes. False, and nothing changed, when there is no memory.
  bool Grow(size_t capacity);
  // Reading the slack after `size` bytes must be defined, so it gets a value.
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

// The pool is thread-safe, as pins are dropped on any thread.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
 public:
  // Nearly all requests ask for `base_capacity`.
  explicit BlockPool(size_t base_capacity) : base_capacity_(base_capacity) {}
  ~BlockPool();

  struct Taken {
    Block* block = nullptr;
    Pin pin;
  };
  // Gives a block of at least `capacity` bytes with one pin on it, a free one
  // if there is one. Fails with kOutOfMemory. The bytes of a file from `offset`
  // on are copied fastest into the block: their places in the file and in
  // memory are equal modulo Block::kAlignment.
  Result<Taken> Take(size_t capacity, uint64_t offset = 0);
  // Counts blocks that are pinned now.
  size_t used();

 private:
  friend class Block;
  void Return(Block* block);
  // mutex_ must be held; the caller deletes the lists.
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
  size_t large_idle_ = 0;  // requests since one could use a large block
  // A batch pins as many blocks as it takes and gives all back at once. So the
  // next one finds as many free as were recently used at once.
  size_t used_ = 0;       // pinned blocks
  size_t most_used_ = 0;  // at once, since requests_ was 0
  size_t requests_ = 0;
  size_t kept_ = 0;  // base blocks that are no surplus, used and free
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_BLOCK_POOL_H_
