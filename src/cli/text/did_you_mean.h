#ifndef HEADRACE_SRC_CLI_TEXT_DID_YOU_MEAN_H_
#define HEADRACE_SRC_CLI_TEXT_DID_YOU_MEAN_H_

#include <string>
#include <string_view>
#include <vector>

namespace headrace::cli {

// "; did you mean --format?", or nothing where none of `names` is near.
std::string DidYouMean(std::string_view name,
                       const std::vector<std::string>& names);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_DID_YOU_MEAN_H_
