// GuardAllocator gives each slab pages of its own, with unusable ones before
// and after them. A batch that was handed out can be made read-only, and what
// was freed is gone: whatever touches either dies.

#ifndef HEADRACE_TESTS_ALLOCATOR_GUARD_ALLOCATOR_H_
#define HEADRACE_TESTS_ALLOCATOR_GUARD_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "headrace/batch.h"
#include "headrace/batch_allocator.h"

namespace headrace::testing {

class GuardAllocator : public BatchAllocator {
 public:
  // The call of this number, from 0, returns null.
  explicit GuardAllocator(size_t fails_at = ~size_t{0}) : fails_at_(fails_at) {}
  ~GuardAllocator() override;

  void* Allocate(size_t size, size_t alignment) override;
  void Free(void* data, size_t size) noexcept override;

  // Makes the slabs of a batch read-only. Returns what is wrong with the places
  // of its tensors in them: an array that is not inside a slab, does not begin
  // at a multiple of 256, or has less than 512 bytes to the next one or to the
  // end of the slab.
  std::string Seal(const Batch& batch);

  size_t num_calls() const;
  // Slabs that have not been freed.
  size_t num_held() const;
  // Sizes of all slabs so far, in the order of the calls.
  std::vector<size_t> sizes() const;

 private:
  mutable std::mutex mutex_;
  const size_t fails_at_;
  std::map<uintptr_t, size_t> held_;  // sizes by address
  std::vector<size_t> sizes_;
  size_t num_calls_ = 0;
};

// All arrays of a batch, bit by bit. They are too long to be printed.
struct Bits {
  std::string text = {};
  bool operator==(const Bits&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Bits& bits) {
    return out << bits.text.size() << " bytes";
  }
};
Bits BitsOf(const Batch& batch);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_ALLOCATOR_GUARD_ALLOCATOR_H_
