#include "headrace/feature_spec.h"

namespace headrace {

std::string_view LayoutName(Layout layout) {
  switch (layout) {
    case Layout::kFixedLen:
      return "fixed_len";
    case Layout::kFixedLenSequence:
      return "fixed_len_sequence";
    case Layout::kVarLen:
      return "var_len";
    case Layout::kSparse:
      return "sparse";
    case Layout::kRagged:
      return "ragged";
  }
  return "unknown";
}

std::string_view PartitionTypeName(PartitionType type) {
  switch (type) {
    case PartitionType::kRowLengths:
      return "row_lengths";
    case PartitionType::kRowSplits:
      return "row_splits";
    case PartitionType::kRowStarts:
      return "row_starts";
    case PartitionType::kRowLimits:
      return "row_limits";
    case PartitionType::kValueRowids:
      return "value_rowids";
    case PartitionType::kUniformRowLength:
      return "uniform_row_length";
  }
  return "unknown";
}

FeatureConfig& FeatureConfig::DefaultNumber(int64_t value) {
  // A number is no bytes: for those it stays an int64, which the plan refuses.
  if (dtype == DType::kFloat) {
    return Default(DefaultValues(std::vector{static_cast<float>(value)}));
  }
  return Default(DefaultValues(std::vector{value}));
}

FeatureConfig& FeatureConfig::Default(DefaultValues values) {
  default_values = std::move(values);
  return *this;
}

FeatureConfig FixedLen(DType dtype, std::vector<int64_t> shape) {
  return {
      .layout = Layout::kFixedLen, .dtype = dtype, .shape = std::move(shape)};
}

FeatureConfig FixedLenSequence(DType dtype, std::vector<int64_t> shape,
                               bool allow_missing) {
  return {.layout = Layout::kFixedLenSequence,
          .dtype = dtype,
          .shape = std::move(shape),
          .allow_missing = allow_missing};
}

FeatureConfig VarLen(DType dtype) {
  return {.layout = Layout::kVarLen, .dtype = dtype};
}

FeatureConfig Sparse(std::vector<std::string> index_keys, std::string value_key,
                     DType dtype, std::vector<int64_t> size,
                     bool already_sorted) {
  return {.layout = Layout::kSparse,
          .dtype = dtype,
          .index_keys = std::move(index_keys),
          .size = std::move(size),
          .already_sorted = already_sorted,
          .value_key = std::move(value_key)};
}

FeatureConfig Ragged(DType dtype, std::vector<Partition> partitions,
                     std::optional<std::string> value_key,
                     DType row_splits_dtype) {
  return {.layout = Layout::kRagged,
          .dtype = dtype,
          .value_key = std::move(value_key),
          .partitions = std::move(partitions),
          .row_splits_dtype = row_splits_dtype};
}

const std::string& NamedFeature::key() const {
  if (config.column) return *config.column;
  const bool has_value_key =
      config.layout == Layout::kSparse || config.layout == Layout::kRagged;
  return has_value_key && config.value_key ? *config.value_key : name;
}

}  // namespace headrace
