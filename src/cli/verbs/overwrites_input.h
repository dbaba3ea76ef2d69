#ifndef HEADRACE_SRC_CLI_VERBS_OVERWRITES_INPUT_H_
#define HEADRACE_SRC_CLI_VERBS_OVERWRITES_INPUT_H_

#include <string>
#include <vector>

namespace headrace::cli {

// Returns whether `output` is a file of `inputs`, perhaps under another name.
// "-" is not a file.
bool IsOneOf(const std::string& output, const std::vector<std::string>& inputs);

// Returns whether the path exists, and writing to it makes no file.
bool IsDeviceOrPipe(const std::string& path);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_OVERWRITES_INPUT_H_
