// Finding: one thing that `headrace validate` has to say about a file.

#ifndef HEADRACE_SRC_CLI_FINDING_H_
#define HEADRACE_SRC_CLI_FINDING_H_

#include <cstdint>
#include <string>

#include "headrace/status.h"

namespace headrace::cli {

// `end` is known for damaged regions only.
struct Finding {
  std::string file;
  uint64_t record = kUnknown;
  uint64_t offset = kUnknown;
  uint64_t end = kUnknown;
  ErrorCode code = ErrorCode::kOk;
  std::string feature = {};
  std::string expected = {};  // these two are in the message, too
  std::string found = {};
  std::string message = {};
};

// One line each, without a line feed.
std::string FindingJson(const Finding& finding);
std::string FindingText(const Finding& finding);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_FINDING_H_
