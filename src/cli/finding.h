// These functions write one finding as `headrace validate` prints it, and the
// error of a file as other verbs have it in their JSON.

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
// Says how many records of a file, `count`, had the same finding.
std::string CountJson(const ErrorInfo& finding, uint64_t count);

// An object with the class, the place and the message. It is for a file that
// the JSON names already.
std::string ErrorJson(const ErrorInfo& error);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_FINDING_H_
