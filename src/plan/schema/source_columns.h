// Finds the columns that a TensorRepresentation is made of.

#ifndef HEADRACE_SRC_PLAN_SCHEMA_SOURCE_COLUMNS_H_
#define HEADRACE_SRC_PLAN_SCHEMA_SOURCE_COLUMNS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/schema.h"
#include "headrace/status.h"

namespace headrace::schema {

// The path of a feature has one step, that of a child of a STRUCT two.
using ColumnPath = std::vector<std::string>;

// Joins the steps with dots, as in the name of a column that is shown.
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

}  // namespace headrace::schema

#endif  // HEADRACE_SRC_PLAN_SCHEMA_SOURCE_COLUMNS_H_
