// tensors-*.jsonl: specs and expectations. tests/vectors/README.md describes
// the form.

#ifndef HEADRACE_TESTS_GOLDEN_GOLDEN_TENSORS_H_
#define HEADRACE_TESTS_GOLDEN_GOLDEN_TENSORS_H_

#include <cstddef>
#include <span>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "nlohmann/json.hpp"
#include "tests/naive/naive_tensors.h"

namespace headrace::testing {

// All throw std::exception on anything that they do not understand: a case
// that is not understood must never pass.

// One feature, with its name and, where it has one, its "column".
NamedFeature GoldenFeature(const nlohmann::json& golden);

// The spec of a case, made with the functions that users call.
FeatureSpec GoldenSpec(const nlohmann::json& golden);

// The "expect" of a case of that spec with that many records. A tensor that
// the spec does not have is not understood, nor is one that is missing.
NaiveTensors GoldenTensors(const nlohmann::json& expect,
                           const FeatureSpec& spec, size_t num_records);

// The spec of a case of lists (elwc*.jsonl).
FeatureSpec GoldenListSpec(const nlohmann::json& golden);

// The "expect" of such a case. Where a context and an Example's feature have
// one name, it has the context's tensor, and the other is that of `oracle`.
NaiveTensors GoldenLists(const nlohmann::json& expect, const FeatureSpec& spec,
                         size_t num_records, const NaiveTensors& oracle);

// As above for the tensors of a schema: "outputs" holds all of them.
NaiveTensors GoldenSchemaTensors(const nlohmann::json& expect,
                                 std::span<const TensorField> tensors,
                                 size_t num_records);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_GOLDEN_GOLDEN_TENSORS_H_
