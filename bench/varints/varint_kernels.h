// Measuring needs the packed varint kernels as functions; the library inlines
// them into the loop over records.

#ifndef HEADRACE_BENCH_VARINTS_VARINT_KERNELS_H_
#define HEADRACE_BENCH_VARINTS_VARINT_KERNELS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wire/wire.h"

namespace headrace::bench {

// So many values may be written after those of a list.
size_t VarintSlackValues();

// Sums the number of values of all runs; 0 for a malformed run.
uint64_t CountLists(std::span<const wire::Span> runs);

// Decodes each run to the start of `out`, so that what is written stays in
// cache. Returns the number of values.
uint64_t DecodeLists(std::span<const wire::Span> runs, int64_t* out);

// Counts and decodes one run after the other, as the decoder does.
uint64_t CountAndDecodeLists(std::span<const wire::Span> runs, int64_t* out);

// Everybody first writes this: one byte after the other.
uint64_t DecodeListsByteLoop(std::span<const wire::Span> runs, int64_t* out);

// These are compiled for these SIMD targets that this machine has, best first.
std::vector<std::string> VarintTargets();

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_VARINTS_VARINT_KERNELS_H_
