#include "tests/golden/golden_schema.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace headrace::testing {

using nlohmann::json;

namespace {

std::string Base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      const size_t at = i + k;
      group = group << 8 |
              (at < bytes.size() ? static_cast<uint8_t>(bytes[at]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      const bool is_padding = i + k > bytes.size();
      text += is_padding ? '=' : kDigits[group >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

json DoubleJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

json ToJson(const tfmd::FixedShape& shape) {
  json message = json::object();
  for (const auto& dim : shape.dims) {
    json one = json::object();
    if (dim.size) one["size"] = std::to_string(*dim.size);
    if (dim.name) one["name"] = *dim.name;
    message["dim"].push_back(std::move(one));
  }
  return message;
}

json ToJson(const tfmd::DefaultValue& value) {
  json message = json::object();
  if (const auto* number = std::get_if<double>(&value.value)) {
    message["float_value"] = DoubleJson(*number);
  } else if (const auto* whole = std::get_if<int64_t>(&value.value)) {
    message["int_value"] = std::to_string(*whole);
  } else if (const auto* bytes = std::get_if<std::string>(&value.value)) {
    message["bytes_value"] = Base64(*bytes);
  } else if (const auto* count = std::get_if<uint64_t>(&value.value)) {
    message["uint_value"] = std::to_string(*count);
  }
  return message;
}

json ToJson(const tfmd::DenseTensor& tensor) {
  json message = json::object();
  if (tensor.column_name) message["column_name"] = *tensor.column_name;
  if (tensor.shape) message["shape"] = ToJson(*tensor.shape);
  if (tensor.default_value) {
    message["default_value"] = ToJson(*tensor.default_value);
  }
  return {{"dense_tensor", message}};
}

json ToJson(const tfmd::VarLenSparseTensor& tensor) {
  json message = json::object();
  if (tensor.column_name) message["column_name"] = *tensor.column_name;
  return {{"varlen_sparse_tensor", message}};
}

json ToJson(const tfmd::SparseTensor& tensor) {
  json message = json::object();
  if (tensor.dense_shape) message["dense_shape"] = ToJson(*tensor.dense_shape);
  if (!tensor.index_column_names.empty()) {
    message["index_column_names"] = tensor.index_column_names;
  }
  if (tensor.value_column_name) {
    message["value_column_name"] = *tensor.value_column_name;
  }
  if (tensor.already_sorted) message["already_sorted"] = *tensor.already_sorted;
  return {{"sparse_tensor", message}};
}

json ToJson(const tfmd::RaggedTensor& tensor) {
  json message = json::object();
  if (tensor.feature_path) {
    json path = json::object();
    if (!tensor.feature_path->empty()) path["step"] = *tensor.feature_path;
    message["feature_path"] = std::move(path);
  }
  for (const auto& partition : tensor.partitions) {
    json one = json::object();
    if (const auto* length = std::get_if<int64_t>(&partition)) {
      one["uniform_row_length"] = std::to_string(*length);
    } else if (const auto* key = std::get_if<std::string>(&partition)) {
      one["row_length"] = *key;
    }
    message["partition"].push_back(std::move(one));
  }
  constexpr const char* kTypes[] = {"UNSPECIFIED", "INT64", "INT32"};
  if (tensor.row_partition_dtype) {
    message["row_partition_dtype"] =
        kTypes[static_cast<int>(*tensor.row_partition_dtype)];
  }
  return {{"ragged_tensor", message}};
}

json ToJson(std::monostate) { return json::object(); }

}  // namespace

json ToJson(const tfmd::TensorRepresentation& tensor) {
  return std::visit([](const auto& kind) { return ToJson(kind); }, tensor.kind);
}

}  // namespace headrace::testing
