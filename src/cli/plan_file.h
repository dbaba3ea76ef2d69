// --spec and --schema name a file that asks for a plan.

#ifndef HEADRACE_SRC_CLI_PLAN_FILE_H_
#define HEADRACE_SRC_CLI_PLAN_FILE_H_

#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/cli/input_options.h"
#include "src/cli/process/console.h"

namespace headrace::cli {

// Reads a spec or a schema, of at most 64 MiB.
Result<std::string> ReadText(const std::string& path);
// The error with the file's name.
Status WithFile(const Status& error, const std::string& path);

// At most one of the two files is given.
struct PlanFile {
  std::string spec;      // JSON, docs/formats/spec.md
  std::string schema;    // a tensorflow.metadata.v0.Schema, text or binary
  bool tensors = false;  // of the schema, not its columns

  bool is_given() const { return !spec.empty() || !schema.empty(); }
  const std::string& path() const { return spec.empty() ? schema : spec; }
};

// Fails with kNotFound and kIo as for any file; kBadSpec, with the file's name,
// if it cannot be read as what it should be, or has no plan. Says what is odd
// about a schema, of which `names` leaves the columns or tensors of these
// names; none: all.
//
// When records are read, `input` gets the plan's message; kInvalidArgument
// where --message asks for another.
Result<Plan> ReadPlan(const PlanFile& file,
                      const std::vector<std::string>& names,
                      const Console& console, InputOptions* input);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PLAN_FILE_H_
