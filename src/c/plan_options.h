// Makes a plan from the options that say what to decode.

#ifndef HEADRACE_SRC_C_PLAN_OPTIONS_H_
#define HEADRACE_SRC_C_PLAN_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/types.h"
#include "src/read/reader/given_options.h"

namespace headrace::c {

// The options that a plan depends on, other than "spec", "schema" and
// "tensors".
struct PlanOptions {
  MessageType message = MessageType::kAuto;
  std::vector<std::string> features = {};  // empty: all
};

// Takes "spec", "files", "schema" and "tensors" and compiles them; returns
// nothing if the columns are to be found from the data. Fails if the spec or
// schema is wrong; leaves errors of the options themselves to
// GivenOptions::Finish. May throw std::bad_alloc.
Result<std::optional<Plan>> TakePlan(GivenOptions* options,
                                     const PlanOptions& given);

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_PLAN_OPTIONS_H_
