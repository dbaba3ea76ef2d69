// ReadSpec reads a spec that is inside other JSON (docs/formats/spec.md).

#ifndef HEADRACE_SRC_PLAN_SPEC_SPEC_JSON_READER_H_
#define HEADRACE_SRC_PLAN_SPEC_SPEC_JSON_READER_H_

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "src/plan/spec/json_value.h"

namespace headrace::spec {

// Returns the errors of FeatureSpec::FromJson, except those of JSON syntax.
// Throws std::bad_alloc.
Result<FeatureSpec> ReadSpec(const JsonValue& json);

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_PLAN_SPEC_SPEC_JSON_READER_H_
