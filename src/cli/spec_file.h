// --spec: the plan that a file of JSON (docs/formats/spec.md) asks for.

#ifndef HEADRACE_SRC_CLI_SPEC_FILE_H_
#define HEADRACE_SRC_CLI_SPEC_FILE_H_

#include <string>

#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/cli/record_input.h"

namespace headrace::cli {

// kNotFound and kIo as of any file; kBadSpec, with the file's name, for a text
// that is no spec or that Plan::Compile refuses.
Result<Plan> ReadSpec(const std::string& path);

// As above for reading records, whose message is the plan's: `input` gets it.
// kInvalidArgument where --message asks for another.
Result<Plan> ReadSpec(const std::string& path, InputOptions* input);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_SPEC_FILE_H_
