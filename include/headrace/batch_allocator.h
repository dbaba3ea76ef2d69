// BatchAllocator: memory of the caller for the tensors of batches, for example
// page-locked memory, from which a GPU copies faster.
//
// A batch whose reader, decoder or dataset has an allocator asks it for at most
// two slabs, in which its tensors are written.
//
// The first slab is asked for before the first row, for as many rows as the
// batch may have: ReadOptions::batch_size (1,024 with kAutoBatchSize), or the
// number of records that Decode or Take was asked for. A batch of fewer rows
// uses the beginning of each place. It holds the numbers of kFixedLen features
// and matrices.
//
// The second slab is asked for when the batch has all its rows. It holds the
// numbers of all other tensors: jagged, ragged and sparse ones, kVarLen that is
// padded, kFixedLenSequence, and all tensors of the Examples of lists; their
// indices, row splits, lengths, offsets and weights; and the sizes and the mask
// of lists.
//
// A slab that would hold nothing is not asked for. Values of kind bytes,
// shapes, Tensor::key_ends, and the offsets of lists that only Arrow uses stay
// in the library's memory. So do the values of padded tensors in
// Tensor::list_values.
//
// Each array begins at a multiple of 256 bytes in its slab. The slab has at
// least 512 bytes after the array, which the library may read and overwrite.
// The library clears nothing: bytes outside the arrays are unspecified.
//
// An allocator needs a plan of tensors: columns without a spec return
// kInvalidArgument.

#ifndef HEADRACE_BATCH_ALLOCATOR_H_
#define HEADRACE_BATCH_ALLOCATOR_H_

#include <cstddef>

namespace headrace {

// The library calls both functions on any of its threads and of the caller's,
// several at a time, and holds no lock meanwhile, so they may wait. They must
// not throw. The options share the allocator with all batches, so it lives as
// long as the last of them.
class BatchAllocator {
 public:
  virtual ~BatchAllocator() = default;

  // Returns `size` bytes, at least 1, that begin at a multiple of `alignment`,
  // which is 256. They must be ordinary memory, which the processor may also
  // read: not write-combining.
  //
  // Null makes the batch fail with kOutOfMemory, which also ends its reader.
  // Slabs that with the library's memory for the batch exceed
  // Limits::max_batch_bytes are not asked for: the batch fails with kLimit.
  virtual void* Allocate(size_t size, size_t alignment) = 0;

  // Takes back what Allocate returned for this size, once the batch and all
  // that refers to it (copies of the handle, Arrow arrays, DLPack tensors) are
  // gone. The library neither reads the memory afterwards nor uses it again for
  // another batch.
  virtual void Free(void* data, size_t size) noexcept = 0;
};

}  // namespace headrace

#endif  // HEADRACE_BATCH_ALLOCATOR_H_
