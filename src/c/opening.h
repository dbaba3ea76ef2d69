// What headrace_open and headrace_dataset_open are given.

#ifndef HEADRACE_SRC_C_OPENING_H_
#define HEADRACE_SRC_C_OPENING_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/c/arguments.h"
#include "src/c/options.h"
#include "src/c/plan_options.h"
#include "src/c/read_options.h"

namespace headrace::c {

// SourceOptions are ReadOptions or DatasetOptions.
template <class SourceOptions>
struct Opening {
  std::vector<std::string> paths;
  std::optional<Plan> plan = {};  // empty: the columns are found
  SourceOptions options = {};
  ArrowOptions arrow = {};

  // Takes all options of `json`; `take` those of the source.
  template <class Take>
  static Result<Opening> From(const char* const* paths, size_t n,
                              const char* json, const Take& take) {
    auto names = PathsFrom(paths, n);
    if (!names) return names.status();
    Result<Options> options = Options::Parse(json);
    if (!options) return options.status();
    Result<PlanOptions> plan = TakePlanOptions(&*options);
    if (!plan) return plan.status();
    Opening opening{.paths = *std::move(names), .plan = plan->plan};
    opening.options.message = plan->message;
    opening.options.features = std::move(plan->columns);
    take(&*options, &opening.options);
    TakeArrowOptions(&*options, &opening.arrow);
    if (Status status = options->Finish(); !status.ok()) return status;
    return opening;
  }

  // Source is Reader or Dataset.
  template <class Source>
  Result<Source> Open() const {
    return plan ? Source::Open(paths, *plan, options)
                : Source::Open(paths, options);
  }
};

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_OPENING_H_
