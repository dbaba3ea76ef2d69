// Plans of tensors that nobody vouches for decode records that may fit them.

#ifndef HEADRACE_FUZZ_SPEC_CHECK_H_
#define HEADRACE_FUZZ_SPEC_CHECK_H_

#include <cstdint>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"

namespace headrace::fuzzing {

// Decodes a few records with little memory: there must be a batch or a clear
// error, and batches must keep their promises.
void CheckSomeRecords(const Plan& plan, uint64_t seed);

// If the spec's shapes are small, this also compares with the naive decoder.
void CheckSpec(const FeatureSpec& spec, const Plan& plan, uint64_t seed);

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_SPEC_CHECK_H_
