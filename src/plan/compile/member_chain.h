// Compiles the functions of a member of a group (rules B3 and B10 of
// docs/semantics.md).

#ifndef HEADRACE_SRC_PLAN_COMPILE_MEMBER_CHAIN_H_
#define HEADRACE_SRC_PLAN_COMPILE_MEMBER_CHAIN_H_

#include <memory>

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "src/plan/function/chain.h"

namespace headrace::plan {

// Returns null for a member without functions. Reads the files of vocabularies.
// kBadSpec if the functions or their parameters are wrong, or if the group's
// type cannot hold their results or that of the default; an error of the file
// keeps its code.
Result<std::shared_ptr<const function::Chain>> CompileMemberChain(
    const NamedFeature& member, const NamedFeature& group);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_MEMBER_CHAIN_H_
