// headrace plan: shows what a spec or a schema compiles to.

#include "headrace/plan.h"

#include <memory>
#include <string>

#include "src/cli/options.h"
#include "src/cli/plan_file.h"
#include "src/cli/process/console.h"

namespace headrace::cli {
namespace {

struct PlanOptions {
  PlanFile file;
  InputOptions input;  // for records to be read
};

ExitCode RunPlan(PlanOptions options) {
  if (!options.file.is_given()) {
    return ComplainUsage("plan", "--spec or --schema is required");
  }
  const Result<Plan> plan =
      ReadPlan(options.file, {}, Console(options.input.quiet), &options.input);
  if (!plan) return Complain(plan.status());
  return PrintLines(plan->ToString());
}

}  // namespace

void AddPlan(CLI::App* app, Action* action) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* const verb = AddVerb(
      app, "plan", "Print what a feature spec or a schema is compiled to");
  AddPlanFile(verb, &options->file, "What to compile");
  AddTensors(verb, &options->file);
  AddReading(verb, &options->input, "message");
  AddQuiet(verb, &options->input.quiet);
  Finish(
      verb,
      "One line per tensor: its kind, types, shape, and the key it is made\n"
      "of; or one line per column. A refused spec or schema exits with 2 and\n"
      "the reason.\n"
      "\n"
      "Example:\n"
      "  headrace plan --spec people.json",
      action, [options] { return RunPlan(*options); });
}

}  // namespace headrace::cli
