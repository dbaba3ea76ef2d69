// ThinBlock replaces values by fewer of them, each of which stands for equally
// many. It costs a fraction of sorting them.
//
// The block is treated as 32 rows of columns. Each column is sorted, and a coin
// for each column decides whether the lower or the higher of every two
// neighbours in it is kept. The rank of any value among the kept ones, each
// counted twice, differs from its true rank by at most 1 in a column, and by 0
// on average.

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
