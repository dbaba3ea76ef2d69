// MakeListParts compiles what a plan of lists of Examples has besides the
// program of its context.

#ifndef HEADRACE_SRC_PLAN_COMPILE_LIST_PARTS_H_
#define HEADRACE_SRC_PLAN_COMPILE_LIST_PARTS_H_

#include <cstddef>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/plan/compile/program.h"

namespace headrace::plan {

// Sizes and mask are the tensors that no feature has.
inline constexpr size_t kMaxListTensors = 2;

// These keys of an Example hold a list by kExampleInExample.
inline constexpr char kContextKey[] = "serialized_context";
inline constexpr char kExamplesKey[] = "serialized_examples";

// Appends the tensors of the Examples' features, of sizes and mask to
// `tensors`, which has those of the context. kBadSpec by rules Q2 and Q3 of
// docs/semantics.md.
Status MakeListParts(const FeatureSpec& spec, ListParts* parts,
                     std::vector<TensorField>* tensors);

// Does the same for columns, of which those of the Examples are `in_sequence`.
Status MakeListParts(const std::vector<ColumnField>& columns,
                     LateKeys late_keys, ListParts* parts);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_LIST_PARTS_H_
