// The packed varint kernels as functions of their own, for measuring. In the
// library they are inlined into the loop over records.

#ifndef HEADRACE_BENCH_VARINT_KERNELS_H_
#define HEADRACE_BENCH_VARINT_KERNELS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wire/wire.h"

namespace headrace::bench {

// Values that may be written after those of a list.
size_t VarintSlackValues();

// Sum over the runs of the number of values in each; 0 for a malformed run.
uint64_t CountLists(std::span<const wire::Span> runs);

// Decodes each run to the start of `out`, so that what is written stays in
// cache. Returns the number of values.
uint64_t DecodeLists(std::span<const wire::Span> runs, int64_t* out);

// Both, one run after the other, as the decoder does it.
uint64_t CountAndDecodeLists(std::span<const wire::Span> runs, int64_t* out);

// What everybody writes first: one byte after the other.
uint64_t DecodeListsByteLoop(std::span<const wire::Span> runs, int64_t* out);

// Names of the SIMD targets that these are compiled for and this machine has,
// best first.
std::vector<std::string> VarintTargets();

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_VARINT_KERNELS_H_
