// The names of the functions of FeatureConfig::map in JSON and descriptions.

#ifndef HEADRACE_SRC_PLAN_SPEC_FUNCTION_NAMES_H_
#define HEADRACE_SRC_PLAN_SPEC_FUNCTION_NAMES_H_

#include <iterator>
#include <string_view>
#include <variant>

#include "headrace/feature_spec.h"

namespace headrace::spec {

// In the order of ValueFunction.
inline constexpr std::string_view kFunctionNames[] = {
    "hash_bucket", "vocabulary", "bucketize", "clip", "log1p", "scale"};
static_assert(std::size(kFunctionNames) ==
              std::variant_size_v<ValueFunction::Base>);

inline std::string_view FunctionName(const ValueFunction& function) {
  return kFunctionNames[function.index()];
}

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_PLAN_SPEC_FUNCTION_NAMES_H_
