// Gives changed statistics their checksum again.

#ifndef HEADRACE_TESTS_STATS_STATE_SEAL_H_
#define HEADRACE_TESTS_STATS_STATE_SEAL_H_

#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace headrace::testing {

// Bytes too short for a checksum stay as they are.
inline void SealState(std::string* bytes) {
  if (bytes->size() < sizeof(uint64_t)) return;
  const size_t end = bytes->size() - sizeof(uint64_t);
  const uint64_t checksum = XXH3_64bits(bytes->data(), end);
  std::memcpy(bytes->data() + end, &checksum, sizeof(checksum));
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_STATS_STATE_SEAL_H_
