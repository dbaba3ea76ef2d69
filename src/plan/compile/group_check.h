// The checks of matrix and jagged groups: rules S15 and B of docs/semantics.md.

#ifndef HEADRACE_SRC_PLAN_COMPILE_GROUP_CHECK_H_
#define HEADRACE_SRC_PLAN_COMPILE_GROUP_CHECK_H_

#include <cstddef>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "src/plan/compile/feature_check.h"

namespace headrace::plan {

// Checks a group and each of its members, except rules about the keys of
// several features. On success `elements` has what CheckFeature sets, for each
// member.
Status CheckGroupAndMembers(const NamedFeature& group,
                            const FeaturePlace& place,
                            std::vector<size_t>* elements);

// Checks that a feature that is neither a group nor a member sets no field of
// these.
Status CheckIsNoMember(const NamedFeature& feature);

// Returns a text like `matrix "dense"`.
std::string GroupText(const NamedFeature& group);

// Puts the group in front of the text of a member's error.
Status InGroup(const NamedFeature& group, const Status& status);

// Returns how many values a member of a matrix has in each row.
size_t WidthOf(const FeatureConfig& member, size_t elements);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_GROUP_CHECK_H_
