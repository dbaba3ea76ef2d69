// These functions write one finding as `headrace validate` prints it.

#ifndef HEADRACE_SRC_CLI_FINDING_H_
#define HEADRACE_SRC_CLI_FINDING_H_

#include <cstdint>
#include <string>

#include "headrace/status.h"

namespace headrace::cli {

// Each is one line, without a line feed. `end` is where a damaged region ends
// that begins at the offset of `finding`; kUnknown if that is no region.
std::string FindingJson(const ErrorInfo& finding, uint64_t end);
std::string FindingText(const ErrorInfo& finding, uint64_t end);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_FINDING_H_
