// Which columns a TensorRepresentation is made of.

#ifndef HEADRACE_SRC_SCHEMA_SOURCE_COLUMNS_H_
#define HEADRACE_SRC_SCHEMA_SOURCE_COLUMNS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/schema.h"
#include "headrace/status.h"

namespace headrace::schema {

// One step for a feature, two for a child of a STRUCT.
using ColumnPath = std::vector<std::string>;

// Steps joined with dots, as the name of a column that is shown.
std::string JoinPath(const ColumnPath& path);

// Indices, then values, then partitions; none for a representation without a
// kind. kBadSpec for a ragged tensor of no path with a partition.
Result<std::vector<ColumnPath>> SourceColumns(
    const tfmd::TensorRepresentation& tensor);

// The column of the values; none for a representation without a kind.
std::optional<ColumnPath> ValueColumn(const tfmd::TensorRepresentation& tensor);

// Null where the schema does not have the group.
const tfmd::TensorRepresentationGroup* FindGroup(const Schema& schema,
                                                 std::string_view name);

}  // namespace headrace::schema

#endif  // HEADRACE_SRC_SCHEMA_SOURCE_COLUMNS_H_
