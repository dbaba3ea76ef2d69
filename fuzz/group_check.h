// Groups are compared with what their members hold as plain features.

#ifndef HEADRACE_FUZZ_GROUP_CHECK_H_
#define HEADRACE_FUZZ_GROUP_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"

namespace headrace::fuzzing {

bool HasGroups(const FeatureSpec& spec);

// Decodes the rows by failing and skipping, as one batch, on a SIMD target and
// in a place that `way` chooses. `plan` is that of the spec.
void CheckGroups(const FeatureSpec& spec, const Plan& plan,
                 const std::vector<std::string>& rows, uint64_t way);

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_GROUP_CHECK_H_
