// Output for a URL. It is written to a temporary file here, which Python sends
// when it is complete, because a part of a file would look complete at the URL.

#ifndef HEADRACE_SRC_CLI_OUTPUT_REMOTE_OUTPUT_H_
#define HEADRACE_SRC_CLI_OUTPUT_REMOTE_OUTPUT_H_

#include <string>
#include <string_view>

#include "headrace/status.h"

namespace headrace::cli {

// Returns whether the path has a scheme and "://" as in s3://bucket/x; false
// for file://.
bool IsUrl(std::string_view path);

// Returns the folder that the variable TMPDIR names, or /tmp.
std::string TemporaryFolder();

// Returns an unused name in the folder of temporary files. It has the extension
// of the URL, which says what to write.
std::string TemporaryName(const std::string& url);

// Removes the file `path`, and sends its contents to the URL.
Status Send(const std::string& path, const std::string& url);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_REMOTE_OUTPUT_H_
