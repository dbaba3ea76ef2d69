
#ifndef HEADRACE_SRC_PLAN_SCHEMA_TENSOR_FEATURE_H_
#define HEADRACE_SRC_PLAN_SCHEMA_TENSOR_FEATURE_H_

#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::schema {

// Returns nullopt if a spec has no such type.
std::optional<DType> DTypeOf(tfmd::FeatureType type);

// Makes the feature of a spec that reads values of type `type`, by rules I8 to
// I10: a child of a STRUCT is ragged and read under the child's name. Returns
// kBadSpec with the name of the tensor. Copies sizes and shapes; compiling a
// plan checks them. With `allow_uint`, a uint_value that fits is a default for
// INT.
Result<NamedFeature> ToFeature(const tfmd::TensorRepresentation& tensor,
                               tfmd::FeatureType type, bool allow_uint);

// Returns kBadSpec for a tensor that cannot be made; `what` says why.
Status BadTensor(const tfmd::TensorRepresentation& tensor,
                 const std::string& what, std::string_view rule);

}  // namespace headrace::schema

#endif  // HEADRACE_SRC_PLAN_SCHEMA_TENSOR_FEATURE_H_
