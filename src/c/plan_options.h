// The options that say what to decode.

#ifndef HEADRACE_SRC_C_PLAN_OPTIONS_H_
#define HEADRACE_SRC_C_PLAN_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/types.h"
#include "src/read/reader/given_options.h"

namespace headrace::c {

// What a plan is made of beside a spec or a schema; the table of options has
// it.
struct PlanOptions {
  MessageType message = MessageType::kAuto;
  std::vector<std::string> features = {};  // none: all
};

// Takes "spec", "schema" and "tensors", and compiles; empty where the columns
// are to be found from the data. Fails for what is wrong with a spec or schema;
// throws std::bad_alloc.
Result<std::optional<Plan>> TakePlan(GivenOptions* options,
                                     const PlanOptions& given);

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_PLAN_OPTIONS_H_
