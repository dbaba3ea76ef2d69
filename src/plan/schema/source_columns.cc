#include "src/plan/schema/source_columns.h"

#include <cassert>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/strings/str_join.h"
#include "src/base/checked_math.h"
#include "src/base/text/quote.h"
#include "src/plan/spec/bad_spec.h"

namespace headrace::schema {
namespace {

using plan::BadSpec;
using tfmd::FeatureType;
using tfmd::TensorRepresentation;

Result<std::vector<ColumnPath>> RaggedColumns(
    const std::string& name, const tfmd::RaggedTensor& tensor) {
  const ColumnPath path = tensor.feature_path.value_or(ColumnPath());
  std::vector<ColumnPath> columns{path};
  for (const auto& partition : tensor.partitions) {
    const auto* row_length = std::get_if<std::string>(&partition);
    if (!row_length) continue;
    if (path.empty()) {
      return BadSpec("tensor", name, "is ragged, but has no feature_path",
                     "I10");
    }
    columns.push_back(path);
    columns.back().back() = *row_length;
  }
  return columns;
}

// The maximum number of copies of one default: a shape that needs more is a
// mistake.
constexpr size_t kMaxDefaults = size_t{1} << 24;

std::vector<int64_t> Sizes(const std::optional<tfmd::FixedShape>& shape) {
  std::vector<int64_t> sizes;
  if (!shape) return sizes;
  for (const auto& dim : shape->dims) sizes.push_back(dim.size.value_or(0));
  return sizes;
}

// Returns the number of values of a row; 0 if a dimension is not positive,
// since such a default is a list without values. Returns nullopt if the row is
// too large for a default.
std::optional<size_t> CountValues(const std::vector<int64_t>& shape) {
  size_t count = 1;
  for (const int64_t size : shape) {
    if (size <= 0) return 0;
  }
  for (const int64_t size : shape) {
    if (!CheckedMul(count, static_cast<uint64_t>(size), &count) ||
        count > kMaxDefaults) {
      return std::nullopt;
    }
  }
  return count;
}

// Narrows a number as protobuf does when it writes a double to a float field.
float Narrowed(double value) { return static_cast<float>(value); }

class DefaultMaker {
 public:
  DefaultMaker(FeatureType type, bool allow_uint, size_t count)
      : type_(type), allow_uint_(allow_uint), count_(count) {}

  // Each overload returns nullopt if the default has another type.
  std::optional<DefaultValues> operator()(std::monostate) const { return {}; }
  std::optional<DefaultValues> operator()(double value) const {
    if (type_ != FeatureType::kFloat) return {};
    return std::vector<float>(count_, Narrowed(value));
  }
  std::optional<DefaultValues> operator()(int64_t value) const {
    if (type_ != FeatureType::kInt) return {};
    return std::vector<int64_t>(count_, value);
  }
  std::optional<DefaultValues> operator()(const std::string& value) const {
    if (type_ != FeatureType::kBytes) return {};
    return std::vector<std::string>(count_, value);
  }
  std::optional<DefaultValues> operator()(uint64_t value) const {
    if (!allow_uint_ || value > INT64_MAX) return {};
    return (*this)(static_cast<int64_t>(value));
  }

 private:
  FeatureType type_;
  bool allow_uint_;
  size_t count_;
};

class FeatureMaker {
 public:
  FeatureMaker(const TensorRepresentation& tensor, FeatureType type,
               bool allow_uint, NamedFeature* feature)
      : tensor_(tensor),
        type_(type),
        allow_uint_(allow_uint),
        config_(&feature->config) {}

  Status operator()(std::monostate) const {
    return BadTensor(tensor_, "has no kind of tensor", "I8");
  }

