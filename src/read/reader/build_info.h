// BuildInfo describes this build, and which of its code paths this machine
// uses. Look here first if reading is slower than you expect.

#ifndef HEADRACE_SRC_READ_READER_BUILD_INFO_H_
#define HEADRACE_SRC_READ_READER_BUILD_INFO_H_

#include <string>
#include <vector>

namespace headrace {

struct BuildInfo {
  std::string version;               // "0.1.0"
  std::string compiler;              // "gcc 12.2.0"
  std::vector<std::string> targets;  // SIMD targets compiled in, best first
  std::string target;                // the target used on this machine
  std::string crc;                   // the code that computes CRC32C
  std::string inflate;               // the library that inflates gzip and zlib
};

BuildInfo GetBuildInfo();

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_READER_BUILD_INFO_H_
