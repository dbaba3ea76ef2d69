#ifndef HEADRACE_SRC_BASE_SHRANK_H_
#define HEADRACE_SRC_BASE_SHRANK_H_

#include <cstdint>
#include <string>

#include "headrace/status.h"

namespace headrace {

// Returns the error of a file that has fewer bytes than when it was opened. It
// may now end where a record ends, so nothing else would notice.
inline Status Shrank(uint64_t expected, uint64_t found) {
  return Status(ErrorCode::kIo, "shrank while it was read, expected " +
                                    std::to_string(expected) +
                                    " bytes, found " + std::to_string(found));
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_SHRANK_H_
