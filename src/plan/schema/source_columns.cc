#include "src/plan/schema/source_columns.h"

#include <utility>
#include <variant>

#include "src/plan/schema/bad_schema.h"

namespace headrace::schema {
namespace {

using tfmd::TensorRepresentation;

Result<std::vector<ColumnPath>> RaggedColumns(
    const std::string& name, const tfmd::RaggedTensor& tensor) {
  const ColumnPath path = tensor.feature_path.value_or(ColumnPath());
  std::vector<ColumnPath> columns{path};
  for (const auto& partition : tensor.partitions) {
    const auto* row_length = std::get_if<std::string>(&partition);
    if (!row_length) continue;
    if (path.empty()) {
      return BadSchema("tensor", name, "is ragged, but has no feature_path",
                       "I10");
    }
    columns.push_back(path);
    columns.back().back() = *row_length;
  }
  return columns;
}

}  // namespace

std::string JoinPath(const ColumnPath& path) {
  std::string joined;
  for (const std::string& step : path) {
    if (&step != &path.front()) joined += ".";
    joined += step;
  }
  return joined;
}

Result<std::vector<ColumnPath>> SourceColumns(
    const TensorRepresentation& tensor) {
  if (const auto* sparse = std::get_if<tfmd::SparseTensor>(&tensor.kind)) {
    std::vector<ColumnPath> columns;
    for (const std::string& name : sparse->index_column_names) {
      columns.push_back({name});
    }
    if (sparse->value_column_name) {
      columns.push_back({*sparse->value_column_name});
    }
    return columns;
  }
  if (const auto* ragged = std::get_if<tfmd::RaggedTensor>(&tensor.kind)) {
    return RaggedColumns(tensor.name, *ragged);
  }
  std::vector<ColumnPath> columns;
  if (auto column = ValueColumn(tensor)) columns.push_back(*std::move(column));
  return columns;
}

std::optional<ColumnPath> ValueColumn(const TensorRepresentation& tensor) {
  if (const auto* dense = std::get_if<tfmd::DenseTensor>(&tensor.kind)) {
    return ColumnPath{dense->column_name.value_or("")};
  }
  if (const auto* varlen =
          std::get_if<tfmd::VarLenSparseTensor>(&tensor.kind)) {
    return ColumnPath{varlen->column_name.value_or("")};
  }
  if (const auto* sparse = std::get_if<tfmd::SparseTensor>(&tensor.kind)) {
    return ColumnPath{sparse->value_column_name.value_or("")};
  }
  if (const auto* ragged = std::get_if<tfmd::RaggedTensor>(&tensor.kind)) {
    return ragged->feature_path.value_or(ColumnPath());
  }
  return std::nullopt;
}

const tfmd::TensorRepresentationGroup* FindGroup(const Schema& schema,
                                                 std::string_view name) {
  for (const auto& group : schema.groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

}  // namespace headrace::schema
