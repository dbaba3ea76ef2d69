// --spec and --schema: the plan that a file asks for.

#ifndef HEADRACE_SRC_CLI_PLAN_FILE_H_
#define HEADRACE_SRC_CLI_PLAN_FILE_H_

#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/cli/console.h"
#include "src/cli/record_input.h"

namespace headrace::cli {

// At most one of the two files is given.
struct PlanFile {
  std::string spec;      // JSON, docs/formats/spec.md
  std::string schema;    // a tensorflow.metadata.v0.Schema, text or binary
  bool tensors = false;  // of the schema, instead of its columns

  bool is_given() const { return !spec.empty() || !schema.empty(); }
  const std::string& path() const { return spec.empty() ? schema : spec; }
};

// kNotFound and kIo as of any file; kBadSpec, with the file's name, for one
// that cannot be read as what it should be, or that has no plan. Says what is
// odd about a schema. Of a schema, `names` leaves the columns or tensors of
// these names; none: all.
//
// Reading records, their message is the plan's: `input` gets it.
// kInvalidArgument where --message asks for another.
Result<Plan> ReadPlan(const PlanFile& file,
                      const std::vector<std::string>& names,
                      const Console& console, InputOptions* input);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PLAN_FILE_H_
