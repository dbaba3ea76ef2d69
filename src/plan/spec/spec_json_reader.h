// ReadSpec reads a spec that is inside other JSON (docs/formats/spec.md), and
// ReadFeature one of its features.

#ifndef HEADRACE_SRC_PLAN_SPEC_SPEC_JSON_READER_H_
#define HEADRACE_SRC_PLAN_SPEC_SPEC_JSON_READER_H_

#include <string>
#include <string_view>

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "src/plan/spec/json_value.h"

namespace headrace::spec {

// Returns the errors of FeatureSpec::FromJson, except those of JSON syntax.
// Throws std::bad_alloc.
Result<FeatureSpec> ReadSpec(const JsonValue& json,
                             const SpecJsonOptions& options = {});

// Reads one feature of a spec. Errors begin with `place`, like "features[2]",
// until the feature's name is known; then with `what` and the name.
Result<NamedFeature> ReadFeature(const JsonValue& value, std::string place,
                                 std::string_view what,
                                 const SpecJsonOptions& options);

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_PLAN_SPEC_SPEC_JSON_READER_H_
