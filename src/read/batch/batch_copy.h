// Copies of batches: in separate memory, or as bytes for another process.
//
// A batch pins the input that its bytes are in and the memory of all its
// columns. A copy owns only the values asked for, so copy those batches that
// you want to keep for long. Any number of threads may copy at the same time.

#ifndef HEADRACE_SRC_READ_BATCH_BATCH_COPY_H_
#define HEADRACE_SRC_READ_BATCH_BATCH_COPY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// Returns an equal batch that shares no memory with this one. kOutOfMemory.
Result<Batch> CopyBatch(const Batch& batch);

// Returns a copy that has only some columns or tensors. `fields` are their
// indices in batch.columns() or batch.tensors(): features before feature lists,
// and none twice. kInvalidArgument for an index out of range.
Result<Batch> CopyBatch(const Batch& batch, std::span<const size_t> fields);

// Returns a copy of these fields as bytes, for LoadBatch of the same version of
// the library on a machine of the same byte order.
Result<std::string> SaveBatch(const Batch& batch,
                              std::span<const size_t> fields);
// Returns the saved bytes of a batch whose only tensor is dense and named
// "values". `values` has as many elements as the shape, whose first dimension
// counts rows.
Result<std::string> SaveValues(DType dtype, std::span<const int64_t> shape,
                               const void* values);

// Returns the batch that was saved. kInvalidArgument for bytes that SaveBatch
// of this version did not make. The checksum detects accidents but not attacks:
// do not load bytes from an untrusted source.
Result<Batch> LoadBatch(std::string_view saved);

// Returns the plan of the batch's columns or tensors; null for Batch(). The
// plan lives as long as the last Batch that refers to the same storage.
const Plan* PlanOf(const Batch& batch);

// Returns the memory that a BatchAllocator gave the batch: none, one or two
// slabs. They live as long as the last Batch that refers to the same storage.
std::vector<std::span<const uint8_t>> SlabsOf(const Batch& batch);

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_BATCH_BATCH_COPY_H_
