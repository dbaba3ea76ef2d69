// headrace plan: shows what a spec or a schema compiles to.

#include "headrace/plan.h"

#include <optional>

#include "src/cli/options.h"

namespace headrace::cli {
namespace {

constexpr char kPlanNotes[] =
    R"(One line per tensor: its kind, types, shape, and the key it is made
of; or one line per column. A refused spec or schema exits with 2 and
the reason.

Example:
  headrace plan --spec people.json)";

struct PlanOptions {
  PlanFile file;
  InputOptions input;  // for records to be read
};

ExitCode RunPlan(PlanOptions options) {
  if (!options.file.is_given()) {
    return ComplainUsage("plan", "--spec or --schema is required");
  }
  std::optional<Plan> plan;
  const Status status = ReadPlan(options.file, {}, &options.input, &plan);
  return status.ok() ? PrintLines(plan->ToString()) : Complain(status);
}

}  // namespace

void AddPlan(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<PlanOptions>(
      app, action, "plan",
      "Print what a feature spec or a schema is compiled to", kPlanNotes,
      RunPlan);
  AddPlanFile(verb, &options->file, "What to compile");
  AddTensors(verb, &options->file);
  AddReading(verb, &options->input, {"message"});
  AddQuiet(verb, &options->input.quiet);
}

}  // namespace headrace::cli
