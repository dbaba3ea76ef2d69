// A processor brings the lines behind those that are read, but not the first
// ones of bytes that lie elsewhere; whoever knows which come next asks for
// them.

#ifndef HEADRACE_SRC_BASE_PREFETCH_H_
#define HEADRACE_SRC_BASE_PREFETCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace headrace {

// Asks for the first bytes, at most 4,096 of them.
inline void Prefetch(const uint8_t* bytes, uint64_t size) {
  constexpr uint64_t kMost = 4096;
  constexpr uint64_t kLine = 64;
  for (uint64_t at = 0; at < std::min(size, kMost); at += kLine) {
    __builtin_prefetch(bytes + at);
  }
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_PREFETCH_H_
