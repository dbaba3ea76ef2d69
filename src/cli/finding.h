// Formats one finding as `headrace validate` prints it, and the error of a file
// as other verbs have it in their JSON.

#ifndef HEADRACE_SRC_CLI_FINDING_H_
#define HEADRACE_SRC_CLI_FINDING_H_

#include <cstdint>
#include <string>

#include "headrace/status.h"

namespace headrace::cli {

// Return one line, without a line feed. `end` is the end of a damaged region
// that begins at the offset of `finding`; kUnknown for other findings. `count`
// records of a file had the same finding; kUnknown for a single one.
std::string FindingJson(const ErrorInfo& finding, uint64_t end,
                        uint64_t count = kUnknown);
std::string FindingText(const ErrorInfo& finding, uint64_t end);

// Returns an object with the class, the place and the message, for JSON that
// already names the file.
std::string ErrorJson(const ErrorInfo& error);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_FINDING_H_