  Status operator()(const tfmd::DenseTensor& dense) const {
    config_->layout = Layout::kFixedLen;
    config_->shape = Sizes(dense.shape);
    SetColumn(dense.column_name);
    if (!dense.default_value) return Status();
    const auto count = CountValues(config_->shape);
    if (!count) {
      return BadTensor(tensor_, "has too large a shape for a default", "I9");
    }
    config_->default_values = std::visit(
        DefaultMaker(type_, allow_uint_, *count), dense.default_value->value);
    if (config_->default_values) return Status();
    return BadTensor(tensor_,
                     "has a default_value that is not of type " +
                         std::string(FeatureTypeName(type_)),
                     "I9");
  }

  Status operator()(const tfmd::VarLenSparseTensor& varlen) const {
    config_->layout = Layout::kVarLen;
    SetColumn(varlen.column_name);
    return Status();
  }

  Status operator()(const tfmd::SparseTensor& sparse) const {
    config_->layout = Layout::kSparse;
    config_->index_keys = sparse.index_column_names;
    config_->value_key = sparse.value_column_name.value_or("");
    config_->size = Sizes(sparse.dense_shape);
    config_->already_sorted = sparse.already_sorted.value_or(false);
    return Status();
  }

  Status operator()(const tfmd::RaggedTensor& ragged) const {
    assert(ragged.feature_path && !ragged.feature_path->empty());
    config_->layout = Layout::kRagged;
    config_->value_key = ragged.feature_path->back();
    const bool is_int32 =
        ragged.row_partition_dtype == tfmd::RowPartitionDType::kInt32;
    config_->row_splits_dtype = is_int32 ? DType::kInt32 : DType::kInt64;
    for (const auto& partition : ragged.partitions) {
      if (const auto* length = std::get_if<int64_t>(&partition)) {
        config_->partitions.push_back({.type = PartitionType::kUniformRowLength,
                                       .uniform_row_length = *length});
      } else if (const auto* key = std::get_if<std::string>(&partition)) {
        config_->partitions.push_back(
            {.type = PartitionType::kRowLengths, .key = *key});
      } else {
        return BadTensor(tensor_, "has a partition without a kind", "I10");
      }
    }
    return Status();
  }

 private:
  void SetColumn(const std::optional<std::string>& column) const {
    const std::string name = column.value_or("");
    if (name != tensor_.name) config_->column = name;
  }

  const TensorRepresentation& tensor_;
  FeatureType type_;
  bool allow_uint_;
  FeatureConfig* config_;
};

}  // namespace

std::string JoinPath(const ColumnPath& path) {
  return absl::StrJoin(path, ".");
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

std::optional<DType> DTypeOf(FeatureType type) {
  switch (type) {
    case FeatureType::kBytes:
      return DType::kBytes;
    case FeatureType::kInt:
      return DType::kInt64;
    case FeatureType::kFloat:
      return DType::kFloat;
    default:
      return std::nullopt;
  }
}

Status BadTensor(const TensorRepresentation& tensor, const std::string& what,
                 std::string_view rule) {
  return BadSpec("tensor", tensor.name, what, rule);
}

Result<NamedFeature> ToFeature(const TensorRepresentation& tensor,
                               FeatureType type, bool allow_uint) {
  NamedFeature feature{.name = tensor.name};
  Status status =
      std::visit(FeatureMaker(tensor, type, allow_uint, &feature), tensor.kind);
  if (!status.ok()) return status;
  const std::optional<DType> dtype = DTypeOf(type);
  if (!dtype) {
    return BadTensor(tensor,
                     "is of a feature of type " +
                         std::string(FeatureTypeName(type)) +
                         "; only INT, FLOAT and BYTES have values",
                     "I8");
  }
  feature.config.dtype = *dtype;
  return feature;
}

Status NoColumn(const TensorRepresentation& tensor, const ColumnPath& column,
                std::string_view rule) {
  return BadTensor(tensor,
                   "is made of column " + Quote(JoinPath(column)) +
                       ", which the schema does not have",
                   rule);
}

}  // namespace headrace::schema
