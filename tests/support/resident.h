// Tests of memory ask how much of it this process has.

#ifndef HEADRACE_TESTS_SUPPORT_RESIDENT_H_
#define HEADRACE_TESTS_SUPPORT_RESIDENT_H_

#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "tests/support/effort.h"

namespace headrace::testing {

// Bytes of this process that are in memory.
inline uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Returns by how many bytes the resident memory has grown since it was
// `before`; 0 where it shrank, and in instrumented builds, whose memory is not
// that of the product.
inline uint64_t ResidentGrowth(uint64_t before) {
  const uint64_t now = ResidentBytes();
  return kInstrumented || now < before ? 0 : now - before;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_RESIDENT_H_
