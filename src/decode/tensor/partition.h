// These functions check and apply partitions of ragged rows, by rules R1 to R5
// of docs/semantics.md.

#ifndef HEADRACE_SRC_DECODE_TENSOR_PARTITION_H_
#define HEADRACE_SRC_DECODE_TENSOR_PARTITION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "headrace/feature_spec.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

// Maximum number of rows that one partition may have in a batch.
inline constexpr size_t kMaxRows = (size_t{1} << 31) - 1;

// Sets *rows to the number of rows that the partition makes of `inner` values
// (or of rows of the next level). Returns false if the partition does not fit
// them exactly or makes more than kMaxRows rows. The arithmetic is exact for
// any numbers.
bool CountRows(const plan::Cut& cut, std::span<const int64_t> partition,
               size_t inner, size_t* rows);

// Returns the number of units that the partition cuts, for ragged rows where
// the number of values does not determine it; at most kMaxRows. The partition
// must not be row_starts or uniform.
size_t UnitsOf(const plan::Cut& cut, std::span<const int64_t> partition);

// A Misfit puts into words the first rule that a partition breaks, and the
// number that breaks it.
struct Misfit {
  std::string expected;
  std::string found;
};
// CountRows must have refused the partition.
Misfit FindMisfit(const plan::Cut& cut, std::span<const int64_t> partition,
                  size_t inner);

// Calls limit(end) for each row, where `end` is the end of the row among the
// `inner` values. CountRows must have accepted the partition.
template <class OnLimit>
void ForEachLimit(const plan::Cut& cut, std::span<const int64_t> partition,
                  size_t inner, size_t rows, OnLimit&& limit) {
  int64_t end = 0;
  switch (cut.type) {
    case PartitionType::kRowLengths:
      for (const int64_t length : partition) limit(end += length);
      break;
    case PartitionType::kRowSplits:
      for (size_t i = 0; i < rows; ++i) limit(partition[i + 1]);
      break;
    case PartitionType::kRowStarts:
      for (size_t i = 1; i < rows; ++i) limit(partition[i]);
      if (rows > 0) limit(static_cast<int64_t>(inner));
      break;
    case PartitionType::kRowLimits:
      for (const int64_t row_limit : partition) limit(row_limit);
      break;
    case PartitionType::kValueRowids: {
      size_t value = 0;
      for (size_t row = 0; row < rows; ++row) {
        while (value < inner && partition[value] == static_cast<int64_t>(row)) {
          ++value;
        }
        limit(static_cast<int64_t>(value));
      }
      break;
    }
    case PartitionType::kUniformRowLength:
      for (size_t i = 0; i < rows; ++i) limit(end += cut.uniform_length);
      break;
  }
}

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_PARTITION_H_
