// Plans from the files that --spec and --schema name.

#ifndef HEADRACE_SRC_CLI_PLAN_FILE_H_
#define HEADRACE_SRC_CLI_PLAN_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/cli/input_options.h"

namespace headrace::cli {

// Reads a spec or a schema, of at most 64 MiB.
Result<std::string> ReadText(const std::string& path);
// Returns the error with the file's name.
Status WithFile(const Status& error, const std::string& path);

// At most one of the two files is given.
struct PlanFile {
  std::string spec;      // JSON, docs/formats/spec.md
  std::string schema;    // a tensorflow.metadata.v0.Schema, text or binary
  bool tensors = false;  // of the schema, not its columns
  bool vocabulary_files = true;  // whether the spec may name any

  bool is_given() const { return !spec.empty() || !schema.empty(); }
  const std::string& path() const { return spec.empty() ? schema : spec; }
};

// Reads the plan of the file, if one is given; otherwise leaves `plan` as it
// is. Returns kNotFound and kIo as for any file; kBadSpec, with the file's
// name, if the file is not a valid spec or schema, or cannot be compiled to a
// plan. Notes what is odd about a schema. `names` selects columns or tensors of
// a schema; an empty list selects all.
//
// `input` gets the plan's message, for reading records; returns
// kInvalidArgument if --message asks for another message.
Status ReadPlan(const PlanFile& file, const std::vector<std::string>& names,
                InputOptions* input, std::optional<Plan>* plan);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PLAN_FILE_H_
