// Slabs is the memory that a BatchAllocator gave one batch. Assembler makes the
// batch's tensors in it; include/headrace/batch_allocator.h says which of their
// arrays are in which slab.

#ifndef HEADRACE_SRC_DECODE_TENSOR_SLAB_SLABS_H_
#define HEADRACE_SRC_DECODE_TENSOR_SLAB_SLABS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headrace/batch.h"
#include "headrace/batch_allocator.h"
#include "headrace/status.h"
#include "src/decode/column/column_set.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

// Returns the bytes that an array of `size` bytes takes of a slab, which is 0
// for an empty one. Sums of the results may be compared with a budget: a size
// that does not fit a size_t is kTooLarge.
inline constexpr size_t kTooLarge = ~size_t{0};
size_t PlaceSize(size_t size);
size_t PlaceSize(size_t count, size_t value_size);
// Returns a + b, or kTooLarge.
size_t AddSizes(size_t a, size_t b);

// Bytes after an array in a slab that may be read and overwritten.
inline constexpr size_t kSlabSlack = column::kWriteSlack;

// Returns whether a matrix has no memory of its own, because the slot of its
// only member already is the tensor.
bool IsSlotItself(const plan::Program& program, const plan::Output& output);

class Slabs {
 public:
  struct Slab {
    uint8_t* data = nullptr;
    size_t size = 0;
  };

  Slabs() = default;
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;
  ~Slabs() { Free(); }

  // Asks for the first slab: for dense outputs of at most `rows` rows. The
  // allocator must live until Free. After an error, call only Free.
  Status Ask(BatchAllocator* allocator, const plan::Program& program,
             size_t rows, uint64_t budget);
  // Lets the columns decode dense slots into their tensors. Call after each
  // Start of the columns.
  void PlaceSlots(const plan::Program& program,
                  column::ColumnSet* columns) const;
  // Asks for the second slab. `left` is what is left of the budget for it and
  // for tensors of the first slab that no slot is decoded into.
  Status AskForRest(size_t size, uint64_t left);

  // Returns the place of a dense output in the first slab; null for other
  // outputs.
  uint8_t* PlaceOf(size_t output) const { return places_[output]; }
  // Takes a piece of the second slab, for an array that is not empty.
  void* Take(size_t size);
  // Returns the bytes that MoveIn takes of the second slab.
  size_t PlacesOf(const Tensor& tensor) const;
  // Copies those arrays of a tensor to the second slab that are in no slab.
  void MoveIn(Tensor* tensor);

  // Returns the memory, if there is any.
  void Free();
  // True between Ask and Free.
  bool is_used() const { return allocator_ != nullptr; }
  // True if the allocator had no memory.
  bool is_refused() const { return is_refused_; }
  std::span<const Slab> all() const { return slabs_; }

 private:
  Status Ask(size_t size, Slab* slab);
  bool Has(const void* array) const;

  BatchAllocator* allocator_ = nullptr;
  Slab slabs_[2];
  size_t used_ = 0;          // of the second slab
  uint64_t slot_bytes_ = 0;  // of the first slab, for slots
  size_t rows_ = 0;
  std::vector<uint8_t*> places_;  // by output
  bool is_refused_ = false;
};

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_SLAB_SLABS_H_
