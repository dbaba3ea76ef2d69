// headrace plan: what a spec was compiled to.

#include "headrace/plan.h"

#include <memory>
#include <string>

#include "src/cli/console.h"
#include "src/cli/options.h"
#include "src/cli/spec_file.h"

namespace headrace::cli {
namespace {

ExitCode RunPlan(const std::string& path) {
  const Result<Plan> plan = ReadSpec(path);
  if (!plan) return Complain(plan.status());
  return Print(plan->ToString());
}

}  // namespace

void AddPlan(CLI::App* app, Action* action) {
  auto path = std::make_shared<std::string>();
  CLI::App* const verb =
      app->add_subcommand("plan", "Print what a feature spec is compiled to");
  AddSpec(verb, path.get(), "The feature spec, a file of JSON")->required();
  verb->footer(
      "One line a tensor: its kind, types, shape, and the key it is made of.\n"
      "A spec that is refused exits with 2 and the reason.\n"
      "\n"
      "Example:\n"
      "  headrace plan --spec people.json");
  verb->callback(
      [path, action] { *action = [path] { return RunPlan(*path); }; });
}

}  // namespace headrace::cli
