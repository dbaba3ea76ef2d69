// The columns that a TensorRepresentation is made of, and the feature of a spec
// that makes the same tensor.

#ifndef HEADRACE_SRC_PLAN_SCHEMA_SOURCE_COLUMNS_H_
#define HEADRACE_SRC_PLAN_SCHEMA_SOURCE_COLUMNS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::schema {

// The path of a feature has one step; the path of a child of a STRUCT has two.
using ColumnPath = std::vector<std::string>;

// Joins the steps with dots, as in the names of columns that users see.
std::string JoinPath(const ColumnPath& path);

// Returns the columns of indices first, then values, then partitions; none for
// a representation without a kind. Returns kBadSpec if a ragged tensor without
// a path has a partition.
Result<std::vector<ColumnPath>> SourceColumns(
    const tfmd::TensorRepresentation& tensor);

// Returns nullopt for a representation without a kind.
std::optional<ColumnPath> ValueColumn(const tfmd::TensorRepresentation& tensor);

// Returns null if the schema does not have the group.
const tfmd::TensorRepresentationGroup* FindGroup(const Schema& schema,
                                                 std::string_view name);

// Returns nullopt for a type that specs do not have.
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
// Returns the error of a tensor that is made of a column which the schema does
// not have.
Status NoColumn(const tfmd::TensorRepresentation& tensor,
                const ColumnPath& column, std::string_view rule = "I11");

}  // namespace headrace::schema

#endif  // HEADRACE_SRC_PLAN_SCHEMA_SOURCE_COLUMNS_H_
