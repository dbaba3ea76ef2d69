// MakeListParts compiles the parts of a plan of lists of Examples besides the
// program of their context.

#ifndef HEADRACE_SRC_PLAN_COMPILE_LIST_PARTS_H_
#define HEADRACE_SRC_PLAN_COMPILE_LIST_PARTS_H_

#include <cstddef>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/plan/compile/program.h"

namespace headrace::plan {

// Tensors that belong to no feature: sizes and mask.
inline constexpr size_t kMaxListTensors = 2;

// Keys of the Example that holds a list, with kExampleInExample.
inline constexpr char kContextKey[] = "serialized_context";
inline constexpr char kExamplesKey[] = "serialized_examples";

// Fills `parts`, and appends the tensors of the Examples' features, of sizes
// and mask to `tensors`, which has those of the context. Returns kBadSpec by
// rules Q2 and Q3 of docs/semantics.md.
Status MakeListParts(const FeatureSpec& spec, ListParts* parts,
                     std::vector<TensorField>* tensors);

// Fills `parts` for columns; those of the Examples are `in_sequence`.
Status MakeListParts(const std::vector<ColumnField>& columns,
                     LateKeys late_keys, ListParts* parts);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_LIST_PARTS_H_
