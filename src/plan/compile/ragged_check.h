
#ifndef HEADRACE_SRC_PLAN_COMPILE_RAGGED_CHECK_H_
#define HEADRACE_SRC_PLAN_COMPILE_RAGGED_CHECK_H_

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "src/plan/compile/feature_check.h"

namespace headrace::plan {

// Checks rules S12 to S14: the shape of ragged rows, encoded values and groups.
// CheckFeature calls it when the other rules hold.
Status CheckRaggedRow(const NamedFeature& feature, const FeaturePlace& place);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_RAGGED_CHECK_H_
