// Copies of batches: in memory of their own, and as bytes for another process.
//
// A batch pins the input that its bytes lie in and the memory of all its
// columns. A copy owns just the values it was asked for, so it is what to keep
// of a few batches among many.

#ifndef HEADRACE_BATCH_COPY_H_
#define HEADRACE_BATCH_COPY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// A batch of the same rows, equal in everything that a Batch has, which shares
// nothing with this one. kOutOfMemory.
Result<Batch> CopyBatch(const Batch& batch);

// Of some columns or tensors alone, in the order of these indices among
// batch.columns() or batch.tensors(): features before feature lists, none
// twice. kInvalidArgument for an index out of range.
Result<Batch> CopyBatch(const Batch& batch, std::span<const size_t> fields);

// The same as bytes, for LoadBatch of the same version of the library on a
// machine of the same byte order.
Result<std::string> SaveBatch(const Batch& batch,
                              std::span<const size_t> fields);
// A batch of one dense tensor without a name: as many values as the shape has,
// of which the first dimension counts rows.
Result<std::string> SaveValues(DType dtype, std::span<const int64_t> shape,
                               const void* values);

// kInvalidArgument for what SaveBatch of this version has not made, as a
// checksum tells. The checksum finds accidents: do not load what someone
// hostile may have made.
Result<Batch> LoadBatch(std::string_view saved);

// The plan of the batch's columns or tensors; lives as long as any copy of the
// batch. Null for a batch that was made by its default constructor.
const Plan* PlanOf(const Batch& batch);

}  // namespace headrace

#endif  // HEADRACE_BATCH_COPY_H_
