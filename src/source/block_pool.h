// BlockPool: the memory of windows, reused as soon as nobody pins it.

#ifndef HEADRACE_SRC_SOURCE_BLOCK_POOL_H_
#define HEADRACE_SRC_SOURCE_BLOCK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "headrace/status.h"
#include "src/base/buffer.h"
#include "src/base/pin.h"

namespace headrace::source {

class BlockPool;

// Bytes of one window. Owned by its pool while free, by its pins while used; a
// used block keeps its pool alive, so it may outlive the source.
class Block : public Pinnable {
 public:
  uint8_t* data() { return bytes_.data(); }
  // Bytes that may be filled; kSlack more are there for Seal.
  size_t capacity() const;
  // Keeps the bytes. False, and nothing changed, when there is no memory.
  bool Grow(size_t capacity);
  // Gives the slack after `size` bytes a value, so that reading it is defined.
  void Seal(size_t size);

 private:
  friend class BlockPool;
  void OnUnpinned() override;

  Buffer bytes_;
  std::shared_ptr<BlockPool> pool_;  // set while used
  Block* next_ = nullptr;            // in the pool's list while free
};

// Thread-safe: pins are dropped on any thread.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
 public:
  // `base_capacity` is what nearly all requests ask for.
  explicit BlockPool(size_t base_capacity) : base_capacity_(base_capacity) {}
  ~BlockPool();

  struct Taken {
    Block* block = nullptr;
    Pin pin;
  };
  // A block of at least `capacity` bytes with one pin on it. Takes a free one
  // when there is one, else allocates; kOutOfMemory.
  Result<Taken> Take(size_t capacity);
  // Blocks that are pinned now.
  size_t used();

 private:
  friend class Block;
  void Return(Block* block);
  // All with mutex_ held; the caller deletes the lists.
  Block* FindFree(size_t capacity);
  Block* DropIdle(size_t capacity);
  Block* DropSurplus();
  Block* DropIdleLarge();
  void CountUse();

  const size_t base_capacity_;
  std::mutex mutex_;
  Block* free_ = nullptr;
  size_t free_base_ = 0;   // blocks in the list, by kind
  size_t free_large_ = 0;  // those over base_capacity_
  size_t large_idle_ = 0;  // requests since a large block was last of use
  // A batch pins as many blocks as it takes and gives all back at once: for
  // the next one as many are kept as were used at once of late.
  size_t used_ = 0;       // blocks that are pinned now
  size_t most_used_ = 0;  // at once, since requests_ was 0
  size_t requests_ = 0;
  size_t kept_ = 0;  // base blocks, used and free, that are not a surplus
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_SOURCE_BLOCK_POOL_H_
