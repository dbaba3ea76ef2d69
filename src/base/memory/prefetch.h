// A processor prefetches the cache lines after the ones that are read, but not
// the first lines of bytes elsewhere. Code that knows where its next bytes are
// asks for them.

#ifndef HEADRACE_SRC_BASE_MEMORY_PREFETCH_H_
#define HEADRACE_SRC_BASE_MEMORY_PREFETCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace headrace {

// Prefetches `size` bytes, at most 4,096, that begin `ahead` bytes after
// `bytes`. The bytes need not exist, because a prefetch never faults.
inline void Prefetch(const uint8_t* bytes, uint64_t size, size_t ahead = 0) {
  constexpr uint64_t kMax = 4096;
  constexpr uint64_t kLine = 64;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(bytes) + ahead;
  for (uint64_t at = 0; at < std::min(size, kMax); at += kLine) {
    __builtin_prefetch(reinterpret_cast<const void*>(begin + at));
  }
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_MEMORY_PREFETCH_H_
