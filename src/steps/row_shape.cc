#include "src/steps/row_shape.h"

#include <algorithm>
#include <utility>

namespace headrace::steps {
namespace {

// Records hold values of this type, of which the tensor's may be made.
DType WireType(DType dtype) {
  switch (dtype) {
    case DType::kBytes:
      return DType::kBytes;
    case DType::kFloat:
    case DType::kFloat16:
    case DType::kBfloat16:
    case DType::kFloat64:
      return DType::kFloat;
    default:
      return DType::kInt64;
  }
}

Sizes RaggedShape(const FeatureConfig& config) {
  Sizes sizes = config.shape;
  if (sizes.empty() && !config.item_shape) {
    sizes.push_back(kUnknownSize);
    for (const Partition& partition : config.partitions) {
      sizes.push_back(partition.type == PartitionType::kUniformRowLength
                          ? partition.uniform_row_length
                          : kUnknownSize);
    }
  }
  if (config.item_shape) {
    sizes.insert(sizes.end(), config.item_shape->begin(),
                 config.item_shape->end());
  }
  return sizes;
}

}  // namespace

std::optional<Sizes> RowShape(const FeatureConfig& config) {
  switch (config.layout) {
    case Layout::kFixedLen:
      return config.shape;
    case Layout::kRagged:
      return RaggedShape(config);
    default:
      return std::nullopt;
  }
}

bool IsKnown(std::span<const int64_t> sizes) {
  return std::find(sizes.begin(), sizes.end(), kUnknownSize) == sizes.end();
}

FeatureConfig ConfigOfRows(const std::string& name, DType dtype, Sizes sizes,
                           DType splits) {
  const DType wire = WireType(dtype);
  FeatureConfig config;
  if (IsKnown(sizes)) {
    config = FixedLen(wire, std::move(sizes));
  } else {
    config = Ragged(wire);
    // One list of values needs neither partitions nor a shape.
    for (size_t i = 1; i < sizes.size(); ++i) {
      config.partitions.push_back(
          {.key = name + "#lengths_" + std::to_string(i)});
    }
    if (sizes.size() > 1) config.shape = std::move(sizes);
    config.row_splits_dtype = splits;
  }
  if (wire != dtype) config.as = dtype;
  return config;
}

}  // namespace headrace::steps
