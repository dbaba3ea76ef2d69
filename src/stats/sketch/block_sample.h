// ThinBlock replaces the values of a block by some of them, each of which
// stands for the same number of values. This takes a fraction of the time of
// sorting the block.
//
// The block is treated as 32 rows of columns. Each column is sorted. Of every
// two neighbours in a column, either the lower or the higher is kept, as
// decided by one coin for the column. If the kept values are counted twice, the
// rank of any value among them differs from its true rank by at most 1 in a
// column, and by 0 on average.

#ifndef HEADRACE_SRC_STATS_SKETCH_BLOCK_SAMPLE_H_
#define HEADRACE_SRC_STATS_SKETCH_BLOCK_SAMPLE_H_

#include <cstddef>
#include <cstdint>

namespace headrace::stats {

inline constexpr size_t kBlockValues = 512;

// Halves kBlockValues values `rounds` times, 1 to 4, and moves the kept ones to
// the front. Every SIMD target keeps the same ones.
void ThinBlock(size_t rounds, uint64_t random, float* values);
void ThinBlock(size_t rounds, uint64_t random, int64_t* values);
void ThinBlock(size_t rounds, uint64_t random, uint32_t* values);

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_BLOCK_SAMPLE_H_
