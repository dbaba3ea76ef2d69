// Files that are stored compressed cost at least the inflating.

#ifndef HEADRACE_BENCH_SIDES_GZIP_SIDE_H_
#define HEADRACE_BENCH_SIDES_GZIP_SIDE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "headrace/status.h"

namespace headrace::bench {

// It has one member of level 6, as by gzip(1).
std::string Gzip(std::string_view plain);

// Both inflate the file to a buffer that stays in cache, check its checksum,
// and give the number of inflated bytes.

// headrace inflates so below its framing: by ISA-L, where it is there.
Result<uint64_t> InflateOnly(std::string_view stored);
// Everybody else inflates so.
Result<uint64_t> InflateByZlib(std::string_view stored);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_SIDES_GZIP_SIDE_H_
