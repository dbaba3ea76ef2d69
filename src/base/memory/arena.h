// Arena hands out the memory of one batch in pieces and takes it back whole.
//
// It is a bump allocator over a few chunks, with a budget. Reset keeps the
// memory as one chunk, so the next batch of the same size allocates nothing and
// touches no fresh page. Not thread-safe.

#ifndef HEADRACE_SRC_BASE_MEMORY_ARENA_H_
#define HEADRACE_SRC_BASE_MEMORY_ARENA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headrace {

class Arena {
 public:
  static constexpr size_t kAlignment = 64;

  explicit Arena(uint64_t budget) : budget_(budget) {}
  // Makes both arenas share this budget. `other` must outlive all uses of this
  // arena.
  void ShareBudget(const Arena* other) { other_ = other; }
  // Counts `size` bytes elsewhere against the budget, instead of those of
  // earlier calls.
  void CountOutside(uint64_t size) { outside_ = size; }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // Returns `size` uninitialised bytes at a multiple of kAlignment. Returns
  // null if the budget or memory is exhausted; out_of_memory() says which.
  void* Allocate(size_t size);

  // Takes back all pieces and keeps the memory.
  void Reset();
  // Takes back all pieces and returns the memory to the system.
  void Release();

  uint64_t budget() const { return budget_; }
  // Bytes left of the budget, give or take what alignment costs.
  uint64_t left() const {
    return Unreserved() + (num_chunks_ == 0 ? 0 : Room());
  }
  // Bytes left after `size` more; 0 if they do not fit.
  uint64_t LeftAfter(size_t size) const;
  // True after the system has refused memory.
  bool out_of_memory() const { return out_of_memory_; }
  // Bytes handed out since the last Reset, including what alignment costs.
  uint64_t used() const { return full_ + used_; }
  uint64_t reserved() const { return reserved_; }

 private:
  struct Chunk {
    uint8_t* data;
    size_t size;
  };
  bool AddChunk(size_t at_least);
  uint64_t Unreserved() const {
    const uint64_t taken = reserved_ + outside_ +
                           (other_ ? other_->reserved_ + other_->outside_ : 0);
    return budget_ > taken ? budget_ - taken : 0;
  }
  std::span<Chunk> chunks() { return std::span(chunks_).first(num_chunks_); }
  size_t Room() const { return chunks_[num_chunks_ - 1].size - used_; }

  uint64_t budget_;
  uint64_t reserved_ = 0;
  uint64_t outside_ = 0;
  const Arena* other_ = nullptr;
  // Pieces are cut from the last chunk. Chunks start at 64 KiB, and each one is
  // as large as all chunks before it together, until the budget ends.
  std::array<Chunk, 52> chunks_;
  size_t num_chunks_ = 0;
  size_t used_ = 0;    // bytes used in the last chunk
  uint64_t full_ = 0;  // bytes used in the chunks before it
  bool out_of_memory_ = false;
};

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_MEMORY_ARENA_H_
