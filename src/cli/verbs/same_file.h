#ifndef HEADRACE_SRC_CLI_VERBS_SAME_FILE_H_
#define HEADRACE_SRC_CLI_VERBS_SAME_FILE_H_

#include <string>
#include <vector>

namespace headrace::cli {

// Whether `output` exists and is the same file as one of `inputs`, under
// whatever name. "-" is no file.
bool IsOneOf(const std::string& output, const std::vector<std::string>& inputs);

bool IsRegularFile(const std::string& path);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_SAME_FILE_H_
