#ifndef HEADRACE_SRC_CLI_VERBS_OVERWRITES_INPUT_H_
#define HEADRACE_SRC_CLI_VERBS_OVERWRITES_INPUT_H_

#include <string>
#include <vector>

namespace headrace::cli {

// `output` may have another name than the file of `inputs` that it is. "-" is
// no file.
bool IsOneOf(const std::string& output, const std::vector<std::string>& inputs);

// It exists, and writing to it makes no file.
bool IsDeviceOrPipe(const std::string& path);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_OVERWRITES_INPUT_H_
