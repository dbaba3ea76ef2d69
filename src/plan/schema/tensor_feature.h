
#ifndef HEADRACE_SRC_PLAN_SCHEMA_TENSOR_FEATURE_H_
#define HEADRACE_SRC_PLAN_SCHEMA_TENSOR_FEATURE_H_

#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::schema {

// Nothing where a spec has no such type.
std::optional<DType> DTypeOf(tfmd::FeatureType type);

// Makes a feature of a spec from values of that type, by rules I8 to I10: a
// child of a STRUCT is ragged and read under the child's name. kBadSpec names
// the tensor. Sizes and shapes are as they stand; compiling a plan checks them.
// With `allow_uint`, a uint_value is a default for INT where it fits.
Result<NamedFeature> ToFeature(const tfmd::TensorRepresentation& tensor,
                               tfmd::FeatureType type, bool allow_uint);

// `tensor` cannot be made; `what` says why.
Status BadTensor(const tfmd::TensorRepresentation& tensor,
                 const std::string& what, std::string_view rule);

}  // namespace headrace::schema

#endif  // HEADRACE_SRC_PLAN_SCHEMA_TENSOR_FEATURE_H_
