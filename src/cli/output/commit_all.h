// Outputs that belong together: all get their names, or none.

#ifndef HEADRACE_SRC_CLI_OUTPUT_COMMIT_ALL_H_
#define HEADRACE_SRC_CLI_OUTPUT_COMMIT_ALL_H_

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "headrace/status.h"
#include "src/cli/process/signals.h"

namespace headrace::cli {

// Closes finished outputs; paths[i] is the name of (*outputs)[i].
template <class Output>
Status CommitAll(const std::vector<std::string>& paths,
                 std::vector<Output>* outputs) {
  const HoldSignals hold;
  for (size_t i = 0; i < outputs->size(); ++i) {
    Status status = (*outputs)[i].Close();
    if (status.ok()) continue;
    // A part of a shard set is worse than none.
    for (size_t j = 0; j < i; ++j) std::remove(paths[j].c_str());
    return status;
  }
  return Status();
}

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_COMMIT_ALL_H_
