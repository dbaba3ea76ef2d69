// The C functions of headrace_plan, and those that return versions.

#include <string>

#include "headrace/arrow.h"
#include "headrace/c.h"
#include "headrace/version.h"
#include "src/c/arguments.h"
#include "src/c/error.h"
#include "src/c/handles.h"
#include "src/c/plan_options.h"
#include "src/read/reader/given_options.h"

namespace headrace::c {
namespace {

Status CompilePlan(const char* json, headrace_plan** out) {
  Result<GivenOptions> options = GivenOptions::Parse(json);
  if (!options) return options.status();
  PlanOptions given;
  options->TakeAll(&given);
  Result<std::optional<Plan>> plan = TakePlan(&*options, given);
  if (!plan.ok()) return plan.status();
  if (Status status = options->Finish(); !status.ok()) return status;
  if (!plan && given.message == MessageType::kRaw) plan = Plan::ForRaw();
  if (!plan) {
    return InvalidArgument(
        "a plan needs the option \"spec\" or \"schema\", or \"message\": "
        "\"raw\"");
  }
  *out = new headrace_plan{*plan};
  return Status();
}

Status SchemaOfPlan(const Plan& plan, const char* json, ArrowSchema* out) {
  Result<GivenOptions> options = GivenOptions::Parse(json);
  if (!options) return options.status();
  ArrowOptions arrow;
  options->TakeAll(&arrow);
  const Status status = options->Finish();
  return status.ok() ? ExportSchema(plan, arrow, out) : status;
}

}  // namespace
}  // namespace headrace::c

const char* headrace_version(void) { return HEADRACE_VERSION_STRING; }

int32_t headrace_abi_version(void) { return HEADRACE_ABI_VERSION; }

int32_t headrace_plan_compile(const char* options_json, headrace_plan** plan,
                              headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (plan == nullptr) return headrace::c::IsNull("plan");
    *plan = nullptr;
    return headrace::c::CompilePlan(options_json, plan);
  });
}

int32_t headrace_plan_schema(const headrace_plan* plan,
                             const char* options_json,
                             struct ArrowSchema* schema,
                             headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (schema == nullptr) return headrace::c::IsNull("schema");
    headrace::c::Empty(schema);
    if (plan == nullptr) return headrace::c::IsNull("plan");
    return headrace::c::SchemaOfPlan(plan->plan, options_json, schema);
  });
}

int32_t headrace_plan_text(const headrace_plan* plan, char** text,
                           headrace_error** error) {
  return headrace::c::Call(error, [&] {
    if (text == nullptr) return headrace::c::IsNull("text");
    *text = nullptr;
    if (plan == nullptr) return headrace::c::IsNull("plan");
    return headrace::c::GiveText(plan->plan.ToString(), text);
  });
}

void headrace_plan_free(headrace_plan* plan) { delete plan; }
