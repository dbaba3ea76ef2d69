// A TensorRepresentation is made of columns.

#ifndef HEADRACE_SRC_PLAN_SCHEMA_SOURCE_COLUMNS_H_
#define HEADRACE_SRC_PLAN_SCHEMA_SOURCE_COLUMNS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/schema.h"
#include "headrace/status.h"

namespace headrace::schema {

// A feature's path has one step, that of a child of a STRUCT two.
using ColumnPath = std::vector<std::string>;

// Dots join the steps, as in the name of a column that is shown.
std::string JoinPath(const ColumnPath& path);

// Indices come first, then values, then partitions; none for a representation
// without a kind. kBadSpec if a ragged tensor without a path has a partition.
Result<std::vector<ColumnPath>> SourceColumns(
    const tfmd::TensorRepresentation& tensor);

// Nothing for a representation without a kind.
std::optional<ColumnPath> ValueColumn(const tfmd::TensorRepresentation& tensor);

// Null where the schema does not have the group.
const tfmd::TensorRepresentationGroup* FindGroup(const Schema& schema,
                                                 std::string_view name);

}  // namespace headrace::schema

#endif  // HEADRACE_SRC_PLAN_SCHEMA_SOURCE_COLUMNS_H_
