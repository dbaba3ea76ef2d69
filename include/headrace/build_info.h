// BuildInfo: what this build is, and which of its code paths this machine uses.
// Look here first if the speed is not what you expect.

#ifndef HEADRACE_BUILD_INFO_H_
#define HEADRACE_BUILD_INFO_H_

#include <string>
#include <vector>

#include "headrace/export.h"

namespace headrace {

struct BuildInfo {
  std::string version;               // "0.1.0"
  std::string compiler;              // "gcc 12.2.0"
  std::vector<std::string> targets;  // SIMD targets compiled in, best first
  std::string target;                // the target used on this machine
  std::string crc;                   // how CRC32C is computed
  std::string inflate;               // library that inflates gzip and zlib
};

HEADRACE_EXPORT BuildInfo GetBuildInfo();

}  // namespace headrace

#endif  // HEADRACE_BUILD_INFO_H_
