// Plans of tensors that nobody vouches for, over records that may fit them.

#ifndef HEADRACE_FUZZ_SPEC_CHECK_H_
#define HEADRACE_FUZZ_SPEC_CHECK_H_

#include <cstdint>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"

namespace headrace::fuzzing {

// Decodes a few records by the plan, with little memory: there is a batch or a
// clear error, and batches keep their promises.
void CheckSomeRecords(const Plan& plan, uint64_t seed);

// As above, and against the naive decoder: where the spec's shapes are small.
void CheckSpec(const FeatureSpec& spec, const Plan& plan, uint64_t seed);

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_SPEC_CHECK_H_
