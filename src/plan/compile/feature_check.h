// The checks of a spec that look at one feature at a time. S1 to S14 and I15
// are rules of docs/semantics.md.

#ifndef HEADRACE_SRC_PLAN_COMPILE_FEATURE_CHECK_H_
#define HEADRACE_SRC_PLAN_COMPILE_FEATURE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/plan/spec/bad_spec.h"

namespace headrace::plan {

// Dialect says which rules apply: kSpec, those of TensorFlow's parsing ops;
// kSchema, those of tfx_bsl, which makes tensors of a schema's columns (I15).
enum class Dialect : uint8_t { kSpec, kSchema };

struct FeaturePlace {
  MessageType message = MessageType::kExample;
  bool in_sequence = false;
  Dialect dialect = Dialect::kSpec;
};

// Checks rules S1 to S14, except those about the names and keys of several
// features. On success `elements` is the number of values in a row (or step, or
// padding unit) of a dense tensor, and 1 for other layouts.
Status CheckFeature(const NamedFeature& feature, const FeaturePlace& place,
                    size_t* elements);

inline Status BadFeature(const NamedFeature& feature, const std::string& what,
                         std::string_view rule) {
  return BadSpec("feature", feature.name, what, rule);
}

// Whether the feature's values of kind bytes are arrays. With functions, `as`
// is the type of their results.
inline bool Reinterprets(const FeatureConfig& config) {
  return config.dtype == DType::kBytes &&
         (config.encoding == Encoding::kTensorProto ||
          (config.map.empty() &&
           config.as.value_or(DType::kBytes) != DType::kBytes));
}

size_t CountDefaults(const DefaultValues& values);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_FEATURE_CHECK_H_
