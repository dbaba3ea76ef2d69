#include "tests/tfds/nested_values.h"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/base/json/json_text.h"

namespace headrace::testing {
namespace {

using nlohmann::json;

std::string HexBits(uint64_t bits, int digits) {
  char text[17];
  std::snprintf(text, sizeof(text), "%0*llx", digits,
                static_cast<unsigned long long>(bits));
  return text;
}

template <class T>
json NumberAt(const Tensor& tensor, size_t index) {
  return tensor.As<T>()[index];
}

json ScalarAt(const Tensor& tensor, size_t index) {
  switch (tensor.dtype) {
    case DType::kBytes: {
      std::string text;
      AppendBase64(tensor.bytes()[index], &text);
      return text;
    }
    case DType::kFloat:
      return HexBits(std::bit_cast<uint32_t>(tensor.floats()[index]), 8);
    case DType::kFloat64:
      return HexBits(std::bit_cast<uint64_t>(tensor.As<double>()[index]), 16);
    case DType::kFloat16:
    case DType::kBfloat16:
      return HexBits(tensor.As<uint16_t>()[index], 4);
    case DType::kBool:
      return NumberAt<bool>(tensor, index);
    case DType::kInt64:
      return NumberAt<int64_t>(tensor, index);
    case DType::kInt32:
      return NumberAt<int32_t>(tensor, index);
    case DType::kInt16:
      return NumberAt<int16_t>(tensor, index);
    case DType::kInt8:
      return NumberAt<int8_t>(tensor, index);
    case DType::kUint64:
      return NumberAt<uint64_t>(tensor, index);
    case DType::kUint32:
      return NumberAt<uint32_t>(tensor, index);
    case DType::kUint16:
      return NumberAt<uint16_t>(tensor, index);
    default:
      return NumberAt<uint8_t>(tensor, index);
  }
}

size_t SizeOf(std::span<const int64_t> shape) {
  size_t size = 1;
  for (const int64_t dimension : shape) size *= static_cast<size_t>(dimension);
  return size;
}

// The values from `first` on, cut by the shape. scalar(i) makes value i.
template <class Scalar>
json Shaped(std::span<const int64_t> shape, size_t first, Scalar scalar) {
  if (shape.empty()) return scalar(first);
  const auto inner = shape.subspan(1);
  json list = json::array();
  for (size_t i = 0; i < static_cast<size_t>(shape[0]); ++i) {
    list.push_back(Shaped(inner, first + i * SizeOf(inner), scalar));
  }
  return list;
}

json RaggedRow(const Tensor& tensor, size_t level, size_t index) {
  if (level == tensor.row_splits.size()) {
    return Shaped(tensor.shape, index * SizeOf(tensor.shape),
                  [&](size_t i) { return ScalarAt(tensor, i); });
  }
  const RowSplits& splits = tensor.row_splits[level];
  json list = json::array();
  for (int64_t i = splits[index]; i < splits[index + 1]; ++i) {
    list.push_back(RaggedRow(tensor, level + 1, static_cast<size_t>(i)));
  }
  return list;
}

json GoldenRagged(const json& node, size_t level, size_t index) {
  if (level == node["row_splits"].size()) {
    const auto shape = node["inner_shape"].get<std::vector<int64_t>>();
    return Shaped(std::span(shape), index * SizeOf(shape),
                  [&](size_t i) { return node["values"].at(i); });
  }
  const json& splits = node["row_splits"][level];
  json list = json::array();
  for (size_t i = splits.at(index); i < splits.at(index + 1); ++i) {
    list.push_back(GoldenRagged(node, level + 1, i));
  }
  return list;
}

// The outermost row splits of a node cut it, as there is no row around it.
json GoldenLeaf(const json& node) {
  const std::string kind = node["is"];
  if (kind == "image") return GoldenLeaf(node["encoded"]);
  if (kind == "tensor") {
    const auto shape = node["shape"].get<std::vector<int64_t>>();
    return Shaped(std::span(shape), 0,
                  [&](size_t i) { return node["values"].at(i); });
  }
  if (kind != "ragged") throw std::runtime_error("a leaf is " + kind);
  json list = json::array();
  const size_t rows = node["row_splits"][0].size() - 1;
  for (size_t i = 0; i < rows; ++i) list.push_back(GoldenRagged(node, 0, i));
  return list;
}

// What the names lead to: leaves, or those of all steps of a dataset.
std::vector<const json*> NodesAt(const json& node,
                                 std::span<const std::string> names,
                                 bool* is_dataset) {
  if (node["is"] == "dataset") {
    *is_dataset = true;
    std::vector<const json*> found;
    for (const json& step : node["steps"]) {
      const auto more = NodesAt(step, names, is_dataset);
      found.insert(found.end(), more.begin(), more.end());
    }
    return found;
  }
  if (names.empty()) return {&node};
  return NodesAt(node.at("items").at(names[0]), names.subspan(1), is_dataset);
}

}  // namespace

json NestedValues(const Tensor& tensor, size_t row) {
  if (tensor.kind == TensorKind::kRagged) return RaggedRow(tensor, 0, row);
  const auto shape = tensor.shape.subspan(1);
  return Shaped(shape, row * SizeOf(shape),
                [&](size_t i) { return ScalarAt(tensor, i); });
}

json GoldenValues(const json& example, const tfds::Leaf& leaf) {
  bool is_dataset = false;
  const auto nodes = NodesAt(example, leaf.names, &is_dataset);
  if (!is_dataset) return GoldenLeaf(*nodes.at(0));
  json list = json::array();
  for (const json* const node : nodes) list.push_back(GoldenLeaf(*node));
  return list;
}

std::string GoldenDType(const json& example, const tfds::Leaf& leaf) {
  bool is_dataset = false;
  const auto nodes = NodesAt(example, leaf.names, &is_dataset);
  if (nodes.empty()) return std::string();
  const json& node = *nodes[0];
  return node["is"] == "image" ? node["encoded"]["dtype"] : node["dtype"];
}

}  // namespace headrace::testing
