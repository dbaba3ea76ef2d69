// These checks need one feature of a spec and nothing else.

#ifndef HEADRACE_SRC_PLAN_COMPILE_FEATURE_CHECK_H_
#define HEADRACE_SRC_PLAN_COMPILE_FEATURE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/plan/compile/bad_spec.h"

namespace headrace::plan {

// The rules are those of TensorFlow's parsing ops, or of tfx_bsl, which makes
// tensors of the columns of a schema (I15).
enum class Dialect : uint8_t { kSpec, kSchema };

struct FeaturePlace {
  MessageType message = MessageType::kExample;
  bool in_sequence = false;
  Dialect dialect = Dialect::kSpec;
};

// Checks rules S1 to S14, except those about names and keys of several
// features. On success `elements` is the number of values of a row (of a step,
// of a padding unit) of a dense tensor; 1 for other layouts.
Status CheckFeature(const NamedFeature& feature, const FeaturePlace& place,
                    size_t* elements);

inline Status BadFeature(const NamedFeature& feature, const std::string& what,
                         std::string_view rule) {
  return BadSpec("feature", feature.name, what, rule);
}

// Its bytes are read as numbers.
inline bool Reinterprets(const FeatureConfig& config) {
  return config.dtype == DType::kBytes &&
         config.as.value_or(DType::kBytes) != DType::kBytes;
}

size_t CountDefaults(const DefaultValues& values);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_FEATURE_CHECK_H_
