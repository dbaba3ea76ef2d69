// Opening holds the parsed arguments of headrace_open or headrace_dataset_open.

#ifndef HEADRACE_SRC_C_OPENING_H_
#define HEADRACE_SRC_C_OPENING_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/c/arguments.h"
#include "src/c/plan_options.h"
#include "src/read/reader/given_options.h"

namespace headrace::c {

// SourceOptions are ReadOptions or DatasetOptions.
template <class SourceOptions>
struct Opening {
  std::vector<std::string> paths;
  std::optional<Plan> plan = {};  // empty: columns are found from the data
  SourceOptions options = {};
  ArrowOptions arrow = {};

  // Parses the arguments; fails for an option of `json` that does not exist.
  static Result<Opening> From(const char* const* paths, size_t n,
                              const char* json) {
    auto names = PathsFrom(paths, n);
    if (!names) return names.status();
    Result<GivenOptions> options = GivenOptions::Parse(json);
    if (!options) return options.status();
    Opening opening{.paths = *std::move(names)};
    options->TakeAll(&opening.options);
    options->TakeAll(&opening.arrow);
    Result<std::optional<Plan>> plan =
        TakePlan(&*options, {.message = opening.options.message,
                             .features = opening.options.features});
    if (!plan.ok()) return plan.status();
    if (Status status = options->Finish(); !status.ok()) return status;
    if (plan) {
      opening.plan = *std::move(plan);
      opening.options.features.clear();
    }
    if (opening.options.threads == 0) {  // one per processor
      opening.options.threads =
          std::max(1u, std::thread::hardware_concurrency());
    }
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
