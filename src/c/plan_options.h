// The options that say what to decode.

#ifndef HEADRACE_SRC_C_PLAN_OPTIONS_H_
#define HEADRACE_SRC_C_PLAN_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/types.h"
#include "src/c/options.h"

namespace headrace::c {

struct PlanOptions {
  // Empty where the columns are to be found from the data.
  std::optional<Plan> plan = {};
  MessageType message = MessageType::kAuto;
  std::vector<std::string> columns = {};  // to be found; none: all
};

// Takes "spec", "schema", "tensors", "message" and "columns", and compiles.
// Fails for what is wrong with a spec or schema; throws std::bad_alloc.
Result<PlanOptions> TakePlanOptions(Options* options);

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_PLAN_OPTIONS_H_
