// Compiles the functions of a feature (rules B3 and B10 of docs/semantics.md).

#ifndef HEADRACE_SRC_PLAN_COMPILE_FEATURE_CHAIN_H_
#define HEADRACE_SRC_PLAN_COMPILE_FEATURE_CHAIN_H_

#include <memory>

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/plan/function/chain.h"

namespace headrace::plan {

// Returns null for a feature without functions. Reads the files of
// vocabularies. kBadSpec if the functions or their parameters are wrong, or if
// `as`, the type of the tensor, cannot hold their results or that of the
// default (`exact`: without rounding them); an error of the file keeps its
// code.
Result<std::shared_ptr<const function::Chain>> CompileChain(
    const NamedFeature& feature, DType as, bool exact);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_FEATURE_CHAIN_H_
