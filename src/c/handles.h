// Defines the handles of c.h.

#ifndef HEADRACE_SRC_C_HANDLES_H_
#define HEADRACE_SRC_C_HANDLES_H_

#include <memory>

#include "headrace/c.h"
#include "headrace/plan.h"

namespace headrace::c {
class SharedReader;
class SharedDataset;
}  // namespace headrace::c

struct headrace_plan {
  headrace::Plan plan;
};

// The streams of a reader share `shared`, and may outlive the handle.
struct headrace_reader {
  std::shared_ptr<headrace::c::SharedReader> shared;
};

struct headrace_dataset {
  std::shared_ptr<headrace::c::SharedDataset> shared;
};

#endif  // HEADRACE_SRC_C_HANDLES_H_
