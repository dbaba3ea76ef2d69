// A plan that reads lists of Examples has a program for their context, and
// other parts. MakeListParts compiles those other parts.

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

// Fills `parts`. Appends the tensors of the Examples' features, then those of
// sizes and mask, to `tensors`, which already has the tensors of the context.
// Returns kBadSpec by rules Q2 and Q3 of docs/semantics.md.
Status MakeListParts(const FeatureSpec& spec, bool has_functions,
                     ListParts* parts, std::vector<TensorField>* tensors);

// Fills `parts` for columns; the columns of the Examples are `in_sequence`.
Status MakeListParts(const std::vector<ColumnField>& columns,
                     LateKeys late_keys, ListParts* parts);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_LIST_PARTS_H_
