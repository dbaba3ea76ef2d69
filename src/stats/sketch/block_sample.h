// ThinBlock replaces some values by fewer of them, each of which stands for as
// many. It costs a fraction of sorting them.
//
// The block is taken as 32 rows of columns, each column is sorted, and of
// every two neighbours in it the lower or the higher ones are kept, as a coin
// for each column says. The rank of any value among those kept, each counted
// twice, differs from the true one by at most 1 in a column, and by 0 on
// average.

#ifndef HEADRACE_SRC_STATS_SKETCH_BLOCK_SAMPLE_H_
#define HEADRACE_SRC_STATS_SKETCH_BLOCK_SAMPLE_H_

#include <cstddef>
#include <cstdint>

namespace headrace::stats {

inline constexpr size_t kBlockValues = 512;

// Halves kBlockValues values so often, 1 to 4 times; those that are kept come
// first. Every SIMD target keeps the same ones.
void ThinBlock(size_t rounds, uint64_t random, float* values);
void ThinBlock(size_t rounds, uint64_t random, int64_t* values);
void ThinBlock(size_t rounds, uint64_t random, uint32_t* values);

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_BLOCK_SAMPLE_H_
